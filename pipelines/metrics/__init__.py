"""One metric per file; `pipelines.metrics.get("f1").score(predictions, references)`. All scores on the scale 0–100."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from longdoc import extensions
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from longdoc.registry import Registry
from pipelines.records import Document, Example, is_unanswerable

Row = Mapping[str, float]
SHOWN_ANSWER = "shown_answer"  # the target of metrics of an output and of what was shown for it
SELECTION_TARGETS = ("selection", "spans", "evidence_chunks")  # targets that no reader's output decides
EVIDENCE_NAMES = ("evidence_recall", "full_evidence", "evidence_precision", "evidence_iou")


@runtime_checkable
class MetricPackage(Protocol):
    """A benchmark's package of metrics with presets (names for `NAME:ARGS`) and hidden names, which lists leave out."""

    PRESETS: Mapping[str, str]
    HIDDEN: Sequence[str]


class NotComputable(Exception):
    """A metric cannot be computed here; the message says why, and which command helps."""


class Metric(ABC):
    """Base class of metrics: `statistics` per example, `aggregate` over them; the bootstrap resamples the rows between.

    A subclass defines `signature`, `statistics` and `aggregate`, and overrides the attributes in which it differs:
    - `target`: what is scored: the model's "prediction", the "selection" (the text of the selected passages is passed
      as the prediction) or its "spans" (`[[start, end], …]` in code points of the document), the "shown_answer" (both,
      `{"prediction": …, "spans": …}`), or a strategy's further output by its name (`strategies.Outcome.notes`).
    - `needs_example`: whether `statistics` reads more of the example than its references and its query: the document,
      the evidence, the metadata.
    - `needs_references`: whether examples without references are left out. `lacking` says why a metric has no score
      where `aggregate` gives none.
    - `scores_unanswerable`: whether it has a rule for questions that have no answer (`records.NO_ANSWER`); they are
      left out otherwise.
    - `counts_refused`: whether examples for which a system gave no output at all have a row, that of an empty output:
      for metrics that tell unanswered examples from wrong ones.
    - `bootstrap_on`: what the bootstrap may compute scores from: "means" where each score is the mean of the rows'
      numbers of its name, "mean row" where aggregating the mean of `summable(rows)` gives the scores of `rows`, else
      the resampled "rows" themselves.
    """

    target: str = "prediction"
    needs_example: bool = False
    needs_references: bool = True
    scores_unanswerable: bool = False
    counts_refused: bool = False
    lacking: str = "the references lack what it needs"
    bootstrap_on: Literal["means", "mean row", "rows"] = "rows"

    @property
    @abstractmethod
    def signature(self) -> str:
        """All settings and versions that determine the score, as in sacrebleu: `name|key:value|…`."""

    @abstractmethod
    def statistics(self, prediction: str, example: Example) -> Row:
        """The example's numbers by name. `example` has at least one reference, unless `needs_references` is False."""

    @abstractmethod
    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The corpus scores by name, 0–100; empty for no rows."""

    def takes(self, references: Sequence[str]) -> bool:
        """Whether examples with these references are scored."""
        if not self.needs_references:
            return True
        return self.scores_unanswerable if is_unanswerable(references) else bool(references)

    def of_file(self) -> "Metric":
        """The metric to use for a file of predictions, in which an empty text may be a refusal; by default itself."""
        return self

    def has_row(self, id: str) -> bool:
        """Whether an example can be scored now; False where a judge's verdict is missing."""
        return True

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """For each row, why it is left out of the score `score`; empty for rows that count."""
        return [""] * len(rows)

    def prepare(self) -> None:  # noqa: B027 most metrics need nothing
        """Load what the metric needs. Raises `NotComputable` with the command that installs it."""

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows in a form that can be averaged and that `aggregate` accepts; by default the rows themselves."""
        return rows

    def score(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, float]:
        """The corpus scores of predictions against lists of references. Raises `UserError`, `NotComputable`."""
        self.prepare()
        pairs = zip(predictions, examples(predictions, references), strict=True)
        return self.aggregate([self.statistics(prediction, example) for prediction, example in pairs])


def examples(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Example]:
    """Examples with references only. Raises `UserError` for lists of different lengths and for invalid references."""
    if len(predictions) != len(references):
        raise UserError(f"{len(predictions)} predictions but {len(references)} lists of references")
    for number, row in enumerate(references):
        if isinstance(row, str) or not row:
            raise UserError(f"references[{number}] must be a non-empty list of strings, got {row!r}")
    document = Document("", "")
    return [Example(str(i), document, references=tuple(row)) for i, row in enumerate(references)]


_PACKAGES = [package for package in extensions.parts("metrics") if isinstance(package, MetricPackage)]
registry: Registry[Metric] = Registry(
    __name__,
    "metric",
    contract=Metric,
    plural="metrics",
    presets={
        "bleu-1": "bleu:n=1",
        "bleu-4": "bleu:n=4",
        "rouge-l": "rouge_l",
        "exact_match_hard": "hard:exact_match",
        "choice_accuracy_hard": "hard:choice_accuracy",
        **{name: spec for package in _PACKAGES for name, spec in package.PRESETS.items()},
    },
    hidden=("bleu", "rouge_l", "hard", "judged", "labels", *(name for package in _PACKAGES for name in package.HIDDEN)),
    example="metrics=['f1']",
)


def get(spec: Any, /, **fields: Any) -> Metric:
    """The metric for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def recorded(file: Path, specs: Mapping[str, Any]) -> tuple[dict[str, Metric], dict[str, str]]:
    """The metrics in a run's record `file`, and the reasons why others cannot be restored, each by name.

    The record is data, and may name only registered metrics (`longdoc.allowed_code`).
    """
    metrics: dict[str, Metric] = {}
    reasons: dict[str, str] = {}
    for name, spec in specs.items():
        if isinstance(spec, Mapping) and spec.get("repeatable") is False:
            reasons[name] = "it was given as an object, which the run's record does not hold"
            continue
        try:
            metrics[name] = get(marked_with_file(spec, str(file)))
        except UserError as error:
            reasons[name] = str(error)
    return metrics, reasons


def names() -> list[str]:
    """The names of all metrics."""
    return registry.names()
