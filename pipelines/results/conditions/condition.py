"""What `pipelines.versus` returns: a row for each condition, compared with the whole document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from longdoc.plain_values import Record
from pipelines.display.table import Table, html, plain_text
from pipelines.results import frames
from pipelines.results.scores import Scores
from pipelines.statistics.difference import Difference

Kind = Literal["whole", "retrieval", "oracle", "closed book", "other"]
CONDITION_KINDS: tuple[Kind, ...] = get_args(Kind)  # "other": who made it says what


@dataclass(frozen=True, slots=True)
class Condition(Record):
    """A condition, that is a way to read the documents: what it scores, on how many examples, at what expense.

    `line` joins the points of one plot line: the retriever; `amount` is how much it selected, as typed (`k=5`,
    `select=300`), empty for conditions without a budget. `scores` and `intervals` are over the examples that have an
    answer, `covered` of them count for the primary score; `common` over those that all conditions cover; `differences`
    are from the baseline, over these too. `missing` counts by reason the examples that are not covered: without an
    answer, or, where a score is of pairs, in a pair that lacks one. `cut` counts the examples whose prompt was cut.

    `tokens_in` and `tokens_out` are of all requests, `tokens_mean` the prompt tokens of an example with a reply; None
    where predictions do not say. `cost` is None where the reader has no prices. `folder` is the run's, None for a file
    of predictions, whose name is `source`. A condition that failed has `error` and no scores. `same_as` names an
    earlier condition that asked and answered the very same.
    """

    name: str
    kind: Kind
    line: str = ""
    amount: str = ""
    scores: Scores = field(default_factory=Scores)
    common: Mapping[str, float] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    covered: int = 0
    documents: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0
    requests: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_mean: float | None = None
    words_shown: float | None = None
    cost: float | None = None
    same_as: str | None = None
    recipe: str = ""
    folder: Path | None = None
    source: str = ""
    error: str | None = None

    KEYS: ClassVar[Sequence[str]] = (
        "name", "kind", "line", "amount", "scores", "scores.intervals", "scores.no_interval", "scores.signatures",
        "common", "differences", "covered", "documents", "missing", "cut", "requests", "tokens_in", "tokens_out",
        "tokens_mean", "words_shown", "cost", "same_as", "recipe", "folder", "source", "error",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConditionTable(Record):
    """The conditions of one task, side by side. `primary_metric` names the score that table and plot show.

    `baseline` is the condition that the others are compared with: the whole document, else the first. `examples` and
    `documents` are all that some condition was asked about, `common_examples` and `common_documents` those that every
    condition answered: scores in `Condition.common`, differences and p are over them.
    """

    task: str
    split: str
    primary_metric: str
    baseline: str
    ways: Sequence[Condition]
    examples: int
    documents: int
    common_examples: int
    common_documents: int
    folder: Path | None = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    seconds: float | None = field(default=None, compare=False)

    def __getitem__(self, name: str) -> Condition:
        """The condition of a name."""
        return next(condition for condition in self.ways if condition.name == name)

    @property
    def location(self) -> str:
        """The folder, and the time that it took."""
        return f"in {self.folder}" + ("" if self.seconds is None else f", {self.seconds:.1f} s")

    @property
    def finished(self) -> list[Condition]:
        """The conditions that have the primary score."""
        return [condition for condition in self.ways if self.primary_metric in condition.scores]

    def table(self) -> Table:
        """The conditions side by side."""
        from pipelines.results.conditions import condition_tables

        return condition_tables.table(self)

    def plot(self, path: str | Path) -> None:
        """Plot the score against prompt tokens, a line for each retriever: PNG, SVG or PDF.

        Raises `UserError` without matplotlib.
        """
        from pipelines.results.conditions import plots

        plots.write(self, Path(path))

    def rows(self) -> list[dict[str, Any]]:
        """One mapping for each condition: settings, scores with bounds, coverage, differences, expenses."""
        from pipelines.results.conditions import condition_tables

        return condition_tables.rows(self)

    def to_frame(self) -> Any:
        """A pandas data frame of `rows()`."""
        return frames.rows_frame(self.rows())

    def __str__(self) -> str:
        """The table as plain text, and the folder."""
        return "\n".join([plain_text(self.table()), *([] if self.folder is None else [f"  {self.location}"])])

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())
