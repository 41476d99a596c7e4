"""Ask questions of one's own documents: files of any format that `documents` reads, folders, or `Document`s.

Documents given together are one collection: each is split by itself, and one index ranks the chunks of all. Only the
texts extracted from files are written (`documents._cache` says which), and the vectors of dense retrievers, each by its
text, so that a changed file has only its own passages encoded again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from pipelines.answers.answer import Answer
from pipelines.answers.document_index import READER, DocumentIndex
from pipelines.answers.document_reading import Source, source_of
from pipelines.engine.planning.argument_types import (
    AskArguments,
    ChunkerSpec,
    Fill,
    Order,
    Query,
    ReaderSpec,
    RetrieverSpec,
    Revision,
    Select,
    StrategySpec,
)
from pipelines.engine.planning.options import default_of


def ask(
    document: Source | Sequence[Source] | None = None,
    question: str | None = None,
    *,
    text: str | None = None,
    chunker: ChunkerSpec | None = None,
    retriever: RetrieverSpec | None = None,
    k: int | None = None,
    budget: int | None = None,
    select: Select | None = None,
    fill: Fill | None = None,
    query: Query | None = None,
    order: Order | None = None,
    strategy: StrategySpec | None = None,
    model: ReaderSpec = READER,
    prompt: str | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    deterministic: bool = False,
    revision: Revision | None = None,
    seed: int = 0,
    model_options: Mapping[str, Any] | None = None,
    cache: bool = True,
    **unknown_arguments: Any,
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
    _check_names(unknown_arguments)
    names = AskArguments.__annotations__
    given_value: Any = {name: value for name, value in locals().items() if name in names and value != default_of(name)}
    source = source_of(document, text)
    if question is None:
        raise UserError('there is no question: ask(DOCUMENT, "…"), or ask(text=TEXT, question="…")')
    return DocumentIndex(source, cache, **given_value).ask(question)


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
    _check_names(arguments)
    return DocumentIndex(source_of(document, text), cache, **arguments).build()


def _check_names(arguments: Iterable[str]) -> None:
    """Raise `UserError` for a name that is no argument, before what is said of the documents."""
    names = AskArguments.__annotations__
    for name in arguments:
        if name not in names:
            raise unknown_argument(name, [*names, "document", "question", "text", "cache"])
