"""The results of `show`: an example with its passages in their document, or the list of examples."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from longdoc.messages import counted
from longdoc.plain_json import Record
from pipelines.display import numbers, terminal
from pipelines.display.table import Column, Table, cut
from pipelines.display.view import View
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Prediction, Span, references_text

AROUND = 300  # characters of the document on each side of a passage
LONG = 2500  # characters of a passage; longer ones are printed in part: their ends, answers and evidence
PASSAGES = 20  # passages of an example that are printed
HEADING = 80  # characters of a heading
EXCERPT = 60  # characters of a question or a prediction in the list
MAP = 72  # characters of a document's map
LEGEND = "▸passage◂  «answer»  [[evidence]]"
MAP_LEGEND = "# shown  A answer (a: not shown)  E evidence (e: not shown)"

Piece = tuple[str, frozenset[str]]  # text and its kinds: "passage", "answer", "evidence", or "left out" alone


@dataclass(frozen=True, slots=True)
class InspectedPassage:
    """A selected span [start, end) at a `position` in the prompt, from 1. `rank` is by the retriever's score.

    `shown_spans` are the parts left after truncation. `text` is the document's, with `before` and `after` around it;
    None where the document is missing. `answers` and `evidence` are document spans within all three. `location` is the
    page, chapter, section or time, if the document has such. `heading_span` is the heading in the document that was
    shown before it, if one was, and `heading` its text.
    """

    position: int
    rank: int | None
    score: float | None
    start: int
    end: int
    shown_spans: Sequence[Span]
    text: str | None = None
    before: str = ""
    after: str = ""
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()
    location: str = ""
    heading_span: Span | None = None
    heading: str = ""

    @property
    def headline(self) -> str:
        """One line: position in the prompt, rank and score, position in the document, and heading."""
        rank = "found by a further search" if self.rank is None else f"rank {self.rank}, score {self.score:.4g}"
        shown_length = sum(end - start for start, end in self.shown_spans)
        length = self.end - self.start
        shown_note = f", {shown_length:,} of {length:,} characters shown" if shown_length else ", cut from the prompt"
        if shown_length == length:
            shown_note = ""
        location = f"{self.location}, " if self.location else ""
        span = f"{location}characters {self.start:,}–{self.end:,}"
        heading_note = f", under {cut(numbers.line(self.heading), HEADING)!r}" if self.heading else ""
        return f"[{self.position}] {rank}, {span}{shown_note}{heading_note}"

    def pieces(self) -> list[Piece]:
        """The passage and the text around it, split into pieces by kind; only parts of a long one."""
        if self.text is None:
            return []
        text, offset = self.before + self.text + self.after, self.start - len(self.before)
        spans = {"passage": self.shown_spans, "answer": self.answers, "evidence": self.evidence}
        pieces: list[Piece] = []
        printed_end = offset
        for low, high in _printed_spans(self):
            if low > printed_end:
                pieces.append((f" […{low - printed_end:,} characters…] ", frozenset({"left out"})))
            spans_inside = {kind: between(kind_spans, low, high) for kind, kind_spans in spans.items()}
            edges = {low, high, *(edge for kind_spans in spans_inside.values() for span in kind_spans for edge in span)}
            for start, end in pairwise(sorted(edges)):
                kinds = frozenset(
                    kind for kind, kind_spans in spans_inside.items() if any(s <= start < e for s, e in kind_spans)
                )
                pieces.append((text[start - offset : end - offset], kinds))
            printed_end = high
        return pieces


@dataclass(frozen=True, slots=True)
class InspectedExample(Record):
    """An example of a run. `scores` are those that it has by itself; `failure` says why its prediction is empty.

    `characters` is the document's length, None where the document cannot be read; `missing` then says why. `answers`
    are the spans where a reference occurs in the document word by word, `evidence` the gold spans. `judge` is what a
    judge said.
    """

    run: Path
    task: str
    prediction: Prediction
    scores: Mapping[str, float] = field(default_factory=dict)
    passages: Sequence[InspectedPassage] = ()
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()
    characters: int | None = None
    missing: str = ""
    failure: str = ""
    judge: str = ""

    KEYS: ClassVar[Sequence[str]] = (
        "run", "task", "prediction.id", "prediction.document", "prediction.query", "prediction.prediction",
        "references", "scores", "notes", "prediction.requests", "prediction.tokens_in", "prediction.tokens_out",
        "prediction.truncated_tokens", "passages", "answers", "evidence", "characters", "missing", "failure",
        "prediction.outputs", "evidence_counts: prediction.evidence", "judge", "prediction.thinking",
    )  # fmt: skip

    @property
    def references(self) -> tuple[str, ...]:
        """The references as they are printed."""
        return references_text(self.prediction.references)

    @property
    def notes(self) -> dict[str, str]:
        """The strategy's notes that are printed."""
        return {name: note for name, note in self.prediction.notes.items() if name != "spans"}

    def map(self, width: int = MAP) -> str:
        """The document as one line that marks shown text, answers and evidence (`MAP_LEGEND`)."""
        if not self.characters:
            return ""
        width = min(width, self.characters)
        shown_cells = _cells(self._shown_spans(), self.characters, width)
        answers, evidence = (_cells(spans, self.characters, width) for spans in (self.answers, self.evidence))
        signs = []
        for cell in range(width):
            sign = "a" if cell in answers else "e" if cell in evidence else "."
            signs.append(sign.upper() if cell in shown_cells and sign != "." else "#" if cell in shown_cells else sign)
        return "".join(signs)

    def _shown_spans(self) -> Iterator[Span]:
        for passage in self.passages:
            yield from passage.shown_spans
            yield from [passage.heading_span] if passage.heading_span else []

    def facts(self) -> list[tuple[str, str]]:
        """Everything but the passages, as (name, text)."""
        prediction = self.prediction
        scores = ", ".join(f"{name} {value:.2f}" for name, value in self.scores.items())
        cost = f"{prediction.tokens_in:,} in, {prediction.tokens_out:,} out, {counted(prediction.requests, 'request')}"
        rows = [
            ("question", prediction.query),
            ("failed", self.failure),
            ("prediction", "" if self.failure else _clipped(prediction.prediction) or "(empty)"),
            ("outputs", ", ".join(f"{count} {kind}" for kind, count in prediction.outputs.items())),
            *(("reference", _clipped(reference)) for reference in self.references),
            ("scores", scores),
            ("judge", _clipped(self.judge)),
            ("tokens", "" if self.failure else cost),
            ("thinking", self._thinking_text()),
            (
                "cut",
                f"{prediction.truncated_tokens:,} prompt tokens over the limit were cut"
                if prediction.truncated_tokens
                else "",
            ),
            *((f"note {name}", _clipped(note)) for name, note in self.notes.items()),
            ("evidence", self._evidence()),
            (
                "document",
                f"{prediction.document}, {self.characters:,} characters" if self.characters else prediction.document,
            ),
            ("no text", self.missing),
        ]
        return [(name, text) for name, text in rows if text]

    def _thinking_text(self) -> str:
        """The amount of the model's thinking, whose words are in the log of replies."""
        tokens, words = (self.prediction.thinking.get(name, 0) for name in ("tokens", "words"))
        parts = [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{counted(words, 'word')}, in requests.jsonl"] if words else []
        return ", ".join(parts)

    def _evidence(self) -> str:
        """The share of the gold evidence that was shown, and the ranks of its chunks."""
        counts = self.prediction.evidence
        missing = counts.get("missing", 0)
        spans = "1 gold span is" if missing == 1 else f"{missing:,} gold spans are"
        lines = [f"{spans} not in the document"] if missing else []
        if total := counts.get("characters"):
            lines.append(f"{100 * counts['shown'] / total:.0f}% of {total:,} characters shown")
            best, worst = counts["best_rank"], counts["worst_rank"]
            location = counted(counts["chunks"], "chunk")
            ranked = f" ranked {best:,}" + (f" to {worst:,}" if worst > best else "") if counts["chunks"] else ""
            lines.append(f"in {location}{ranked}, {counts['taken']:,} taken")
        return "; ".join(lines)

    def __str__(self) -> str:
        """Everything as text, with answers and evidence marked."""
        lines = [f"{self.task}: {self.prediction.id}"]
        lines += [f"  {name:<10} {text}".replace("\n", f"\n{'':13}") for name, text in self.facts()]
        if self.characters:
            lines += [f"  {'map':<10} {self.map()}", f"  {'':<10} {MAP_LEGEND}", "", LEGEND]
        for passage in self.passages[:PASSAGES]:
            lines += ["", passage.headline, *([marked(passage.pieces())] if passage.text is not None else [])]
        if hidden_count := len(self.passages) - PASSAGES:
            lines += (
                ["", f"… and {counted(hidden_count, 'more passage')} (--json has them)"] if hidden_count > 0 else []
            )
        return terminal.visible("\n".join(lines))


@dataclass(frozen=True, slots=True)
class ExampleList(View):
    """The examples of a run in the order of the data, as (id, query, prediction); failed ones last, with the reason."""

    run: Path
    task: str
    rows: Sequence[tuple[str, str, str]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        examples = [dict(zip(("id", "query", "prediction"), row, strict=True)) for row in self.rows]
        return {"run": str(self.run), "task": self.task, "examples": examples}

    def tables(self) -> list[Table]:
        """One row per example."""
        columns = (
            Column("id", lambda row: row[0], whole=True),
            Column("question", lambda row: cut(numbers.line(row[1]), EXCERPT)),
            Column("prediction", lambda row: cut(numbers.line(row[2]), EXCERPT)),
        )
        return [Table(self.task, columns, self.rows)]

    def lines_below(self) -> list[str]:
        """The number of examples, and the command that shows one."""
        return [f"{counted(len(self.rows), 'example')}; one of them: longdoc show {shlex.quote(str(self.run))} ID"]


def marked(pieces: Sequence[Piece]) -> str:
    """Pieces as plain text: `▸passage◂`, `«answer»`, `[[evidence]]`."""
    signs = {"passage": ("▸", "◂"), "evidence": ("[[", "]]"), "answer": ("«", "»")}
    parts: list[str] = []
    open_kinds: frozenset[str] = frozenset()
    for text, kinds in [*pieces, ("", frozenset[str]())]:
        if "left out" in kinds:
            kinds = open_kinds  # a gap ends nothing
        parts += [close for kind, (_, close) in reversed(signs.items()) if kind in open_kinds - kinds]
        parts += [begin for kind, (begin, _) in signs.items() if kind in kinds - open_kinds]
        parts.append(terminal.visible(text))
        open_kinds = kinds
    return "".join(parts)


def between(spans: Sequence[Span], low: int, high: int) -> list[Span]:
    """The parts of the spans within [low, high)."""
    return [(max(start, low), min(end, high)) for start, end in spans if start < high and end > low]


def _printed_spans(passage: InspectedPassage) -> list[Span]:
    """The spans of a passage and the text around it that are printed: all, or of a long one ends and marked parts."""
    low, high = passage.start - len(passage.before), passage.end + len(passage.after)
    if passage.end - passage.start <= LONG:
        return [(low, high)]
    ends = [(low, passage.start + AROUND), (passage.end - AROUND, high)]
    marks = [*passage.answers[:PASSAGES], *passage.evidence[:PASSAGES]]
    surroundings = [(max(start - AROUND // 2, low), min(end + AROUND // 2, high)) for start, end in marks]
    return merged([*ends, *surroundings])


def _cells(spans: Any, length: int, width: int) -> set[int]:
    """The positions in a map of `width` characters that are covered by spans of a text of `length`."""
    return {
        cell
        for start, end in spans
        if end > start
        for cell in range(start * width // length, (end - 1) * width // length + 1)
    }


def _clipped(text: str, maximum: int = 2000) -> str:
    hidden_count = len(text) - maximum
    return text if hidden_count <= 0 else f"{text[:maximum]}… and {hidden_count:,} more characters (--json has them)"
