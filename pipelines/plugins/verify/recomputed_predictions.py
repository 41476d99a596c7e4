"""Compute predictions again from a run's data and its logged replies; nothing is asked, and no weights are loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.reader import Reader
from models.requests import Classify, Compare, Fuse, Generate, Reply, Request, Score
from pipelines.engine.engines import local
from pipelines.engine.inference.inference import Inference
from pipelines.engine.replay.replay import recorded_plan, recorded_session
from pipelines.plugins.verify.logs import ReadLog
from pipelines.records import Example, Prediction

UNLOGGED = "the log has no reply to a request"


class _NoReader(Reader):
    """A stand-in for the model that fails requests without a logged reply, and counts them as `unlogged`."""

    supports = frozenset({Generate, Fuse, Score, Classify, Compare})

    def __init__(self) -> None:
        self.unlogged = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Prompts are counted by the run's own reader."""
        raise AssertionError("prompts are counted by the run's own reader")

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """A failed reply to each request."""
        self.unlogged += len(requests)
        return [Reply(None, finish_reason="unasked", error=UNLOGGED) for _ in requests]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """An example with its prediction, or the reason why there is none."""

    example: Example
    prediction: Prediction | None
    failure: str | None


class Recomputation:
    """A run that is computed again. Raises `UserError` without its data, or without its tokenizer.

    `requests` counts requests whose replies were used, `unlogged` those without a logged reply; `order` has the ids of
    the examples in the order of the data.
    """

    def __init__(self, folder: Path, log: ReadLog, changes: dict[str, Any]) -> None:
        self._plan = recorded_plan(folder, **changes)
        self._session = recorded_session(folder, self._plan, log)
        self._reader = _NoReader()
        self.requests = 0
        self.order: list[str] = []

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The fingerprint of the data as they are now."""
        return dict(self._plan.data.fingerprint)

    @property
    def unlogged(self) -> int:
        """The number of requests without a logged reply."""
        return self._reader.unlogged

    def examples(self) -> Iterator[Recomputed]:
        """The examples, in the order in which they are finished."""
        inference = Inference(self._reader, [self._session])
        for done in inference.run(local.Local().prepare(self._plan, self._is_wanted)):
            self.requests += done.prediction.requests if done.prediction else 0
            yield Recomputed(done.job.example, done.prediction, done.failure)

    def _is_wanted(self, example: Example) -> bool:
        """Record the example's place in the data, and want it."""
        self.order.append(example.id)
        return True
