"""A strategy whose outcome is certified: with quotes, or withheld."""

import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from longdoc.plain_values import plain_value
from pipelines.records import UNANSWERABLE, WITHHELD
from pipelines.strategies import Job, Outcome, Step, Strategy
from pipelines.strategies.shared.certification import Certifier

NOTE = "certification"


@dataclass(frozen=True)
class CertifiedStrategy(Strategy):
    """Makes the requests of another strategy; an answer that is not shown is refused.

    The prediction is then the word for questions without an answer. The note `certification` is JSON: whether the
    answer is `shown`, its `support`, its `claims` with their quotes, and, where it is withheld, the `answer`.
    """

    strategy: Strategy
    certifier: Certifier

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs", self.strategy.needs)

    def __call__(self, job: Job) -> Generator[Step, Any, Outcome]:
        """Make the requests, then look up the quotes."""
        returned = yield from self.strategy(job)
        outcome = returned if isinstance(returned, Outcome) else Outcome(returned)
        example = job.example
        text = self.certifier.certified(example.document, outcome.prediction, example.query)
        record = {"shown": text.is_shown, "support": text.support, "claims": plain_value(text.claims)}
        record |= {"answer": text.answer} if text.is_withheld else {}
        notes = {**outcome.notes, NOTE: json.dumps(record, ensure_ascii=False)}
        if not text.is_withheld:
            return replace(outcome, notes=notes)
        return replace(outcome, prediction=UNANSWERABLE, notes=notes, outputs={**outcome.outputs, WITHHELD: 1})
