"""The share of predictions that a model, the judge, calls right (`judge=`, Zheng et al. 2023).

A reply that is neither yes nor no is asked for once more; after that the prediction is unjudged. An empty prediction is
wrong, and the judge is not asked. With n predictions, j of them judged and r of these right: judged = 100 · r / j,
judged_of_all = 100 · r / n (unjudged ones count as wrong), judged_coverage = 100 · j / n.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from pipelines.metrics import Metric, NotComputable, Row
from pipelines.records import Example

NAME = "judged"


@dataclass(frozen=True)
class Judged(Metric):
    """The verdicts of a judge as scores "judged", "judged_of_all" and "judged_coverage", 0–100.

    `judge` names the model with a digest of its settings, `prompt` says whose words it was asked in, with a digest of
    them. `verdicts` are the rows by example; a record of a run has them with its predictions.
    """

    scores_unanswerable = True
    bootstrap_on = "mean row"
    lacking = "no reply of the judge was yes or no"

    judge: str = ""
    prompt: str = ""
    verdicts: Mapping[str, Row] = field(default_factory=dict, init=False, compare=False)

    @property
    def signature(self) -> str:
        """The judge, its prompt, and how its replies are read."""
        judge = f"judge:{self.judge}|judge_prompt:{self.prompt}"
        return f"{NAME}|{judge}|reply:yes or no, or true or false, or correct or incorrect|again:once|empty:wrong"

    def with_verdicts(self, verdicts: Mapping[str, Row]) -> "Judged":
        """A copy with the verdicts as rows by example id."""
        metric = Judged(self.judge, self.prompt)
        object.__setattr__(metric, "verdicts", verdicts)
        return metric

    def prepare(self) -> None:
        """Raises `NotComputable` if there is no judge."""
        if not self.judge:
            raise NotComputable("judged needs a judge: set judge=MODEL (--judge MODEL) instead of naming this metric")

    def has_row(self, id: str) -> bool:
        """Whether the example has a verdict."""
        return id in self.verdicts

    def statistics(self, prediction: str, example: Example) -> Row:
        """The verdict: "right" and "judged" are 0 or 1, "examples" is 1."""
        return self.verdicts[example.id]

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """ "unjudged" for rows without a verdict, which the share of judged predictions leaves out."""
        return ["unjudged" if score == NAME and not row["judged"] else "" for row in rows]

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The shares; empty where no prediction was judged."""
        right, judged, examples = (fsum(row[name] for row in rows) for name in ("right", "judged", "examples"))
        if not judged:
            return {}
        return {
            NAME: 100 * right / judged,
            "judged_of_all": 100 * right / examples,
            "judged_coverage": 100 * judged / examples,
        }


def row(right: bool | None) -> dict[str, float]:
    """The row of a verdict; None is unjudged."""
    return {"right": float(right is True), "judged": float(right is not None), "examples": 1.0}
