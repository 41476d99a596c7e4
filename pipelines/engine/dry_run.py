"""A dry run: the requests, tokens and pairs of a run, counted without inference."""

from models.truncation import TooLong
from pipelines.engine.engines import Engine
from pipelines.engine.inference.session import Session
from pipelines.engine.pair_counts import PairTally
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.spec import recipe_of
from pipelines.results.records import DryRun, PairCounts
from pipelines.strategies import Job, PairwiseStrategy


def count_dry_run(plan: Plan, engine: Engine) -> DryRun:
    """Prepare everything and count: examples, requests of the first round, tokens, and pairs of texts with bounds.

    The reader does not run, save where many pairs are compared: a local reader compares a few of them, to estimate the
    time for all.
    """
    counter = RequestCounter(plan)
    documents, examples, failures = set(), 0, {}
    for job in engine.prepare(plan, lambda _: True):
        documents.add(job.example.document.id)
        examples += 1
        if failure := counter.add(job):
            failures[job.example.id] = failure
    pairs = counter.pairs()
    return DryRun(
        plan.task.name,
        recipe_of(plan),
        len(documents),
        examples,
        pairs.requests[0] if pairs else counter.requests,
        counter.tokens,
        counter.longest,
        {"examples": counter.truncated_examples, "tokens": counter.truncated_tokens},
        failures,
        plan.warnings,
        pairs,
    )


class RequestCounter:
    """Takes the place of inference in a dry run and counts the first round of requests."""

    def __init__(self, plan: Plan) -> None:
        self.session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "", whole=plan.document_limit)
        self.requests = self.tokens = self.longest = self.truncated_examples = self.truncated_tokens = 0
        self._pairs = PairTally()

    def pairs(self) -> PairCounts | None:
        """The pairs that are compared; None for a strategy that compares none."""
        strategy = self.session.strategy
        return self._pairs.counts(strategy, self.session.reader) if isinstance(strategy, PairwiseStrategy) else None

    def add(self, job: Job) -> str | None:
        """Count one example's first round; the reason where it cannot run."""
        if job.failure is not None:
            return job.failure
        try:
            prompts = self.session.first_prompts(job)
        except TooLong as error:
            return str(error)
        if isinstance(self.session.strategy, PairwiseStrategy):
            self._pairs.add(self.session.strategy, [chunk.text for chunk in job.selected])
        for prompt, tokens in prompts:
            self.requests += 1
            self.tokens += tokens
            self.longest = max(self.longest, tokens)
            self.truncated_examples += prompt.truncated_tokens > 0
            self.truncated_tokens += prompt.truncated_tokens
        return None
