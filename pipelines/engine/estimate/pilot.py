"""An estimate of a reader's time for a whole run, from a few examples that it answers, of all lengths of prompts.

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
STEPS = 8  # classes of length between a length and its double; examples of each are kept to choose from


def check_pilot(plan: Plan, examples: int) -> None:
    """Raise `UserError` where no pilot can be made, as for a reader behind an API, which may cost money."""
    name = name_of(plan.reader)
    if examples < MINIMUM:
        raise UserError(f"a pilot needs at least {MINIMUM} examples, got pilot={examples}; 8 is usual")
    if isinstance(plan.reader, StreamingReader):
        raise UserError(f"a pilot asks the reader, and {name} is behind an API: leave pilot= out")
    if not plan.reader.reads:
        raise UserError("a pilot times the reader, and this run has none: leave pilot= out")
    if not plan.reader.fitted:
        raise UserError(f"a pilot times the reader, and {name} must be trained first: leave pilot= out")
    if isinstance(plan.strategy, PairwiseStrategy):
        raise UserError("many pairs are timed without a pilot: leave pilot= out")


class Lengths:
    """The prompt tokens of all examples, and the ids of some examples of each length, to choose a pilot from."""

    def __init__(self, pilot: int) -> None:
        self.pilot = pilot
        self.tokens = array("Q")
        self._by_class: dict[int, list[tuple[int, str]]] = {}  # tokens and id of some examples, by class of length

    def add(self, id: str, tokens: int) -> None:
        """Count one example."""
        if not self.pilot or not tokens:
            return
        self.tokens.append(tokens)
        examples = self._by_class.setdefault(int(STEPS * np.log2(tokens)), [])
        if len(examples) < self.pilot:
            examples.append((tokens, id))

    def spread(self) -> dict[str, int]:
        """The ids of the pilot's examples with their tokens, which are nearest to quantiles of all examples'."""
        left = sorted(pair for examples in self._by_class.values() for pair in examples)
        tokens_by_id: dict[str, int] = {}
        for quantile in np.quantile(self.tokens, (np.arange(self.pilot) + 0.5) / self.pilot) if left else ():
            if left:
                tokens, id = left.pop(min(range(len(left)), key=lambda position: abs(left[position][0] - quantile)))
                tokens_by_id[id] = tokens
        return tokens_by_id


def run_pilot(plan: Plan, engine: Engine, lengths: Lengths, preparing: float, out: str | Path | None) -> Pilot:
    """Answer the pilot's examples in the run's folder. Raises `UserError` where too few are left to ask."""
    tokens_by_id = lengths.spread()
    run = ActiveRun(engine.placed(plan), out)
    try:
        unfinished: list[str] = []

        def wants(example: Example) -> bool:
            if not run.wants(example):
                return False
            unfinished.append(example.id)
            return example.id in tokens_by_id

        jobs = sorted(engine.prepare(plan, wants), key=lambda job: tokens_by_id[job.example.id])
        if len(jobs) < MINIMUM:
            raise UserError(
                f"{len(jobs)} of the {len(tokens_by_id)} examples of a pilot are still to be asked in {run.path}, "
                f"and a pilot needs at least {MINIMUM}: leave pilot= out, or give another out="
            )
        inference = Inference(engine.answering(run.plan.reader), [run.session])
        try:
            return _timed(run, inference, jobs, tokens_by_id, lengths, len(unfinished), preparing)
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
    unfinished_count: int,
    preparing: float,
) -> Pilot:
    """The pilot's answers timed, and the time of all `unfinished_count` examples estimated from them."""
    _answer(run, inference, jobs[:1])
    groups = np.array_split(np.arange(1, len(jobs)), min(GROUPS, (len(jobs) - 1) // 2))
    sizes, rates = [], []
    for group in groups:
        start_time = time.perf_counter()
        _answer(run, inference, [jobs[place] for place in group])
        seconds = time.perf_counter() - start_time
        group_tokens = [tokens[jobs[place].example.id] for place in group]
        sizes.append(sum(group_tokens) / len(group_tokens))
        rates.append(seconds / sum(group_tokens))
    all_tokens = np.asarray(lengths.tokens, float)
    share = unfinished_count / len(all_tokens)  # as if unfinished examples had the same lengths as all
    return Pilot(
        examples=len(jobs),
        asked=unfinished_count,
        seconds=share * float(all_tokens @ np.interp(all_tokens, sizes, rates)),
        low=share * float(all_tokens.sum() * min(rates)),
        high=share * float(all_tokens.sum() * max(rates)),
        preparing=preparing,
        folder=str(run.path),
        note=_batch_note(run.plan, jobs, tokens),
    )


def _answer(run: ActiveRun, inference: Inference, jobs: Sequence[Job]) -> None:
    """Answer jobs, and log their predictions. Raises the error that ends the run."""
    for job in jobs:
        for finished_job in inference.add(run.session, job):
            run.add(finished_job)
    for finished_job in inference.finish():
        run.add(finished_job)
    if run.session.broken is not None:
        raise run.session.broken


def _batch_note(plan: Plan, jobs: Sequence[Job], tokens: Mapping[str, int]) -> str:
    """A note where the run's batches are larger than the pilot's, else ""."""
    tokens_per_call = plan.reader.tokens_per_call
    if tokens_per_call is None or tokens_per_call <= sum(tokens[job.example.id] for job in jobs) / GROUPS:
        return ""
    return (
        f"a run reads up to {tokens_per_call:,} prompt tokens together, more than the pilot: it can be faster on a GPU"
    )
