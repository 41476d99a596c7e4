"""How well references agree: each in turn stands for a prediction and is scored against the others.

ZeroSCROLLS estimates human performance so (Shaham et al. 2023, section 4.1: SQuALITY after Wang et al. 2022,
Qasper, NarrativeQA). The paper does not say how turns are averaged. Here every example has the same weight: in turn t,
reference t mod n of an example's n is the prediction, over as many turns as use all references equally often (the
least common multiple of all n), and a score is the mean over turns. Wang et al. score with stemming, and so is the
paper's 23.6 for SQuALITY: `rouge:stemming=true` stands beside it, the task's own `rouge` about a point lower.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines import sources, tasks
from pipelines.display.table import Column, Score, Table
from pipelines.display.view import View
from pipelines.engine.planning.argument_types import DataSpec, MetricsSpec, TaskSpec
from pipelines.engine.planning.metric_names import named_metrics
from pipelines.engine.planning.options import check_values
from pipelines.engine.planning.sampling import limited_examples
from pipelines.metrics import Metric, NotComputable, Row
from pipelines.records import Example
from pipelines.results.scores import Scored, Scores

NOT_OF_PREDICTION = "it does not score the prediction, but what a run selects or notes"
TURNS = 10_000  # at most; only examples with dozens of references beside others would need more


@dataclass(frozen=True, slots=True)
class Agreement(View, Scored):
    """What references score against each other, 0–100 with signatures, over `scored` of the `examples`.

    The other examples have fewer than two references. `references` counts those of the scored ones.
    """

    task: str
    split: str
    scores: Scores
    examples: int
    scored: int
    references: int
    warnings: Sequence[str] = ()

    KEYS: ClassVar[Sequence[str]] = (
        "task", "split", "scores", "scores.signatures", "scores.not_computed", "examples", "scored", "references",
        "warnings",
    )  # fmt: skip

    def tables(self) -> list[Table]:
        """The scores with their signatures, and the number of scored examples."""
        columns = (
            Column("metric", lambda name: name),
            Column("score", lambda name: Score(self.scores[name]), "right"),
        )
        counts = f"{self.scored} of {counted(self.examples, 'example')} have two or more"
        notes = [f"{counts}, {counted(self.references, 'reference')} in all"]
        notes += [f"{name}: {signature}" for name, signature in self.scores.signatures.items()]
        notes += [f"{name}: not computed: {reason}" for name, reason in self.scores.not_computed.items()]
        notes += [f"warning: {warning}" for warning in self.warnings]
        caption = f"{self.task}: one reference against the others, split {self.split}"
        return [Table(caption, columns, list(self.scores), tuple(notes))]


@checks_names
def agreement(
    task: TaskSpec,
    *,
    data: DataSpec | None = None,
    split: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    metrics: MetricsSpec | None = None,
    revision: str | None = None,
    seed: int = 0,
) -> Agreement:
    """Score each reference of a task's examples against the example's others, by the task's metrics.

    Arguments are those of `pipelines.run`. Raises `UserError`, also where no example has two references.
    """
    check_values({"limit": limit, "sample": sample, "seed": seed})
    chosen_task = tasks.get(task)
    split = split or chosen_task.split
    dataset = sources.load(chosen_task.name, chosen_task.dataset, data, split, revision)
    examples = list(limited_examples(dataset, limit, sample, seed))
    scored_examples = [example for example in examples if len(example.references) > 1]
    if not scored_examples:
        raise UserError(
            f"{chosen_task.name}, split {split}: none of {len(examples)} examples has two or more references, "
            "so there is nothing to compare"
        )
    return Agreement(
        task=chosen_task.name,
        split=split,
        scores=_scores(named_metrics(metrics or chosen_task.metrics, chosen_task.metrics), scored_examples),
        examples=len(examples),
        scored=len(scored_examples),
        references=sum(len(example.references) for example in scored_examples),
        warnings=tuple(dict.fromkeys(dataset.warnings)),
    )


def _scores(metrics: Mapping[str, Metric], examples: Sequence[Example]) -> Scores:
    """Scores with their signatures, and the reasons of metrics that are not computed.

    A name that an earlier metric has (`rouge` beside `rouge:stemming=true`) is followed by the metric's name.
    """
    scores: dict[str, float] = {}
    signatures: dict[str, str] = {}
    not_computed: dict[str, str] = {}
    for name, metric in metrics.items():
        try:
            if metric.target != "prediction":
                raise NotComputable(NOT_OF_PREDICTION)
            metric.prepare()
        except NotComputable as error:
            not_computed[name] = str(error)
            continue
        means = _mean_over_turns(metric, [_rows(metric, example) for example in examples])
        new_scores = {f"{key} ({name})" if key in scores else key: mean for key, mean in means.items()}
        scores |= new_scores
        signatures |= dict.fromkeys(new_scores, metric.signature)
        if not new_scores:
            not_computed[name] = "the references lack what it needs"
    return Scores(scores, signatures=signatures, not_computed=not_computed)


def _rows(metric: Metric, example: Example) -> list[Row]:
    """The statistics of each reference, scored against the others."""
    references = example.references
    return [
        metric.statistics(reference, replace(example, references=references[:i] + references[i + 1 :]))
        for i, reference in enumerate(references)
    ]


def _mean_over_turns(metric: Metric, rows: Sequence[Sequence[Row]]) -> dict[str, float]:
    """The metric's scores, each the mean over turns; `rows` has the statistics of each example's references."""
    turns = min(math.lcm(*(len(row) for row in rows)), TURNS)
    scores = [metric.aggregate([row[turn % len(row)] for row in rows]) for turn in range(turns)]
    return {
        name: math.fsum(score[name] for score in scores) / turns
        for name in scores[0]
        if all(name in score for score in scores)
    }
