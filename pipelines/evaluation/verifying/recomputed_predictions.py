"""Predictions made again from a run's data and its logged replies: nothing is asked, and no weights are loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.reader import Reader
from models.requests import Classify, Compare, Fuse, Generate, Reply, Request, Score
from pipelines.engine.engines import local
from pipelines.engine.inference.inference import Inference
from pipelines.engine.replay.replay import recorded_plan, recorded_session
from pipelines.evaluation.verifying.logs import ReadLog
from pipelines.records import Example, Prediction

UNLOGGED = "the log has no reply to a request"


class _NeverAsked(Reader):
    """Stands where the model was, and fails the requests that the log has no reply to; their number is `unlogged`."""

    supports = frozenset({Generate, Fuse, Score, Classify, Compare})

    def __init__(self) -> None:
        self.unlogged = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Prompts are counted by the run's own reader."""
        raise AssertionError("prompts are counted by the run's own reader")

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """A failure for each."""
        self.unlogged += len(requests)
        return [Reply(None, finish_reason="unasked", error=UNLOGGED) for _ in requests]


@dataclass(frozen=True, slots=True)
class MadeAgain:
    """An example with its prediction, or the reason why there is none."""

    example: Example
    prediction: Prediction | None
    failure: str | None


class Remaking:
    """A run that is made again. Raises `UserError` where its data, or what counts its prompts' tokens, are not there.

    `requests` counts those whose replies were used, `unlogged` those that the log has no reply to; `order` has the ids
    of the examples as the data have them.
    """

    def __init__(self, folder: Path, log: ReadLog, changes: dict[str, Any]) -> None:
        self._plan = recorded_plan(folder, **changes)
        self._session = recorded_session(folder, self._plan, log)
        self._reader = _NeverAsked()
        self.requests = 0
        self.order: list[str] = []

    @property
    def fingerprint(self) -> dict[str, Any]:
        """That of the data as they are now."""
        return dict(self._plan.data.fingerprint)

    @property
    def unlogged(self) -> int:
        """How many requests the log has no reply to."""
        return self._reader.unlogged

    def examples(self) -> Iterator[MadeAgain]:
        """The examples, in the order in which they are finished."""
        inference = Inference(self._reader, [self._session])
        for done in inference.run(local.Local().prepare(self._plan, self._is_wanted)):
            self.requests += done.prediction.requests if done.prediction else 0
            yield MadeAgain(done.job.example, done.prediction, done.failure)

    def _is_wanted(self, example: Example) -> bool:
        self.order.append(example.id)
        return True
