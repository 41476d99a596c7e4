"""A condition of `versus`: a cell whose run is a way to read the documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pipelines.results.comparisons.cell import Cell
from pipelines.results.run_folders.schema import Kind


@dataclass(frozen=True, slots=True)
class Condition(Cell):
    """A way to read the documents, with its scores, its coverage and its expense.

    `line` joins the points of one plot line: the retriever; `amount` is how much it selected, as typed (`k=5`,
    `300 words`), empty for conditions without a budget. The `run` and its scores are over the examples that have an
    answer, `covered` of them count for the primary score; `common` and `differences`, from the baseline, are over those
    that all conditions cover. `missing` counts by reason the examples that are not covered: without an answer, or, if
    the score is of pairs, in a pair that lacks one. `cut` counts the examples whose prompt was cut.

    `tokens_in` and `tokens_out` are of all requests, `tokens_mean` the prompt tokens of an example with a reply; None
    where predictions do not say. `answers_anyway` is the share of unanswerable questions that were answered, 0–100,
    None where all have an answer. `cost` is None where the reader has no prices. `folder` is the run's, None for a file
    of predictions, whose name is `source`. A condition that failed has `error` and no scores. `same_as` names an
    earlier condition that asked and answered the very same.
    """

    kind: Kind = "other"
    line: str = ""
    amount: str = ""
    common: Mapping[str, float] = field(default_factory=dict)
    covered: int = 0
    documents: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0
    requests: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_mean: float | None = None
    words_shown: float | None = None
    answers_anyway: float | None = None
    cost: float | None = None
    source: str = ""

    KEYS: ClassVar[Sequence[str]] = (
        "name", "kind", "line", "amount", "scores", "intervals", "no_interval", "signatures",
        "common", "differences", "covered", "documents", "missing", "cut", "requests", "tokens_in", "tokens_out",
        "tokens_mean", "words_shown", "answers_anyway", "cost", "same_as", "recipe", "folder", "source", "error",
    )  # fmt: skip
