"""How well references agree: each in turn stands for a prediction and is scored against the others.

So is human performance estimated in ZeroSCROLLS (Shaham et al. 2023, section 4.1: SQuALITY after Wang et al. 2022,
Qasper, NarrativeQA). The paper does not say how turns are averaged. Here every example weighs alike: in turn t the
reference t mod n of an example's n is the prediction, over as many turns as bring each as often as its neighbours (the
least common multiple of all n), and a figure is the mean over turns. Wang et al. score with stemming, and so is the
paper's 23.6 for SQuALITY: `rouge:stemming=true` stands beside it, the task's own `rouge` about a point lower.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from pipelines import metrics as scorers
from pipelines import sources, tasks
from pipelines.engine.sampling import drawn
from pipelines.metrics import NotComputable, Row
from pipelines.records import Example

ELSEWHERE = "not of the prediction: it measures what a run selects or notes"
TURNS = 10_000  # more need an example with dozens of references beside others


@dataclass(frozen=True, slots=True)
class Agreement:
    """What references score against each other, 0–100 with signatures, over `scored` of the `examples`.

    The other examples have fewer than two references. `references` counts those of the scored ones.
    """

    task: str
    split: str
    scores: Mapping[str, float]
    signatures: Mapping[str, str]
    not_computed: Mapping[str, str]
    examples: int
    scored: int
    references: int
    warnings: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """The scores with their signatures, and of how many examples they are."""
        width = max(map(len, self.scores), default=0)
        lines = [f"{self.task}: one reference against the others, split {self.split}"]
        lines += [f"  {self.scored} of {self.examples} examples have two or more, {self.references} references in all"]
        lines += [f"  {name:<{width}} {value:7.2f}   {self.signatures[name]}" for name, value in self.scores.items()]
        lines += [f"  {name}: not computed: {reason}" for name, reason in self.not_computed.items()]
        return "\n".join(lines + [f"  warning: {warning}" for warning in self.warnings])


def agreement(
    task: Any,
    *,
    data: Any = None,
    split: str | None = None,
    limit: int | None = None,
    sample: int | None = None,
    metrics: Sequence[Any] | str | None = None,
    revision: str | None = None,
    seed: int = 0,
) -> Agreement:
    """Score each reference of a task's examples against the example's others, by the task's metrics.

    Arguments are those of `pipelines.run`. Raises `UserError`; where no example has two references, saying so.
    """
    chosen = tasks.get(task)
    wanted = split or chosen.split
    opened = sources.load(chosen.name, chosen.dataset, data, wanted, revision)
    every = _examples(opened, limit, sample, seed)
    several = [example for example in every if len(example.references) > 1]
    if not several:
        raise UserError(
            f"{chosen.name}, split {wanted}: none of {len(every)} examples has two or more references, "
            "so there is nothing to compare"
        )
    figures, signatures, lacking = _scored(_made(metrics or chosen.metrics), several)
    return Agreement(
        task=chosen.name,
        split=wanted,
        scores=figures,
        signatures=signatures,
        not_computed=lacking,
        examples=len(every),
        scored=len(several),
        references=sum(len(example.references) for example in several),
        warnings=tuple(dict.fromkeys(opened.warnings)),
    )


def _examples(opened: sources.Dataset, limit: int | None, sample: int | None, seed: int) -> list[Example]:
    if limit is not None and sample is not None:
        raise UserError("limit and sample cannot be given together: choose one")
    for name, count in (("limit", limit), ("sample", sample)):
        if count is not None and count < 1:
            raise UserError(f"{name} must be a whole number of at least 1, got {count!r}")
    chosen = None
    if sample is not None:
        chosen = drawn(((one.document.id, one.id) for one in opened.examples()), sample, seed)
    return [one for one in islice(opened.examples(), limit) if chosen is None or one.id in chosen]


def _made(wanted: Sequence[Any] | str) -> dict[str, Any]:
    named = [wanted] if isinstance(wanted, (str, Mapping)) else wanted
    made = [(name, scorers.get(name)) for name in named]
    return {name if isinstance(name, str) else metric.signature: metric for name, metric in made}


def _scored(
    wanted: Mapping[str, Any], examples: Sequence[Example]
) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    """Figures and signatures by key, and the reasons of metrics that are not computed.

    A key that an earlier metric has (`rouge` beside `rouge:stemming=true`) is followed by the metric's name.
    """
    figures: dict[str, float] = {}
    signatures: dict[str, str] = {}
    lacking: dict[str, str] = {}
    for name, metric in wanted.items():
        try:
            if metric.target != "prediction":
                raise NotComputable(ELSEWHERE)
            metric.prepare()
        except NotComputable as error:
            lacking[name] = str(error)
            continue
        means = _mean_over_turns(metric, [_rows(metric, example) for example in examples])
        found = {f"{key} ({name})" if key in figures else key: value for key, value in means.items()}
        figures |= found
        signatures |= dict.fromkeys(found, metric.signature)
        if not found:
            lacking[name] = "these references do not say what it needs"
    return figures, signatures, lacking


def _rows(metric: Any, example: Example) -> list[Row]:
    """Of each reference, scored against the others."""
    golds = example.references
    return [
        metric.statistics(gold, replace(example, references=golds[:i] + golds[i + 1 :])) for i, gold in enumerate(golds)
    ]


def _mean_over_turns(metric: Any, rows: Sequence[Sequence[Row]]) -> dict[str, float]:
    turns = min(math.lcm(*(len(each) for each in rows)), TURNS)
    found = [metric.aggregate([each[turn % len(each)] for each in rows]) for turn in range(turns)]
    return {
        key: math.fsum(figures[key] for figures in found) / turns
        for key in found[0]
        if all(key in figures for figures in found)
    }
