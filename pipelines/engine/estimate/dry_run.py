"""A dry run: the requests, tokens and pairs of a run, counted without inference, and its price.

Documents are prepared by the engine, as in the run. For a strategy that asks again, later rounds are estimated with
stand-ins for the replies (`stand_ins`).
"""

import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import add
from pathlib import Path
from statistics import median

from models.requests import Request
from models.truncation import TooLong
from pipelines.engine.engines import Engine
from pipelines.engine.estimate import stand_ins
from pipelines.engine.estimate.pair_counts import PairTally
from pipelines.engine.estimate.pilot import Lengths, check_pilot, run_pilot
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.shared_prompts import SharedPrompts
from pipelines.engine.planning.plan import BOUNDLESS, Plan
from pipelines.engine.planning.spec import recipe_of
from pipelines.engine.prices import BATCH_SHARE, price_of
from pipelines.engine.recording import request_log
from pipelines.results.dry_runs.dry_run import AllRounds, Cut, DryRun, PairCounts, Pilot
from pipelines.strategies import Job, PairwiseStrategy

CUTS = 5  # documents with a prompt over the limit that are listed


def count_dry_run(plan: Plan, engine: Engine, pilot: int | None = None, out: str | Path | None = None) -> DryRun:
    """Prepare everything and count: examples, requests of the first round and of all, tokens, price, pairs of texts.

    The reader does not run, save where many pairs are compared: a local reader compares a few of them, to estimate the
    time for all. With `pilot`, a local reader answers so many examples, whose replies are kept in the run's folder.
    Raises `UserError`.
    """
    if pilot is not None:
        check_pilot(plan, pilot)
    counter, lengths = RequestCounter(plan, engine.batch_share(plan.reader)), Lengths(pilot or 0)
    documents, examples, failures = set(), 0, {}
    start_time = time.monotonic()
    for job in engine.prepare(plan, lambda _: True):
        documents.add(job.example.document.id)
        examples += 1
        before = counter.first.prompt_tokens
        if failure := counter.add(job):
            failures[job.example.id] = failure
        else:
            lengths.add(job.example.id, counter.first.prompt_tokens - before)
    preparing = time.monotonic() - start_time
    timing = None if pilot is None else run_pilot(plan, engine, lengths, preparing, out)
    return counter.dry_run(len(documents), examples, failures, timing)


class RequestCounter:
    """Takes the place of inference in a dry run: counts requests, prompts, and the tokens that are cut off prompts."""

    def __init__(self, plan: Plan, batch_share: float = BATCH_SHARE) -> None:
        self._batch_share = batch_share
        self.session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "", whole_limit=plan.document_limit)
        self.first = _NO_SUMS
        self._plan, self._pairs = plan, PairTally()
        self._shared = SharedPrompts(plan.reader.count)
        self._blank = self._longest = _NO_SUMS  # of all rounds, with blank replies and with the longest
        self._longest_prompt = 0
        self._cut = array("Q")  # tokens cut off each prompt over the limit
        self._largest: dict[str, Cut] = {}

    def add(self, job: Job) -> str | None:
        """Count one example; returns the reason where it cannot run."""
        if job.failure is not None:
            return job.failure
        labels, thinking = self._plan.labels, self._plan.reader.thinking_tokens
        rounds = stand_ins.rounds(self.session, job, labels)
        try:
            first = next(rounds, [])
        except TooLong as error:
            return str(error)
        self._add_prompts(job, first)
        counts = _sums(first, thinking)
        self.first += counts
        if isinstance(self.session.strategy, PairwiseStrategy):
            self._pairs.add(self.session.strategy, [chunk.text for chunk in job.selected])
            return None
        later = _rounds_sums(rounds, thinking)
        blank_rounds = stand_ins.rounds(self.session, job, labels, blank=True)
        self._blank += _rounds_sums(blank_rounds, thinking) if later.requests else counts
        self._longest += counts + later
        return None

    def dry_run(self, documents: int, examples: int, failures: Mapping[str, str], pilot: Pilot | None) -> DryRun:
        """The record of the counts."""
        plan, pairs = self._plan, self._pair_counts()
        has_later_rounds = self._longest.requests != self.first.requests
        low, high = self._blank.with_(self._longest, min), self._blank.with_(self._longest, max)
        bounded = plan.max_new_tokens < BOUNDLESS
        outputs = (low.output_tokens, high.output_tokens) if bounded else None
        prompts, output_tokens = (low.prompt_tokens, high.prompt_tokens), (0, None if outputs is None else outputs[1])
        return DryRun(
            task=plan.task.name,
            recipe=recipe_of(plan),
            documents=documents,
            examples=examples,
            requests=pairs.requests[0] if pairs else self.first.requests,
            prompt_tokens=self.first.prompt_tokens,
            longest_prompt=self._longest_prompt,
            truncated={
                "examples": len(self._cut),
                "tokens": sum(self._cut),
                "median": round(median(self._cut)) if self._cut else 0,
                "largest": max(self._cut, default=0),
            },
            failures=failures,
            warnings=plan.warnings,
            pairs=pairs,
            output_tokens=self.first.output_tokens if bounded else None,
            limit=plan.max_input_tokens,
            longest_cuts=sorted(self._largest.values(), key=lambda cut: -cut.tokens),
            all_rounds=AllRounds((low.requests, high.requests), prompts, outputs)
            if has_later_rounds and not pairs
            else None,
            price=None
            if pairs
            else price_of(
                plan.reader, prompts, output_tokens, self._batch_share, (self._shared.cached, self._shared.written)
            ),
            pilot=pilot,
        )

    def _pair_counts(self) -> PairCounts | None:
        """The counts of the pairs to compare; None for a strategy that compares none."""
        strategy = self.session.strategy
        return self._pairs.counts(strategy, self.session.reader) if isinstance(strategy, PairwiseStrategy) else None

    def _add_prompts(self, job: Job, round_requests: Sequence[tuple[Request, int]]) -> None:
        """Count the prompts of a first round of requests, the longest one, and the tokens that are cut off."""
        for request, tokens in round_requests:
            prompts = request_log.prompts(request)
            token_counts = (
                self.session.reader.count([prompt.text for prompt in prompts]) if len(prompts) > 1 else [tokens]
            )
            self._longest_prompt = max([self._longest_prompt, *token_counts])
            if self._plan.reader.prices:
                for prompt, count in zip(prompts, token_counts, strict=True):
                    self._shared.add(job.example.document.id, prompt.text, count)
            for prompt in prompts:
                if prompt.truncated_tokens > 0:
                    self._add_cut(Cut(job.example.id, job.example.document.id, prompt.truncated_tokens))

    def _add_cut(self, cut: Cut) -> None:
        """Count a prompt over the limit. The largest cuts of a few documents are kept, one each."""
        self._cut.append(cut.tokens)
        largest = self._largest.get(cut.document)
        if largest is None or cut.tokens > largest.tokens:
            self._largest[cut.document] = cut
        if len(self._largest) > CUTS:
            del self._largest[min(self._largest, key=lambda name: self._largest[name].tokens)]


@dataclass(frozen=True, slots=True)
class _Sums:
    """The number of requests, the tokens of their prompts, and the most tokens that their outputs may have."""

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "_Sums") -> "_Sums":
        return self.with_(other, add)

    def with_(self, other: "_Sums", combine: Callable[[int, int], int]) -> "_Sums":
        """Each number combined with the other's."""
        return _Sums(
            combine(self.requests, other.requests),
            combine(self.prompt_tokens, other.prompt_tokens),
            combine(self.output_tokens, other.output_tokens),
        )


_NO_SUMS = _Sums()


def _sums(round_requests: Sequence[tuple[Request, int]], thinking: int) -> _Sums:
    """The sums over one round of requests, where so many tokens of `thinking` come on top of each output."""
    outputs = sum(stand_ins.output_tokens(request, thinking) for request, _ in round_requests)
    return _Sums(len(round_requests), sum(tokens for _, tokens in round_requests), outputs)


def _rounds_sums(rounds: Iterator[list[tuple[Request, int]]], thinking: int) -> _Sums:
    """The sums over the rounds that are left; they end where a prompt has no room for the reply before."""
    sums = _NO_SUMS
    with suppress(TooLong):
        for round_requests in rounds:
            sums += _sums(round_requests, thinking)
    return sums
