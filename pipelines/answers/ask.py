"""Ask questions of one's own documents: files of any format that `documents` reads, folders, or `Document`s.

Documents given together are one collection: each is split by itself, and one index ranks the chunks of all. Only the
texts extracted from files are written (`documents._cache` says which), and the vectors of dense retrievers, each by its
text, so that a changed file has only its own passages encoded again.
"""

from collections.abc import Sequence
from typing import Any, Unpack

from longdoc.errors import UserError
from pipelines.answers.answer import Answer
from pipelines.answers.indexing.document_index import READER, DocumentIndex
from pipelines.answers.indexing.document_reading import Source, source_of
from pipelines.engine.planning.options import default_of
from pipelines.engine.planning.run_arguments import AskArguments
from pipelines.engine.planning.signatures import takes_arguments


@takes_arguments(AskArguments, model=READER)
def ask(
    document: Source | Sequence[Source] | None = None,
    question: str | None = None,
    *,
    text: str | None = None,
    cache: bool = True,
    **arguments: Unpack[AskArguments],
) -> Answer:
    """Answer a question about documents of one's own.

    - `document`: a file (.txt, .md, .html, .epub, .pdf, .docx, .srt, .vtt, or any other text), a folder, which is read
      with all that is below it, a `Document`, or a list of these. What a folder has and cannot be read is named in the
      answer's warnings.
    - `text`: the document's text itself, in place of `document`: `ask(text=letter, question="…")`.
    - `cache`: texts taken out of files are kept under LONGDOC_CACHE, so that asking again is quick; False reads anew.

    The recipe is the task `qa`; further arguments are those of `run`. `index` asks several questions of the same
    documents. Raises `UserError`.
    """
    values: Any = {name: value for name, value in arguments.items() if value != default_of(name)}
    source = source_of(document, text)
    if question is None:
        raise UserError('there is no question: ask(DOCUMENT, "…"), or ask(text=TEXT, question="…")')
    return DocumentIndex(source, cache, **values).ask(question)


@takes_arguments(AskArguments, model=READER)
def index(
    document: Source | Sequence[Source] | None = None,
    *,
    text: str | None = None,
    cache: bool = True,
    **arguments: Unpack[AskArguments],
) -> DocumentIndex:
    """Read, split and index documents of one's own for many questions: `index("notes/", retriever="dense").ask("…")`.

    The documents and arguments are those of `ask`, and hold for its questions; each may change some. What a dense
    retriever encodes is kept under LONGDOC_CACHE, so that the next program encodes only what is new. Raises
    `UserError`.
    """
    return DocumentIndex(source_of(document, text), cache, **arguments).build()
