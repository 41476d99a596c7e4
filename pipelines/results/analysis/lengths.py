"""How long are a task's inputs and outputs, how many documents are the same, and how much evidence is out of reach?

Shaham et al. 2022 (SCROLLS), table 1 and figure 1. An input is the question, the options and the document, without any
instruction; every reference is an output. Words are stretches without white space; tokens are counted without special
ones. Evidence is out of the reach of N tokens where it stands behind the first N tokens of the input, question and
options among them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import chunkers._units as units
from longdoc.errors import UserError
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Document, Example, Span
from pipelines.results.analysis import _plots
from pipelines.results.analysis._data import opened
from pipelines.results.analysis._numbers import HEADING, Quantiles, percent

WHITE_SPACE = "white-space"
LIMITS = (512, 1_024, 4_096, 16_384)


@dataclass(frozen=True, slots=True)
class Beyond:
    """Evidence behind the first `limit` tokens of the input, shares 0–100 of the examples that have evidence.

    `evidence` is the mean over them of the share of an example's evidence (its characters); `some` and `all` are the
    shares of examples that have some, or all, of it there.
    """

    limit: int
    evidence: float
    some: float
    all: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of a task's split.

    `values` are the numbers themselves by "input words", "output words" and, for a tokenizer, "input tokens" and
    "output tokens". `documents` differ in id; `duplicates` of them have the text of an earlier one, white space aside;
    `shared` are those that several examples ask of. `beyond` counts in tokens, or in words without a tokenizer.
    """

    task: str
    split: str
    tokenizer: str
    examples: int
    documents: int
    duplicates: int
    shared: int
    values: Mapping[str, Sequence[int]]
    with_evidence: int
    beyond: Sequence[Beyond]

    @property
    def quantiles(self) -> dict[str, Quantiles]:
        """The distributions by name, those without numbers left out."""
        return {name: found for name, numbers in self.values.items() if (found := Quantiles.of(numbers))}

    def plot(self, path: str | Path) -> None:
        """Write a box plot as PNG, SVG or PDF. Raises `UserError` without matplotlib."""
        tokens = "" if self.tokenizer == WHITE_SPACE else f", tokens of {self.tokenizer}"
        _plots.boxes(Path(path), self.values, f"{self.task}, {self.split}", f"length in words{tokens}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: the distributions, not every number."""
        apart = ("values", "beyond")
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in apart}
        kept["lengths"] = {name: found.to_dict() for name, found in self.quantiles.items()}
        return kept | {"beyond": [asdict(one) for one in self.beyond]}

    def __str__(self) -> str:
        """Counts, the distributions, and what lies beyond."""
        lines = [
            f"{self.task}, {self.split}: {self.examples:,} examples over {self.documents:,} documents",
            f"  {self.duplicates:,} documents have the text of another, {self.shared:,} have several examples",
            f"  {'':<14} {HEADING}",
            *(f"  {name:<14} {found}" for name, found in self.quantiles.items()),
        ]
        unit = "words" if self.tokenizer == WHITE_SPACE else f"tokens ({self.tokenizer})"
        if self.with_evidence:
            lines.append(
                f"  evidence beyond the first N {unit} of the input ({self.with_evidence:,} examples have any):"
            )
        lines += [
            f"  {one.limit:>8,}: {one.evidence:5.1f}% of it; some in {one.some:.1f}%, all in {one.all:.1f}% of these"
            for one in self.beyond
        ]
        return "\n".join(lines)


def lengths(task: Any, *, data: Any = None, split: str | None = None, tokenizer: str = WHITE_SPACE) -> Lengths:
    """Lengths of inputs and outputs of a task; `data` and `split` as in `run`.

    `tokenizer`: "white-space" for words alone, or a model (hub id or folder) whose tokens are counted too. Raises
    `UserError`.
    """
    chosen, of, source = opened(task, data, split)
    tally = _Tally(None if tokenizer == WHITE_SPACE else units.unit_of(_local(tokenizer)))
    for example in source.examples():
        tally.add(example)
    if not tally.examples:
        raise UserError(f"the data hold no example for {chosen.name}, split {of}")
    return Lengths(
        task=chosen.name,
        split=of,
        tokenizer=tokenizer,
        examples=tally.examples,
        documents=len(tally.asked),
        duplicates=len(tally.asked) - len(tally.texts),
        shared=sum(count > 1 for count in tally.asked.values()),
        values=tally.values,
        with_evidence=len(tally.behind[LIMITS[0]]),
        beyond=[_beyond(limit, shares) for limit, shares in tally.behind.items() if shares],
    )


@dataclass(slots=True)
class _Tally:
    """What one pass over the examples counts; a document is counted once for all its examples."""

    unit: units.Unit | None
    examples: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    texts: set[bytes] = field(default_factory=set)
    values: dict[str, list[int]] = field(default_factory=dict)
    behind: dict[int, list[float]] = field(default_factory=lambda: {limit: [] for limit in LIMITS})
    current: str | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    pieces: units.Pieces | None = None

    @property
    def _units(self) -> dict[str, units.Unit]:
        return {"words": units.Words()} | ({"tokens": self.unit} if self.unit else {})

    def add(self, example: Example) -> None:
        """One example more."""
        if example.document.id != self.current:
            self._open(example.document)
        self.examples += 1
        self.asked[example.document.id] += 1
        question = "\n".join([example.query, *example.options])
        asked = {name: unit.count(question) for name, unit in self._units.items()}
        for name, unit in self._units.items():
            self.values.setdefault(f"input {name}", []).append(asked[name] + self.sizes[name])
            self.values.setdefault(f"output {name}", []).extend(unit.counts(example.references))
        if evidence := merged(example.evidence):
            room = asked["tokens" if self.unit else "words"]
            if self.pieces is None:
                self.pieces = (self.unit or units.Words()).pieces(example.document.text)
            for limit, shares in self.behind.items():
                shares.append(_behind(evidence, self._reach(max(limit - room, 0))))

    def _open(self, document: Document) -> None:
        self.current = document.id
        self.texts.add(sha256(" ".join(document.text.split()).encode("utf-8", "surrogatepass")).digest())
        self.sizes = {name: unit.counts([document.text])[0] for name, unit in self._units.items()}
        self.pieces = None

    def _reach(self, room: int) -> int:
        """The end, in code points, of the document's first `room` tokens."""
        import numpy as np

        assert self.pieces is not None and self.pieces.before is not None  # words and tokenizers have positions
        whole = int(np.searchsorted(self.pieces.before, room, side="right")) - 1
        return int(self.pieces.spans[whole - 1, 1]) if whole else 0


def _behind(evidence: Iterable[Span], reach: int) -> float:
    """The share of the evidence's characters from `reach` on, 0–100."""
    spans = list(evidence)
    return percent(sum(end - max(start, min(reach, end)) for start, end in spans), sum(e - s for s, e in spans))


def _beyond(limit: int, shares: Sequence[float]) -> Beyond:
    some, every = (sum(share > least for share in shares) for least in (0, 100 - 1e-9))
    return Beyond(limit, sum(shares) / len(shares), percent(some, len(shares)), percent(every, len(shares)))


def _local(tokenizer: str) -> str:
    """A model that a package of ours carries is its folder; any other is named as it is."""
    from models import hub

    return str(hub.folder(tokenizer).path) if tokenizer in hub.PACKAGED else tokenizer
