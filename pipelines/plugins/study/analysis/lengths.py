"""Lengths of a task's inputs and outputs, duplicate documents, and evidence out of reach of short inputs.

Shaham et al. 2022 (SCROLLS), table 1 and figure 1. An input is the question, the options and the document, without any
instruction; every reference is an output. Words are runs without white space; tokens are counted without special
ones. Evidence is out of reach of N tokens where it comes after the first N tokens of the input, which begins with
question and options.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import chunkers.shared.units as units
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from longdoc.plain_json import plain_fields, plain_value
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.metrics.shared.gold_spans import merged
from pipelines.plugins.study.analysis._numbers import Quantiles, named_quantiles, percent, quantile_table
from pipelines.plugins.study.analysis.data import load_split, tokenizer_unit
from pipelines.records import Document, Example, Span
from pipelines.sources import DataSpec
from pipelines.tasks import TaskSpec

WHITE_SPACE = "white-space"
LIMITS = (512, 1_024, 4_096, 16_384)


@dataclass(frozen=True, slots=True)
class EvidenceBeyond:
    """Evidence after the first `limit` tokens of the input, as shares 0–100 of the examples that have evidence.

    `evidence` is the mean over them of the share of an example's evidence (its characters); `some` and `all` are the
    shares of examples that have some, or all, of it there.
    """

    limit: int
    evidence: float
    some: float
    all: float


@dataclass(frozen=True, slots=True)
class Lengths(View):
    """The lengths of a task's split.

    `values` are the numbers themselves by "input words", "output words" and, with a tokenizer, "input tokens" and
    "output tokens". `documents` counts distinct ids; `duplicates` of them have the text of an earlier one, apart from
    white space; `shared` have several examples. `beyond` counts in tokens, or in words without a tokenizer.
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
    beyond: Sequence[EvidenceBeyond]

    @property
    def quantiles(self) -> dict[str, Quantiles]:
        """The distributions by name, those without numbers left out."""
        return named_quantiles(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: the distributions, not every number."""
        fields = plain_fields(self, leave_out=("values",))
        return fields | {"lengths": plain_value(self.quantiles)}

    def tables(self) -> list[Table]:
        """The distributions, and evidence out of reach."""
        counts = f"{counted(self.examples, 'example')} over {counted(self.documents, 'document')}"
        duplicates = f"{self.duplicates:,} documents have the text of another, {self.shared:,} have several examples"
        table = quantile_table(f"{self.task}, {self.split}: {counts}", self.quantiles, [duplicates])
        return [table, *([self._beyond_table()] if self.beyond else [])]

    def _beyond_table(self) -> Table:
        unit = "words" if self.tokenizer == WHITE_SPACE else f"tokens ({self.tokenizer})"
        examples = counted(self.with_evidence, "example")
        caption = f"evidence after the first {unit} of the input, in % ({examples} with evidence)"
        columns = (
            Column("first", lambda beyond: f"{beyond.limit:,}", "right"),
            Column("of the evidence", lambda beyond: f"{beyond.evidence:.1f}", "right"),
            Column("some of it", lambda beyond: f"{beyond.some:.1f}", "right"),
            Column("all of it", lambda beyond: f"{beyond.all:.1f}", "right"),
        )
        return Table(caption, columns, self.beyond)


@checks_names
def lengths(
    task: TaskSpec, *, data: DataSpec | None = None, split: str | None = None, tokenizer: str = WHITE_SPACE
) -> Lengths:
    """Lengths of inputs and outputs of a task; `data` and `split` as in `run`.

    `tokenizer`: "white-space" for words alone, or a model (hub id or folder) whose tokens are counted too. Raises
    `UserError`.
    """
    chosen_task, split, dataset = load_split(task, data, split)
    tally = _Tally(None if tokenizer == WHITE_SPACE else tokenizer_unit(tokenizer))
    for example in dataset.examples():
        tally.add(example)
    if not tally.examples:
        raise UserError(f"the data have no example for {chosen_task.name}, split {split}")
    return Lengths(
        task=chosen_task.name,
        split=split,
        tokenizer=tokenizer,
        examples=tally.examples,
        documents=len(tally.examples_by_document),
        duplicates=len(tally.examples_by_document) - len(tally.texts),
        shared=sum(count > 1 for count in tally.examples_by_document.values()),
        values=tally.values,
        with_evidence=len(tally.beyond[LIMITS[0]]),
        beyond=[_evidence_beyond(limit, shares) for limit, shares in tally.beyond.items() if shares],
    )


@dataclass(slots=True)
class _Tally:
    """The counts of one pass over the examples; a document is counted once for all its examples."""

    unit: units.Unit | None
    examples: int = 0
    examples_by_document: Counter[str] = field(default_factory=Counter)
    texts: set[bytes] = field(default_factory=set)
    values: dict[str, list[int]] = field(default_factory=dict)
    beyond: dict[int, list[float]] = field(default_factory=lambda: {limit: [] for limit in LIMITS})
    document_id: str | None = None  # of the last example
    document_sizes: dict[str, int] = field(default_factory=dict)
    pieces: units.Pieces | None = None  # of that document

    @property
    def _units(self) -> dict[str, units.Unit]:
        return {"words": units.Words()} | ({"tokens": self.unit} if self.unit else {})

    def add(self, example: Example) -> None:
        """Count one example."""
        if example.document.id != self.document_id:
            self._start_document(example.document)
        self.examples += 1
        self.examples_by_document[example.document.id] += 1
        question = "\n".join([example.query, *example.options])
        question_sizes = {name: unit.count(question) for name, unit in self._units.items()}
        for name, unit in self._units.items():
            self.values.setdefault(f"input {name}", []).append(question_sizes[name] + self.document_sizes[name])
            self.values.setdefault(f"output {name}", []).extend(unit.counts(example.references))
        if evidence := merged(example.evidence):
            question_size = question_sizes["tokens" if self.unit else "words"]
            if self.pieces is None:
                self.pieces = (self.unit or units.Words()).pieces(example.document.text)
            for limit, shares in self.beyond.items():
                shares.append(_share_beyond(evidence, self._reach(max(limit - question_size, 0))))

    def _start_document(self, document: Document) -> None:
        self.document_id = document.id
        self.texts.add(sha256(" ".join(document.text.split()).encode("utf-8", "surrogatepass")).digest())
        self.document_sizes = {name: unit.counts([document.text])[0] for name, unit in self._units.items()}
        self.pieces = None

    def _reach(self, tokens: int) -> int:
        """The end, in code points, of the document's first `tokens` tokens."""
        import numpy as np

        assert self.pieces is not None and self.pieces.before is not None  # words and tokenizers have positions
        token_count = int(np.searchsorted(self.pieces.before, tokens, side="right")) - 1
        return int(self.pieces.spans[token_count - 1, 1]) if token_count else 0


def _share_beyond(evidence: Iterable[Span], reach: int) -> float:
    """The share of the evidence's characters from `reach` on, 0–100."""
    spans = list(evidence)
    return percent(sum(end - max(start, min(reach, end)) for start, end in spans), sum(e - s for s, e in spans))


def _evidence_beyond(limit: int, shares: Sequence[float]) -> EvidenceBeyond:
    """The record of a limit; `shares` are those of each example's evidence that is beyond it, 0–100."""
    some_count, all_count = (sum(share > threshold for share in shares) for threshold in (0, 100 - 1e-9))
    return EvidenceBeyond(
        limit, sum(shares) / len(shares), percent(some_count, len(shares)), percent(all_count, len(shares))
    )
