"""One example of a finished run: what was asked, what came out, and the passages the reader saw, in their document.

The document is not kept in a run's folder: it is read again from where the data lie. Where they are not there any more,
everything else is shown, and why the text is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import _terminal
from pipelines._occurrences import lowered, occurrences
from pipelines.finished_runs import FinishedRun, examples_of, finished_run
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Example, Prediction, Span

AROUND = 300  # characters of the document on each side of a passage
LONG = 2500  # characters of a passage; of a longer one its ends and its marks are printed
PASSAGES = 20  # that are printed
MAP = 72  # characters of a document's map
LEGEND = "▸passage◂  «answer»  [[evidence]]"
MAP_LEGEND = "# shown  A answer (a: not shown)  E evidence (e: not shown)"

Piece = tuple[str, frozenset[str]]  # text and what it is of: "passage", "answer", "evidence"; "left out" stands alone


@dataclass(frozen=True, slots=True)
class SeenPassage:
    """A span [start, end) that the retriever chose, in the order shown. `rank` is by the retriever's score.

    `shown` are the parts that were left after cutting. `text` is the document's, with `before` and `after` around it;
    None where the document is missing. `answers` and `evidence` are spans of the document within all three.
    """

    place: int
    rank: int | None
    score: float | None
    start: int
    end: int
    shown: Sequence[Span]
    text: str | None = None
    before: str = ""
    after: str = ""
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()

    @property
    def heading(self) -> str:
        """Where it stands, in the prompt and in the document."""
        rank = "found by a further search" if self.rank is None else f"rank {self.rank}, score {self.score:.4g}"
        left = sum(end - start for start, end in self.shown)
        cut = "" if left == self.end - self.start else f", {left:,} of {self.end - self.start:,} characters shown"
        return f"[{self.place}] {rank}, characters {self.start:,}–{self.end:,}{cut if left else ', cut away'}"

    def pieces(self) -> list[Piece]:
        """The text with its surroundings in pieces, each with what it is part of; of a long one not all."""
        if self.text is None:
            return []
        whole, offset = self.before + self.text + self.after, self.start - len(self.before)
        spans = {"passage": self.shown, "answer": self.answers, "evidence": self.evidence}
        found: list[Piece] = []
        last = offset
        for low, high in _kept(self):
            if low > last:
                found.append((f" […{low - last:,} characters…] ", frozenset({"left out"})))
            within = {kind: _between(part, low, high) for kind, part in spans.items()}
            edges = {low, high, *(edge for part in within.values() for span in part for edge in span)}
            for start, end in pairwise(sorted(edges)):
                kinds = frozenset(kind for kind, part in within.items() if any(s <= start < e for s, e in part))
                found.append((whole[start - offset : end - offset], kinds))
            last = high
        return found


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example of a run. `figures` are its own, by metric; `failure` says why it has no prediction.

    `characters` is the document's length, None where it is `missing`, which then says why. `answers` are the places
    where a reference stands in the document word by word, `evidence` the gold spans.
    """

    run: Path
    task: str
    id: str
    document: str
    query: str
    prediction: str
    references: Sequence[str]
    figures: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cut: int = 0
    passages: Sequence[SeenPassage] = ()
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()
    characters: int | None = None
    missing: str = ""
    failure: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"run": str(self.run)}

    def map(self, width: int = MAP) -> str:
        """The document in a line: what was shown of it, where answers and evidence stand. Empty where it is missing."""
        if not self.characters:
            return ""
        width = min(width, self.characters)
        shown = _cells((span for passage in self.passages for span in passage.shown), self.characters, width)
        answers, evidence = (_cells(spans, self.characters, width) for spans in (self.answers, self.evidence))
        signs = []
        for cell in range(width):
            sign = "a" if cell in answers else "e" if cell in evidence else "."
            signs.append(sign.upper() if cell in shown and sign != "." else "#" if cell in shown else sign)
        return "".join(signs)

    def facts(self) -> list[tuple[str, str]]:
        """Everything but the passages, as name and text."""
        figures = ", ".join(f"{name} {value:.2f}" for name, value in self.figures.items())
        cost = f"{self.tokens_in:,} in, {self.tokens_out:,} out, {self.requests} request{'s' * (self.requests != 1)}"
        rows = [
            ("question", self.query),
            ("failed", self.failure),
            ("prediction", "" if self.failure else _clipped(self.prediction) or "(empty)"),
            *(("reference", _clipped(reference)) for reference in self.references),
            ("figures", figures),
            ("tokens", "" if self.failure else cost),
            ("cut", f"{self.cut:,} prompt tokens went, over the limit" if self.cut else ""),
            *((f"note {name}", _clipped(note)) for name, note in self.notes.items()),
            ("document", f"{self.document}, {self.characters:,} characters" if self.characters else self.document),
            ("no text", self.missing),
        ]
        return [(name, said) for name, said in rows if said]

    def __str__(self) -> str:
        """For a person, with marks round answers and evidence."""
        lines = [f"{self.task}: {self.id}"]
        lines += [f"  {name:<10} {said}".replace("\n", f"\n{'':13}") for name, said in self.facts()]
        if self.characters:
            lines += [f"  {'map':<10} {self.map()}", f"  {'':<10} {MAP_LEGEND}", "", LEGEND]
        for passage in self.passages[:PASSAGES]:
            lines += ["", passage.heading, *([marked(passage.pieces())] if passage.text is not None else [])]
        if more := len(self.passages) - PASSAGES:
            lines += ["", f"… and {more} more passages (--json has them)"] if more > 0 else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ShownIds:
    """The examples of a run in the order of the data: id, question, prediction; for a failed one the reason."""

    run: Path
    task: str
    rows: Sequence[tuple[str, str, str]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        examples = [dict(zip(("id", "query", "prediction"), row, strict=True)) for row in self.rows]
        return {"run": str(self.run), "task": self.task, "examples": examples}

    def __str__(self) -> str:
        """A line an example."""
        width = max((len(row[0]) for row in self.rows), default=0)
        lines = [f"{name:<{width}}  {_line(query, 60)} → {_line(said, 60)}" for name, query, said in self.rows]
        return "\n".join([*lines, f"{len(lines)} examples; one of them: longdoc show {self.run} ID"])


def show(run: str | Path | FinishedRun, id: str | None = None, *, data: Any = None) -> ShownExample | ShownIds:
    """The example `id` of a finished run, or without `id` what there is to show.

    `data` says where its data are now, by default where they were. Raises `UserError` for a folder without a finished
    run and for an id that it does not have, with the nearest.
    """
    finished = run if isinstance(run, FinishedRun) else finished_run(run)
    predictions = {prediction.id: prediction for prediction in finished.predictions}
    if id is None:
        rows = [(one.id, one.query, one.prediction) for one in finished.predictions]
        failed = [(name, "", f"failed: {reason}") for name, reason in finished.failures.items()]
        return ShownIds(finished.folder, finished.task, [*rows, *failed])
    if id not in predictions and id not in finished.failures:
        near = get_close_matches(id, [*predictions, *finished.failures], n=3, cutoff=0.4)
        told = f"did you mean {' or '.join(near)}?" if near else f"longdoc show {finished.folder} lists them"
        raise UserError(f"unknown example {id!r}; {told}")
    example, missing = _example(finished, id, data)
    if id not in predictions:
        return _failed(finished, id, example, missing)
    return _shown(finished, predictions[id], example, missing)


def marked(pieces: Sequence[Piece]) -> str:
    """Pieces as plain text: `▸passage◂`, `«answer»`, `[[evidence]]`."""
    signs = {"passage": ("▸", "◂"), "evidence": ("[[", "]]"), "answer": ("«", "»")}
    parts: list[str] = []
    open_: frozenset[str] = frozenset()
    for text, kinds in [*pieces, ("", frozenset[str]())]:
        if "left out" in kinds:
            kinds = open_  # a gap ends nothing
        parts += [close for kind, (_, close) in reversed(signs.items()) if kind in open_ - kinds]
        parts += [begin for kind, (begin, _) in signs.items() if kind in kinds - open_]
        parts.append(_terminal.visible(text))
        open_ = kinds
    return "".join(parts)


def _example(run: FinishedRun, id: str, data: Any) -> tuple[Example | None, str]:
    """The example with its document, or why it cannot be read. What was given and is wrong is the person's to mend."""
    try:
        for example in examples_of(run, data).examples():
            if example.id == id:
                return example, ""
    except (UserError, OSError) as error:
        if data is not None:
            raise
        return None, str(error) if "data=" in str(error) else f"{error}; data=PATH says where they are now"
    return None, "the data hold no such example any more"


def _shown(run: FinishedRun, one: Prediction, example: Example | None, missing: str) -> ShownExample:
    text = example.document.text if example else None
    answers = occurrences(lowered(text), one.references) if text is not None else []
    evidence = merged(example.evidence) if example else []
    return ShownExample(
        run.folder,
        run.task,
        one.id,
        one.document,
        one.query,
        one.prediction,
        one.references,
        _figures(run, one),
        {name: note for name, note in one.notes.items() if name != "spans"},
        one.requests,
        one.tokens_in,
        one.tokens_out,
        one.cut,
        _passages(one, text, answers, evidence),
        answers,
        evidence,
        len(text) if text is not None else None,
        missing,
    )


def _failed(run: FinishedRun, id: str, example: Example | None, missing: str) -> ShownExample:
    told = (example.document.id, example.query, "", example.references) if example else ("?", "", "", ())
    length = len(example.document.text) if example else None
    failure = run.failures[id]
    return ShownExample(run.folder, run.task, id, *told, characters=length, missing=missing, failure=failure)


def _passages(
    one: Prediction, text: str | None, answers: Sequence[Span], evidence: Sequence[Span]
) -> list[SeenPassage]:
    """The selected spans in the order shown, then what only a further search found."""
    ranked = sorted(range(len(one.selected)), key=lambda place: -one.selected[place][2])
    ranks = {place: rank for rank, place in enumerate(ranked, 1)}
    chosen: list[tuple[int, int, float | None, int | None]] = [
        (start, end, score, ranks[place]) for place, (start, end, score) in enumerate(one.selected)
    ]
    beyond = [span for span in one.seen if not any(s <= span[0] and span[1] <= e for s, e, *_ in one.selected)]
    chosen += [(start, end, None, None) for start, end in beyond]
    found = []
    for place, (start, end, score, rank) in enumerate(chosen, 1):
        seen = [(s, e) for s, e in one.seen if start <= s and e <= end] if one.seen else [(start, end)]
        passage = SeenPassage(place, rank, score, start, end, merged(seen))
        found.append(passage if text is None else _in_text(passage, text, answers, evidence))
    return found


def _in_text(passage: SeenPassage, text: str, answers: Sequence[Span], evidence: Sequence[Span]) -> SeenPassage:
    low, high = max(passage.start - AROUND, 0), min(passage.end + AROUND, len(text))

    return SeenPassage(
        passage.place,
        passage.rank,
        passage.score,
        passage.start,
        passage.end,
        passage.shown,
        text[passage.start : passage.end],
        text[low : passage.start],
        text[passage.end : high],
        _between(answers, low, high),
        _between(evidence, low, high),
    )


def _figures(run: FinishedRun, one: Prediction) -> dict[str, float]:
    """The figures that this example has by itself."""
    place = run.predictions.index(one)
    found = {name: values[place] for name, values in run.figures.items()}
    return {name: value for name, value in found.items() if value is not None}


def _kept(passage: SeenPassage) -> list[Span]:
    """What is printed of a passage and its surroundings: all of a short one, else its ends and what is marked."""
    low, high = passage.start - len(passage.before), passage.end + len(passage.after)
    if passage.end - passage.start <= LONG:
        return [(low, high)]
    ends = [(low, passage.start + AROUND), (passage.end - AROUND, high)]
    marks = [*passage.answers[:PASSAGES], *passage.evidence[:PASSAGES]]
    near = [(max(start - AROUND // 2, low), min(end + AROUND // 2, high)) for start, end in marks]
    return merged([*ends, *near])


def _between(spans: Sequence[Span], low: int, high: int) -> list[Span]:
    """The spans as far as they lie in [low, high)."""
    return [(max(start, low), min(end, high)) for start, end in spans if start < high and end > low]


def _cells(spans: Any, length: int, width: int) -> set[int]:
    """The cells of a line of `width` that spans of a text of `length` touch."""
    return {
        cell
        for start, end in spans
        if end > start
        for cell in range(start * width // length, (end - 1) * width // length + 1)
    }


def _clipped(text: str, most: int = 2000) -> str:
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}… and {more:,} more characters (--json has them)"


def _line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
