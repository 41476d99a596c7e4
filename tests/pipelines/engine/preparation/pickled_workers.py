"""Workers without processes: every call and every answer is pickled, and calls can be lost."""

import pickle
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from pipelines.engine.engines import Engine
from pipelines.engine.preparation.document_worker import DocumentWorker
from pipelines.engine.preparation.workers import Workers, for_workers, prepare_by


class Lost(Exception):
    """The process has ended."""


class PickledWorkers(Workers):
    """`losing` are the numbers of calls, from 0, whose process ends."""

    lost = (Lost,)

    def __init__(self, number: int, plans: Sequence[Any], losing: Collection[int] = ()) -> None:
        super().__init__(number)
        self.plans, self.losing = pickle.dumps(for_workers(plans)), losing
        self.calls: list[tuple[int, str]] = []
        self.restarted: list[int] = []
        self.workers = [self._new_worker() for _ in range(number)]

    def _new_worker(self) -> DocumentWorker:
        return DocumentWorker(pickle.loads(self.plans))

    def submit(self, worker: int, method: str, *arguments: Any) -> "Future[Any]":
        self.calls.append((worker, method))
        future: Future[Any] = Future()
        if len(self.calls) - 1 in self.losing:
            future.set_exception(Lost("killed"))
            return future
        try:
            answer = getattr(self.workers[worker], method)(*pickle.loads(pickle.dumps(arguments)))
            future.set_result(pickle.loads(pickle.dumps(answer)))
        except Exception as error:
            future.set_exception(error)
        return future

    def restart(self, worker: int) -> None:
        self.restarted.append(worker)
        self.workers[worker] = self._new_worker()


@dataclass
class Pickled(Engine):
    """An engine of such workers; `workers` are those of the last call."""

    number: int = 2
    losing: Collection[int] = ()
    workers: PickledWorkers | None = None

    def prepare_many(self, plans, wanted):
        self.workers = PickledWorkers(self.number, plans, self.losing)
        return prepare_by(self.workers, plans, wanted)
