"""Driving a strategy: who runs, replays, estimates or shows its requests takes them from here."""

from collections.abc import Generator, Sequence
from typing import Any

from models.requests import Request
from pipelines.strategies import Job, Outcome, Retrieve, Step


def request_rounds(
    strategy: Generator[Step, Any, str | Outcome], job: Job
) -> Generator[Sequence[Request], Any, str | Outcome]:
    """The requests of a started strategy, round by round: it is sent their values, and returns what the strategy does.

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
