"""What `show` gives back: one example of a run with its passages in their document, printed for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from pipelines.metrics.evidence_recall import merged
from pipelines.records import Span
from pipelines.results.display import terminal

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
    None where the document is missing. `answers` and `evidence` are spans of the document within all three. `where` is
    its page, chapter, section or time, if its file has such.
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
    where: str = ""

    @property
    def heading(self) -> str:
        """Where it stands, in the prompt and in the document."""
        rank = "found by a further search" if self.rank is None else f"rank {self.rank}, score {self.score:.4g}"
        left = sum(end - start for start, end in self.shown)
        cut = "" if left == self.end - self.start else f", {left:,} of {self.end - self.start:,} characters shown"
        where = f"{self.where}, " if self.where else ""
        return f"[{self.place}] {rank}, {where}characters {self.start:,}–{self.end:,}{cut if left else ', cut away'}"

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
            within = {kind: between(part, low, high) for kind, part in spans.items()}
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
    truncated_tokens: int = 0
    passages: Sequence[SeenPassage] = ()
    answers: Sequence[Span] = ()
    evidence: Sequence[Span] = ()
    characters: int | None = None
    missing: str = ""
    failure: str = ""
    outputs: Mapping[str, int] = field(default_factory=dict)

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
            ("outputs", ", ".join(f"{count} {kind}" for kind, count in self.outputs.items())),
            *(("reference", _clipped(reference)) for reference in self.references),
            ("figures", figures),
            ("tokens", "" if self.failure else cost),
            ("cut", f"{self.truncated_tokens:,} prompt tokens went, over the limit" if self.truncated_tokens else ""),
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
        parts.append(terminal.visible(text))
        open_ = kinds
    return "".join(parts)


def between(spans: Sequence[Span], low: int, high: int) -> list[Span]:
    """The spans as far as they lie in [low, high)."""
    return [(max(start, low), min(end, high)) for start, end in spans if start < high and end > low]


def _kept(passage: SeenPassage) -> list[Span]:
    """What is printed of a passage and its surroundings: all of a short one, else its ends and what is marked."""
    low, high = passage.start - len(passage.before), passage.end + len(passage.after)
    if passage.end - passage.start <= LONG:
        return [(low, high)]
    ends = [(low, passage.start + AROUND), (passage.end - AROUND, high)]
    marks = [*passage.answers[:PASSAGES], *passage.evidence[:PASSAGES]]
    near = [(max(start - AROUND // 2, low), min(end + AROUND // 2, high)) for start, end in marks]
    return merged([*ends, *near])


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
