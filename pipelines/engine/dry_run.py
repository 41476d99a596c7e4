"""What a run would ask, counted without asking it."""

from models.truncation import TooLong
from pipelines.engine.engines.local import Local
from pipelines.engine.pair_counts import Counted
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import Prepared
from pipelines.engine.session import Lane
from pipelines.engine.spec import recipe_of
from pipelines.results.records import DryRun, PairCounts
from pipelines.strategies import Comparing


def rehearse(plan: Plan, engine: Local) -> DryRun:
    """Prepare everything and count: examples, requests of the first round, tokens, and pairs of texts with bounds.

    Nothing is asked but, where many pairs are compared, a few of a local reader, to tell how long all will take.
    """
    desk = Rehearsal(plan)
    documents, examples, failures = set(), 0, {}
    for prepared in engine.prepared(plan, lambda _: True):
        documents.add(prepared.example.document.id)
        examples += 1
        if failure := desk.add(prepared):
            failures[prepared.example.id] = failure
    pairs = desk.pairs()
    return DryRun(
        plan.task.name,
        recipe_of(plan),
        len(documents),
        examples,
        pairs.requests[0] if pairs else desk.requests,
        desk.tokens,
        desk.longest,
        {"examples": desk.cut_examples, "tokens": desk.cut_tokens},
        failures,
        plan.warnings,
        pairs,
    )


class Rehearsal:
    """Takes the place of inference in a dry run and counts what would be asked."""

    def __init__(self, plan: Plan) -> None:
        self.lane = Lane(plan.strategy, plan.reader, plan.max_input_tokens, "", whole=plan.whole)
        self.requests = self.tokens = self.longest = self.cut_examples = self.cut_tokens = 0
        self.compared = Counted()

    def pairs(self) -> PairCounts | None:
        """The pairs that are compared; None for a strategy that compares none."""
        strategy = self.lane.strategy
        return self.compared.told(strategy, self.lane.reader) if isinstance(strategy, Comparing) else None

    def add(self, prepared: Prepared) -> str | None:
        """Count one example's first round; why it cannot be asked, if so."""
        if prepared.job is None:
            return prepared.failure
        try:
            fitted = self.lane.first_round(prepared)
        except TooLong as error:
            return str(error)
        if isinstance(self.lane.strategy, Comparing):
            self.compared.add(self.lane.strategy, [chunk.text for chunk in prepared.job.selected])
        for prompt, tokens in fitted:
            self.requests += 1
            self.tokens += tokens
            self.longest = max(self.longest, tokens)
            self.cut_examples += prompt.truncated_tokens > 0
            self.cut_tokens += prompt.truncated_tokens
        return None
