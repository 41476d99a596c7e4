"""The results of `show`: one example of a run with its passages in their document, or the list of examples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.display import terminal
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Span
from pipelines.results.run_folders.path_text import path_text

AROUND = 300  # characters of the document on each side of a passage
LONG = 2500  # characters of a passage; longer ones are printed in part: their ends, answers and evidence
PASSAGES = 20  # printed of an example
HEADING = 80  # characters of a heading
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
        """Its position in the prompt and in the document, and the heading it was shown under."""
        rank = "found by a further search" if self.rank is None else f"rank {self.rank}, score {self.score:.4g}"
        left = sum(end - start for start, end in self.shown_spans)
        cut = "" if left == self.end - self.start else f", {left:,} of {self.end - self.start:,} characters shown"
        location = f"{self.location}, " if self.location else ""
        span = f"{location}characters {self.start:,}–{self.end:,}"
        under = f", under {_line(self.heading, HEADING)!r}" if self.heading else ""
        return f"[{self.position}] {rank}, {span}{cut if left else ', cut away'}{under}"

    def pieces(self) -> list[Piece]:
        """The text with its surroundings, split into pieces by kind; only parts of a long passage."""
        if self.text is None:
            return []
        text, offset = self.before + self.text + self.after, self.start - len(self.before)
        spans = {"passage": self.shown_spans, "answer": self.answers, "evidence": self.evidence}
        pieces: list[Piece] = []
        last = offset
        for low, high in _printed_spans(self):
            if low > last:
                pieces.append((f" […{low - last:,} characters…] ", frozenset({"left out"})))
            parts = {kind: between(part, low, high) for kind, part in spans.items()}
            edges = {low, high, *(edge for part in parts.values() for span in part for edge in span)}
            for start, end in pairwise(sorted(edges)):
                labels = frozenset(kind for kind, part in parts.items() if any(s <= start < e for s, e in part))
                pieces.append((text[start - offset : end - offset], labels))
            last = high
        return pieces


@dataclass(frozen=True, slots=True)
class InspectedExample:
    """An example of a run. `scores` are those that it has by itself; `failure` says why it has no prediction.

    `characters` is the document's length, None where the document cannot be read; `missing` then says why. `answers`
    are the spans where a reference occurs in the document word by word, `evidence` the gold spans, `evidence_counts`
    how much of them was left at each stage (`Prediction.evidence`).
    """

    run: Path
    task: str
    id: str
    document: str
    query: str
    prediction: str
    references: Sequence[str]
    scores: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    truncated_tokens: int = 0
    passages: Sequence[InspectedPassage] = ()
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()
    characters: int | None = None
    missing: str = ""
    failure: str = ""
    outputs: Mapping[str, int] = field(default_factory=dict)
    evidence_counts: Mapping[str, int] = field(default_factory=dict)
    judge: str = ""
    thinking: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def map(self, width: int = MAP) -> str:
        """The document as a line: what was shown, where answers and evidence are. Empty where it is missing."""
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
        """Everything but the passages, as name and text."""
        scores = ", ".join(f"{name} {value:.2f}" for name, value in self.scores.items())
        cost = f"{self.tokens_in:,} in, {self.tokens_out:,} out, {counted(self.requests, 'request')}"
        rows = [
            ("question", self.query),
            ("failed", self.failure),
            ("prediction", "" if self.failure else _clipped(self.prediction) or "(empty)"),
            ("outputs", ", ".join(f"{count} {kind}" for kind, count in self.outputs.items())),
            *(("reference", _clipped(reference)) for reference in self.references),
            ("scores", scores),
            ("judge", _clipped(self.judge)),
            ("tokens", "" if self.failure else cost),
            ("thinking", self._thinking_text()),
            ("cut", f"{self.truncated_tokens:,} prompt tokens went, over the limit" if self.truncated_tokens else ""),
            *(
                (f"note {name}", _clipped(path_text(note) if name == "path" else note))
                for name, note in self.notes.items()
            ),
            ("evidence", self._evidence()),
            ("document", f"{self.document}, {self.characters:,} characters" if self.characters else self.document),
            ("no text", self.missing),
        ]
        return [(name, text) for name, text in rows if text]

    def _thinking_text(self) -> str:
        """How much the model thought; its words are in the log of replies."""
        tokens, words = (self.thinking.get(name, 0) for name in ("tokens", "words"))
        parts = [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{counted(words, 'word')}, in requests.jsonl"] if words else []
        return ", ".join(parts)

    def _evidence(self) -> str:
        """How much of the gold evidence was shown, and where its chunks ranked."""
        counts = self.evidence_counts
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
        lines = [f"{self.task}: {self.id}"]
        lines += [f"  {name:<10} {text}".replace("\n", f"\n{'':13}") for name, text in self.facts()]
        if self.characters:
            lines += [f"  {'map':<10} {self.map()}", f"  {'':<10} {MAP_LEGEND}", "", LEGEND]
        for passage in self.passages[:PASSAGES]:
            lines += ["", passage.headline, *([marked(passage.pieces())] if passage.text is not None else [])]
        if hidden_count := len(self.passages) - PASSAGES:
            lines += (
                ["", f"… and {counted(hidden_count, 'more passage')} (--json has them)"] if hidden_count > 0 else []
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ExampleList:
    """The examples of a run in the order of the data, as (id, query, prediction); failed ones last, with the reason."""

    run: Path
    task: str
    rows: Sequence[tuple[str, str, str]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        examples = [dict(zip(("id", "query", "prediction"), row, strict=True)) for row in self.rows]
        return {"run": str(self.run), "task": self.task, "examples": examples}

    def __str__(self) -> str:
        """One line per example."""
        width = max((len(row[0]) for row in self.rows), default=0)
        lines = [f"{name:<{width}}  {_line(query, 60)} → {_line(outcome, 60)}" for name, query, outcome in self.rows]
        return "\n".join([*lines, f"{counted(len(lines), 'example')}; one of them: longdoc show {self.run} ID"])


def marked(pieces: Sequence[Piece]) -> str:
    """Pieces as plain text: `▸passage◂`, `«answer»`, `[[evidence]]`."""
    signs = {"passage": ("▸", "◂"), "evidence": ("[[", "]]"), "answer": ("«", "»")}
    parts: list[str] = []
    open_labels: frozenset[str] = frozenset()
    for text, labels in [*pieces, ("", frozenset[str]())]:
        if "left out" in labels:
            labels = open_labels  # a gap ends nothing
        parts += [close for kind, (_, close) in reversed(signs.items()) if kind in open_labels - labels]
        parts += [begin for kind, (begin, _) in signs.items() if kind in labels - open_labels]
        parts.append(terminal.visible(text))
        open_labels = labels
    return "".join(parts)


def between(spans: Sequence[Span], low: int, high: int) -> list[Span]:
    """The parts of the spans within [low, high)."""
    return [(max(start, low), min(end, high)) for start, end in spans if start < high and end > low]


def _printed_spans(passage: InspectedPassage) -> list[Span]:
    """What is printed of a passage and its surroundings: all of a short one, else its ends, answers and evidence."""
    low, high = passage.start - len(passage.before), passage.end + len(passage.after)
    if passage.end - passage.start <= LONG:
        return [(low, high)]
    ends = [(low, passage.start + AROUND), (passage.end - AROUND, high)]
    marks = [*passage.answers[:PASSAGES], *passage.evidence[:PASSAGES]]
    surroundings = [(max(start - AROUND // 2, low), min(end + AROUND // 2, high)) for start, end in marks]
    return merged([*ends, *surroundings])


def _cells(spans: Any, length: int, width: int) -> set[int]:
    """The characters of a map of `width` that spans of a text of `length` fall on."""
    return {
        cell
        for start, end in spans
        if end > start
        for cell in range(start * width // length, (end - 1) * width // length + 1)
    }


def _clipped(text: str, maximum: int = 2000) -> str:
    hidden_count = len(text) - maximum
    return text if hidden_count <= 0 else f"{text[:maximum]}… and {hidden_count:,} more characters (--json has them)"


def _line(text: str, maximum: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= maximum else line[: maximum - 1] + "…"
