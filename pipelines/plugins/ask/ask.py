"""Ask questions of one's own documents: files of any format that `documents` reads, folders, or `Document`s.

Documents given together are one collection: each is split by itself, and one index ranks the chunks of all. Only the
texts extracted from files are written (`documents._cache` says which), and the vectors of dense retrievers, each by its
text, so that a changed file has only its own passages encoded again.
"""

from collections.abc import Sequence
from typing import Unpack

from longdoc.errors import UserError
from pipelines.engine.planning.options import refuse_unknown
from pipelines.engine.planning.run_options import AskOptions
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.indexing.document_index import DocumentIndex
from pipelines.plugins.ask.indexing.document_reading import Source, source_of

KNOWN = ("document", "question", "text", "cache", *AskOptions.__annotations__)  # the arguments of the functions here


def ask(
    document: Source | Sequence[Source] | None = None,
    question: str | None = None,
    *,
    text: str | Sequence[str] | None = None,
    cache: bool = True,
    **options: Unpack[AskOptions],
) -> Answer:
    """Answer a question about documents of one's own.

    - `document`: a file (.txt, .md, .html, .epub, .pdf, .docx, .srt, .vtt, or any other text), a folder, which is read
      with all that is below it, a `Document`, or a list of these. What a folder has and cannot be read is named in the
      answer's warnings.
    - `text`: the document's text itself, in place of `document`: `ask(text=letter, question="…")`; or several, as in a
      list or a column of a data frame.
    - `cache`: texts taken out of files are kept under LONGDOC_CACHE, so that asking again is quick; False reads anew.

    The recipe is the task `qa`, and `model` is "extractive" by default; further arguments are those of `run`. `index`
    asks several questions of the same documents. Raises `UserError`.
    """
    refuse_unknown(options, KNOWN)
    source = source_of(document, text)
    if question is None:
        raise UserError('there is no question: ask(DOCUMENT, "…"), or ask(text=TEXT, question="…")')
    return DocumentIndex(source, cache, **options).ask(question)


def index(
    document: Source | Sequence[Source] | None = None,
    *,
    text: str | Sequence[str] | None = None,
    cache: bool = True,
    **options: Unpack[AskOptions],
) -> DocumentIndex:
    """Read, split and index documents of one's own for many questions: `index("notes/", retriever="dense").ask("…")`.

    The documents and arguments are those of `ask`, and hold for its questions; each may change some. What a dense
    retriever encodes is kept under LONGDOC_CACHE, so that the next program encodes only what is new. Raises
    `UserError`.
    """
    refuse_unknown(options, KNOWN)
    return DocumentIndex(source_of(document, text), cache, **options).build()
