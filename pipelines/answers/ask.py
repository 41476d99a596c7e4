"""Ask documents of one's own: files of any form that `documents` reads, folders of them, or `Document`s.

All that is asked together is one collection: each file is split by itself, and the chunks of all are ranked by one
index. Nothing is written but the texts that were taken out of files (`documents._cache` says which, and
why no index is).
"""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkers import Chunk, Chunker
from longdoc.errors import UserError, unknown
from pipelines import documents
from pipelines.answers.answer import Answer, Passage, located
from pipelines.engine.inference import Finished, Inference
from pipelines.engine.plan import make_plan
from pipelines.engine.prepare import prepare
from pipelines.engine.session import Lane
from pipelines.engine.spec import resolved
from pipelines.records import Document, Example, Span
from pipelines.results import output_counts, over_limit
from pipelines.sources import _fields

Source = str | os.PathLike[str] | Document

OPTIONS = (
    "budget", "query", "order", "strategy", "prompt", "max_new_tokens", "max_input_tokens", "device", "dtype",
    "deterministic", "revision", "model_options",
)  # fmt: skip
BETWEEN = "\n\n"  # the documents of a collection
NAMED = 5  # files of other forms in a warning


def ask(
    document: Source | Sequence[Source],
    question: str,
    *,
    chunker: Any = None,
    retriever: Any = None,
    k: int | None = None,
    model: Any = "extractive",
    cache: bool = True,
    seed: int = 0,
    **arguments: Any,
) -> Answer:
    """Answer a question about documents of one's own.

    - `document`: a file (.txt, .md, .html, .epub, .pdf, .docx, .srt, .vtt, or any other text), a folder, which is read
      with all that is below it, a `Document`, or a list of these. What a folder has and cannot be read is named in the
      answer's warnings.
    - `cache`: texts taken out of files are kept under LONGDOC_CACHE, so that asking again is quick; False reads anew.

    The recipe is the task `qa`; further arguments are those of `run`. Raises `UserError`.
    """
    for name in arguments:
        if name not in OPTIONS:
            raise unknown("argument", name, [*OPTIONS, "chunker", "retriever", "k", "model", "cache", "seed"])
    if not question.strip():
        raise UserError("the question is empty")
    chosen = {"chunker": chunker, "retriever": retriever, "k": k, "model": model}
    stand_in = Example(
        "question", Document("question", question), question
    )  # documents are read when all else is right
    plan = make_plan("qa", data=[stand_in], seed=seed, **chosen, **arguments)
    asked, warnings = _collected(document, cache)
    collection = _Collection(asked)
    example = Example("question", collection.document, question)
    if len(asked) > 1:
        plan = replace(plan, chunker=_Apart(plan.chunker, collection.spans, plan.chunker.per_query))
    lane = Lane(plan.strategy, plan.reader, plan.max_input_tokens, resolved(plan.reader), whole=plan.whole)
    (finished,) = Inference(plan.reader, [lane]).run(prepare(plan, collection.document, [example]))
    if finished.failure is not None:
        raise UserError(finished.failure)
    if finished.prepared.remark:
        warnings.append(finished.prepared.remark)
    if finished.prepared.encoded is not None:
        warnings += over_limit.told(finished.prepared.encoded.counts())
    passages = [collection.passage(*span, finished.prediction) for span in finished.selected]
    warnings += _of_outputs(finished, plan.length)
    return Answer(finished.prediction, passages, finished.truncated_tokens, question, tuple(warnings), finished.outputs)


def _of_outputs(finished: Finished, length: int) -> list[str]:
    """What the answer's text alone does not tell: that it was cut, or refused."""
    what = "the answer" if finished.requests == 1 else "an output that the answer is made of"
    told = {
        output_counts.ENDED: f"{what} was cut at its length of {length} tokens: give more with max_new_tokens=",
        output_counts.REFUSED: f"{what} was refused by the model",
    }
    return [line for kind, line in told.items() if finished.outputs.get(kind)]


class _Collection:
    """Documents laid end to end, and where each begins."""

    def __init__(self, asked: Sequence[Document]) -> None:
        self.asked = asked
        self.starts: list[int] = []
        at = 0
        for one in asked:
            self.starts.append(at)
            at += len(one.text) + len(BETWEEN)

    @property
    def spans(self) -> tuple[Span, ...]:
        """[start, end) of each document."""
        return tuple((start, start + len(one.text)) for start, one in zip(self.starts, self.asked, strict=True))

    @property
    def document(self) -> Document:
        """All as one; a single document is itself."""
        if len(self.asked) == 1:
            return self.asked[0]
        text = BETWEEN.join(one.text for one in self.asked)
        return Document(_fields.identity(text), text)

    def passage(self, start: int, end: int, score: float, answer: str) -> Passage:
        """The passage of one document that [start, end) of all is, with its place there."""
        number = bisect_right(self.starts, start) - 1
        one, at = self.asked[number], self.starts[number]
        start, end = start - at, end - at
        text = one.text[start:end]
        found = located(text, answer)
        return Passage(
            text=text,
            start=start,
            end=end,
            line=one.text.count("\n", 0, start) + 1,
            score=score,
            file=one.meta.get("file"),
            place=documents.location(one.meta, one.text, start, end),
            answer=found and (start + found[0], start + found[1]),
        )


@dataclass(slots=True)
class _Apart(Chunker):
    """A chunker that splits each document of a collection by itself: no chunk reaches from one into the next."""

    inner: Chunker
    spans: tuple[Span, ...]
    per_query: bool

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        """The inner chunker's bound on a prompt."""
        return self.inner.max_input_tokens

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The chunks of all documents, in order."""
        return [
            replace(chunk, start=chunk.start + start, end=chunk.end + start)
            for start, end in self.spans
            for chunk in self.inner.split(text[start:end], query)
        ]

    def remark(self, text: str) -> str | None:
        """What the inner chunker remarks on any of the documents, each remark once."""
        remarks = dict.fromkeys(self.inner.remark(text[start:end]) for start, end in self.spans)
        return "; ".join(filter(None, remarks)) or None


def _collected(document: Source | Sequence[Source], cache: bool) -> tuple[list[Document], list[str]]:
    """The documents in the order given, each file once; and what is to be said of the reading."""
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
        told = problems[0].removeprefix("not read: ") if problems else f"forms: {', '.join(documents.READERS)}"
        raise UserError(f"{folder} holds no document that can be read; {told}")


def _file(path: Path, cache: bool, warnings: list[str]) -> Iterator[tuple[Path, Document]]:
    text = documents.read(path, cache)
    warnings.extend(text.warnings)
    meta = {"file": str(path), **text.meta}
    yield path, _fields.document(text.text, path.name, text.title or path.name, meta)
