"""Ask questions of one's own documents: files of any format that `documents` reads, folders, or `Document`s.

Documents given together are one collection: each is split by itself, and one index ranks the chunks of all. Only the
texts extracted from files are written (`documents._cache` says which, and why no index is).
"""

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkers import Chunk, Chunker, moved
from longdoc.errors import UserError, unknown
from pipelines import documents
from pipelines.answers.answer import Answer, Passage, located
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.planning.argument_types import (
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
from pipelines.engine.planning.options import planned_arguments
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.reader import NO_READER
from pipelines.engine.planning.spec import resolved
from pipelines.engine.prepare import prepare
from pipelines.records import Document, Example, Prediction, Span
from pipelines.results import output_counts, over_limit
from pipelines.results.headings import besides_selected
from pipelines.sources import _fields

Source = str | os.PathLike[str] | Document

BETWEEN = "\n\n"  # the documents of a collection
NAMED = 5  # files of other forms in a warning


def ask(
    document: Source | Sequence[Source],
    question: str,
    *,
    chunker: ChunkerSpec | None = None,
    retriever: RetrieverSpec | None = None,
    k: int | None = None,
    budget: int | None = None,
    select: Select | None = None,
    fill: Fill | None = None,
    query: Query | None = None,
    order: Order | None = None,
    strategy: StrategySpec | None = None,
    model: ReaderSpec = "extractive",
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
    - `cache`: texts taken out of files are kept under LONGDOC_CACHE, so that asking again is quick; False reads anew.

    The recipe is the task `qa`; further arguments are those of `run`. Raises `UserError`.
    """
    arguments = {name: value for name, value in locals().items() if name in planned_arguments()}
    for name in unknown_arguments:
        raise unknown("argument", name, [*arguments, "cache"])
    if not question.strip():
        raise UserError("the question is empty")
    # documents are read when everything else is right
    placeholder = Example("question", Document("question", question), question)
    plan = make_plan("qa", data=[placeholder], **arguments)
    read, warnings = _collected(document, cache)
    collection = _Collection(read)
    example = Example("question", collection.document, question)
    if len(read) > 1:
        plan = replace(plan, chunker=_EachAlone(plan.chunker, collection.spans, plan.chunker.per_query))
    session = Session(
        plan.strategy, plan.reader, plan.max_input_tokens, resolved(plan.reader), whole=plan.document_limit
    )
    (finished,) = Inference(plan.reader, [session]).run(prepare(plan, collection.document, [example]))
    output = finished.prediction
    if output is None:
        raise UserError(str(finished.failure))
    warnings += [output.notes["chunks"]] if "chunks" in output.notes else []
    warnings += over_limit.messages(output.passages)
    headings = besides_selected(output).headings
    passages = [
        collection.passage(*span, output.prediction, headings.get(number))
        for number, span in enumerate(output.selected)
    ]
    warnings += _output_warnings(output, plan.max_new_tokens)
    asked = model != NO_READER
    cut = output.truncated_tokens
    return Answer(output.prediction, passages, cut, question, tuple(warnings), output.outputs, asked)


def _output_warnings(prediction: Prediction, length: int) -> list[str]:
    """Warnings that an output was cut at its length, or refused: the answer's text alone does not show it."""
    what = "the answer" if prediction.requests == 1 else "an output that the answer is made of"
    messages = {
        output_counts.ENDED: f"{what} was cut at its length of {length} tokens: give more with max_new_tokens=",
        output_counts.REFUSED: f"{what} was refused by the model",
    }
    return [line for kind, line in messages.items() if prediction.outputs.get(kind)]


class _Collection:
    """Documents joined into one, and where each begins."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.starts: list[int] = []
        start = 0
        for one in documents:
            self.starts.append(start)
            start += len(one.text) + len(BETWEEN)

    @property
    def spans(self) -> tuple[Span, ...]:
        """[start, end) of each document."""
        return tuple((start, start + len(one.text)) for start, one in zip(self.starts, self.documents, strict=True))

    @property
    def document(self) -> Document:
        """All as one; a single document is itself."""
        if len(self.documents) == 1:
            return self.documents[0]
        text = BETWEEN.join(one.text for one in self.documents)
        return Document(_fields.identity(text), text)

    def passage(self, start: int, end: int, score: float, answer: str, heading: Span | None) -> Passage:
        """The passage of one document that [start, end) of the collection is; `heading` is in the collection, too."""
        number = bisect_right(self.starts, start) - 1
        one, offset = self.documents[number], self.starts[number]
        start, end = start - offset, end - offset
        text = one.text[start:end]
        found = located(text, answer)
        return Passage(
            text=text,
            start=start,
            end=end,
            line=one.text.count("\n", 0, start) + 1,
            score=score,
            file=one.meta.get("file"),
            location=documents.location(one.meta, one.text, start, end),
            answer=found and (start + found[0], start + found[1]),
            heading=one.text[heading[0] - offset : heading[1] - offset] if heading else "",
        )


@dataclass(slots=True)
class _EachAlone(Chunker):
    """A chunker that splits each document of a collection by itself: no chunk spans two documents."""

    inner: Chunker
    spans: tuple[Span, ...]
    per_query: bool

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        """The inner chunker's bound on a prompt."""
        return self.inner.max_input_tokens

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of all documents, in order."""
        return [moved(chunk, start) for start, end in self.spans for chunk in self.inner.split(text[start:end], query)]

    def remark(self, text: str) -> str | None:
        """What the inner chunker remarks on any of the documents, each remark once."""
        remarks = dict.fromkeys(self.inner.remark(text[start:end]) for start, end in self.spans)
        return "; ".join(filter(None, remarks)) or None


def _collected(document: Source | Sequence[Source], cache: bool) -> tuple[list[Document], list[str]]:
    """The documents in the order given, each file once, and warnings about reading them."""
    single = isinstance(document, (str, os.PathLike, Document))
    given: list[Any] = [document] if single else list(document)  # type: ignore[arg-type]
    if not given:
        raise UserError("there is no document to ask: pass a file, a folder, or a list of these")
    warnings: list[str] = []
    found: dict[Any, Document] = {}
    for number, one in enumerate(given):
        if isinstance(one, Document):
            found[number] = one
            continue
        if not isinstance(one, (str, os.PathLike)):
            raise UserError(f"a document is a path or a Document, got {type(one).__name__}")
        path = Path(one).expanduser()
        read = _folder(path, cache, warnings) if path.is_dir() else _file(path, cache, warnings)
        for file, text in read:
            found.setdefault(file.resolve(), text)
    return list(found.values()), list(dict.fromkeys(warnings))


def _folder(folder: Path, cache: bool, warnings: list[str]) -> Iterator[tuple[Path, Document]]:
    """Raises `UserError` where nothing below the folder can be read."""
    known, others = documents.files(folder)
    if others:
        names = ", ".join(str(path.relative_to(folder)) for path in others[:NAMED])
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        warnings.append(f"not read, of other forms: {names}{more} (in {folder})")
    some = False
    problems = []
    for path in known:
        try:
            yield from _file(path, cache, warnings)
            some = True
        except UserError as error:
            problems.append(f"not read: {error}")
    warnings.extend(problems)
    if not some:
        why = problems[0].removeprefix("not read: ") if problems else f"forms: {', '.join(documents.READERS)}"
        raise UserError(f"{folder} holds no document that can be read; {why}")


def _file(path: Path, cache: bool, warnings: list[str]) -> Iterator[tuple[Path, Document]]:
    text = documents.read(path, cache)
    warnings.extend(text.warnings)
    meta = {"file": str(path), **text.meta}
    yield path, _fields.document(text.text, path.name, text.title or path.name, meta)
