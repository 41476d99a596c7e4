"""A reader's time for a whole run, from a few examples that it answers: spread over the lengths of their prompts.

The examples are a beginning of the run itself: their replies and predictions are logged in the run's folder, where the
run goes on. The first one is not timed, since the reader loads its weights. The others are asked in groups of similar
length, as a run asks; seconds per prompt token are interpolated between the groups, and added up over all examples.
"""

import time
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from longdoc.errors import UserError
from longdoc.registry import name_of
from models.reader import StreamingReader
from pipelines.engine.engines import Engine
from pipelines.engine.inference.inference import Inference
from pipelines.engine.planning.plan import Plan
from pipelines.engine.running.active_run import ActiveRun
from pipelines.records import Example
from pipelines.results.dry_runs.dry_run import Pilot
from pipelines.strategies import Job, PairwiseStrategy

MINIMUM = 3  # examples: one to load the weights, two to see how the time grows
GROUPS = 3
STEPS = 8  # kinds of length between a length and twice as much, for the examples to choose from


def check_pilot(plan: Plan, examples: int) -> None:
    """Raise `UserError` where no pilot can be made: nothing is asked of a reader that may cost money."""
    name = name_of(plan.reader)
    if examples < MINIMUM:
        raise UserError(f"a pilot needs at least {MINIMUM} examples, got pilot={examples}; 8 is usual")
    if isinstance(plan.reader, StreamingReader):
        raise UserError(f"a pilot asks the reader, and {name} is behind an API: leave pilot= out")
    if not plan.reader.reads:
        raise UserError("a pilot times the reader, and none reads: leave pilot= out")
    if not plan.reader.fitted:
        raise UserError(f"a pilot times the reader, and {name} has to be fitted first: leave pilot= out")
    if isinstance(plan.strategy, PairwiseStrategy):
        raise UserError("many pairs are timed without a pilot: leave pilot= out")


class Lengths:
    """The prompt tokens of every example, and the ids of some of every length, to choose a pilot from."""

    def __init__(self, pilot: int) -> None:
        self.pilot = pilot
        self.tokens = array("Q")
        self._kinds_values: dict[int, list[tuple[int, str]]] = {}

    def add(self, id: str, tokens: int) -> None:
        """Count one example."""
        if not self.pilot or not tokens:
            return
        self.tokens.append(tokens)
        kind = self._kinds_values.setdefault(int(STEPS * np.log2(tokens)), [])
        if len(kind) < self.pilot:
            kind.append((tokens, id))

    def spread(self) -> dict[str, int]:
        """The ids of the pilot's examples, whose tokens are nearest to quantiles of all."""
        left = sorted(pair for kind in self._kinds_values.values() for pair in kind)
        chosen_values: dict[str, int] = {}
        for wanted_value in np.quantile(self.tokens, (np.arange(self.pilot) + 0.5) / self.pilot) if left else ():
            if left:
                tokens, id = left.pop(min(range(len(left)), key=lambda position: abs(left[position][0] - wanted_value)))
                chosen_values[id] = tokens
        return chosen_values


def run_pilot(plan: Plan, engine: Engine, lengths: Lengths, preparing: float, out: str | Path | None) -> Pilot:
    """Answer the pilot's examples, in the run's folder. Raises `UserError` where they are too few, or answered."""
    chosen_values = lengths.spread()
    run = ActiveRun(engine.placed(plan), out)
    try:
        asked_names: list[str] = []

        def wanted(example: Example) -> bool:
            if not run.wanted(example):
                return False
            asked_names.append(example.id)
            return example.id in chosen_values

        jobs = sorted(engine.prepare(plan, wanted), key=lambda job: chosen_values[job.example.id])
        if len(jobs) < MINIMUM:
            raise UserError(
                f"{len(jobs)} of the {len(chosen_values)} examples of a pilot are still to be asked in "
                f"{run.path}, and it "
                "needs 3: leave pilot= out, or give another out="
            )
        inference = Inference(engine.answering(run.plan.reader), [run.session])
        try:
            return _timed(run, inference, jobs, chosen_values, lengths, len(asked_names), preparing)
        finally:
            inference.close()
    finally:
        run.close()


def _timed(
    run: ActiveRun,
    inference: Inference,
    jobs: Sequence[Job],
    tokens: Mapping[str, int],
    lengths: Lengths,
    asked_count: int,
    preparing: float,
) -> Pilot:
    _answer(run, inference, jobs[:1])
    groups = np.array_split(np.arange(1, len(jobs)), min(GROUPS, (len(jobs) - 1) // 2))
    sizes, rates = [], []
    for group in groups:
        start_time = time.perf_counter()
        _answer(run, inference, [jobs[location] for location in group])
        seconds = time.perf_counter() - start_time
        group_numbers = [tokens[jobs[location].example.id] for location in group]
        sizes.append(sum(group_numbers) / len(group_numbers))
        rates.append(seconds / sum(group_numbers))
    values = np.asarray(lengths.tokens, float)
    share = asked_count / len(values)  # the lengths of those that were finished before are taken for those of all
    return Pilot(
        examples=len(jobs),
        asked=asked_count,
        seconds=share * float(values @ np.interp(values, sizes, rates)),
        low=share * float(values.sum() * min(rates)),
        high=share * float(values.sum() * max(rates)),
        preparing=preparing,
        folder=str(run.path),
        note=_batches_text(run.plan, jobs, tokens),
    )


def _answer(run: ActiveRun, inference: Inference, jobs: Sequence[Job]) -> None:
    """Answer jobs, and log their predictions. Raises the error that ends a run."""
    for job in jobs:
        for finished in inference.add(run.session, job):
            run.add(finished)
    for finished in inference.finish():
        run.add(finished)
    if run.session.broken is not None:
        raise run.session.broken


def _batches_text(plan: Plan, jobs: Sequence[Job], tokens: Mapping[str, int]) -> str:
    """What to know where the run's batches are larger than the pilot's."""
    tokens_per_call = plan.reader.tokens_per_call
    if tokens_per_call is None or tokens_per_call <= sum(tokens[job.example.id] for job in jobs) / GROUPS:
        return ""
    return (
        f"a run reads up to {tokens_per_call:,} prompt tokens together, more than the pilot: it can be faster on a GPU"
    )
