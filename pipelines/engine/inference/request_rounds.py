"""The requests of a strategy, round by round, for all that run, replay, estimate or show them."""

from collections.abc import Generator, Sequence
from typing import Any

from models.requests import Request
from pipelines.strategies import Job, Outcome, Retrieve, Step


def request_rounds(
    strategy: Generator[Step, Any, str | Outcome], job: Job
) -> Generator[Sequence[Request], Any, str | Outcome]:
    """Yields each round of a strategy's requests, takes the values of their replies, and returns the strategy's result.

    Its further searches of the document are answered here.
    """
    values: Any = None
    try:
        while True:
            step = strategy.send(values)
            if isinstance(step, Retrieve):
                values = job.search(step.query, step.k, step.before)
            else:
                values = yield step
    except StopIteration as stop:
        outcome: str | Outcome = stop.value
        return outcome
    finally:
        strategy.close()
