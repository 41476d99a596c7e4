"""What a run would ask, counted without asking it."""

from models.truncation import TooLong
from pipelines.engine.engines.local import Local
from pipelines.engine.pair_counts import PairTally
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import Prepared
from pipelines.engine.session import Session
from pipelines.engine.spec import recipe_of
from pipelines.results.records import DryRun, PairCounts
from pipelines.strategies import PairwiseStrategy


def count_dry_run(plan: Plan, engine: Local) -> DryRun:
    """Prepare everything and count: examples, requests of the first round, tokens, and pairs of texts with bounds.

    Nothing is asked but, where many pairs are compared, a few of a local reader, to tell how long all will take.
    """
    counter = RequestCounter(plan)
    documents, examples, failures = set(), 0, {}
    for prepared in engine.prepare(plan, lambda _: True):
        documents.add(prepared.example.document.id)
        examples += 1
        if failure := counter.add(prepared):
            failures[prepared.example.id] = failure
    pairs = counter.pairs()
    return DryRun(
        plan.task.name,
        recipe_of(plan),
        len(documents),
        examples,
        pairs.requests[0] if pairs else counter.requests,
        counter.tokens,
        counter.longest,
        {"examples": counter.cut_examples, "tokens": counter.cut_tokens},
        failures,
        plan.warnings,
        pairs,
    )


class RequestCounter:
    """Takes the place of inference in a dry run and counts what would be asked."""

    def __init__(self, plan: Plan) -> None:
        self.session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "", whole=plan.whole)
        self.requests = self.tokens = self.longest = self.cut_examples = self.cut_tokens = 0
        self.compared = PairTally()

    def pairs(self) -> PairCounts | None:
        """The pairs that are compared; None for a strategy that compares none."""
        strategy = self.session.strategy
        return self.compared.told(strategy, self.session.reader) if isinstance(strategy, PairwiseStrategy) else None

    def add(self, prepared: Prepared) -> str | None:
        """Count one example's first round; why it cannot be asked, if so."""
        if prepared.job is None:
            return prepared.failure
        try:
            fitted = self.session.first_round(prepared)
        except TooLong as error:
            return str(error)
        if isinstance(self.session.strategy, PairwiseStrategy):
            self.compared.add(self.session.strategy, [chunk.text for chunk in prepared.job.selected])
        for prompt, tokens in fitted:
            self.requests += 1
            self.tokens += tokens
            self.longest = max(self.longest, tokens)
            self.cut_examples += prompt.truncated_tokens > 0
            self.cut_tokens += prompt.truncated_tokens
        return None
