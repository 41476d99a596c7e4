"""Processes that prepare documents and send jobs back. A document whose process ends goes to a new one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from chunkers import Chunk
from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.document_worker import PackedJobs
from pipelines.engine.preparation.ordered_documents import Jobs, ordered_jobs
from pipelines.engine.preparation.packed_job import PackedChunks, PackedJob, unpacked
from pipelines.engine.preparation.prepare import blank_job
from pipelines.records import Document, Example
from pipelines.strategies import Job

AHEAD = 2  # documents for each process that are prepared before their jobs are taken
LOSSES = 3  # processes that end while they prepare the same document before the run gives up


class Workers(ABC):
    """Some processes, each with a `DocumentWorker` for `for_workers(plans)`.

    - `lost`: the errors of a call whose process has ended.
    - `never_started`: the reason to give where no process has ever answered.
    """

    lost: tuple[type[BaseException], ...]
    never_started: str = "they ended as soon as they started"

    def __init__(self, number: int) -> None:
        self.busy = [0] * number
        self.answered = 0
        self._starts = [0] * number

    @abstractmethod
    def submit(self, worker: int, method: str, *arguments: Any) -> "Future[Any]":
        """Call a method of a worker, after those that were submitted to it before. May raise `lost`."""

    @abstractmethod
    def restart(self, worker: int) -> None:
        """Put a new process in the place of one that has ended."""

    def begin(self, method: str, *arguments: Any, worker: int | None = None) -> "Call":
        """Call a method of the given worker, or of the least busy one."""
        if worker is None:
            worker = min(range(len(self.busy)), key=self.busy.__getitem__)
        call = Call(self, worker, method, arguments)
        call.submit()
        return call

    def restart_once(self, worker: int, starts: int) -> None:
        """Restart a worker whose calls failed, once for all of them: `starts` is `self.starts(worker)` at the call."""
        if self._starts[worker] == starts:
            self._starts[worker] += 1
            self.restart(worker)

    def starts(self, worker: int) -> int:
        """The number of times that a worker was restarted."""
        return self._starts[worker]


@dataclass(slots=True)
class Call:
    """A call of a worker's method, made again where its process ends before it has answered."""

    workers: Workers
    worker: int
    method: str
    arguments: tuple[Any, ...]
    _future: "Future[Any]" = field(init=False)
    _starts: int = field(init=False, default=0)

    def submit(self) -> None:
        """Send the call."""
        self.workers.busy[self.worker] += 1
        self._starts = self.workers.starts(self.worker)
        try:
            self._future = self.workers.submit(self.worker, self.method, *self.arguments)
        except self.workers.lost as error:
            self._future = Future()
            self._future.set_exception(error)

    def result(self, description: str) -> Any:
        """Wait for the result. Raises `UserError`, which begins with `description`, where processes keep ending."""
        for attempt in range(LOSSES):
            if attempt:
                self.workers.restart_once(self.worker, self._starts)
                self.submit()
            try:
                answer = self._future.result()
            except self.workers.lost as error:
                last_error = error
                continue
            finally:
                self.workers.busy[self.worker] -= 1
            self.workers.answered += 1
            return answer
        reason = "if the system ended them for lack of memory, use fewer"
        raise UserError(
            f"{description}: {LOSSES} processes in turn ended while they prepared it ({last_error}); "
            f"{reason if self.workers.answered else self.workers.never_started}"
        )


def prepare_by(
    workers: Workers, plans: Sequence[Plan], is_wanted: Sequence[Callable[[Example], bool]]
) -> Iterator[tuple[int, Job | Exception]]:
    """Jobs of plans that the workers have, in order (`ordered_jobs`)."""

    def start(document: Document, examples_by_plan: Sequence[list[Example]]) -> Callable[[], Jobs]:
        call = workers.begin("prepare", document, examples_by_plan)
        return lambda: _jobs(call, plans, examples_by_plan, call.result(f"document {document.id}"))

    return ordered_jobs(plans, is_wanted, AHEAD * len(workers.busy), start)


def _jobs(call: Call, plans: Sequence[Plan], examples_by_plan: Sequence[list[Example]], prepared: PackedJobs) -> Jobs:
    """The jobs that a worker sent, each with the number of its plan; or errors."""
    jobs: Jobs = []
    for number, packed in prepared:
        if isinstance(packed, Exception):
            jobs.append((number, packed))
            continue
        for example, packed_job in zip(examples_by_plan[number], packed, strict=True):
            jobs.append((number, _job(call, number, plans[number], example, packed_job)))
    return jobs


def _job(call: Call, number: int, plan: Plan, example: Example, packed: PackedJob) -> Job:
    """The job that a worker sent, with its texts from the document here."""
    text = example.document.text
    further_searches = _FurtherSearches(call.workers, call.worker, number, example, packed.encoder_counts)
    return replace(
        blank_job(plan, example, PackedChunks(text, packed.chunks), further_searches.search),
        selected=[unpacked(text, packed_chunk) for packed_chunk in packed.selected],
        ranks=packed.ranks,
        scores=packed.scores,
        evidence=packed.evidence,
        remark=packed.remark,
        failure=packed.failure,
        encoder_counts=further_searches.encoder_counts,
    )


@dataclass(slots=True)
class _FurtherSearches:
    """Further searches of one job's strategy, by the worker that prepared it."""

    workers: Workers
    worker: int
    number: int
    example: Example
    first_counts: Mapping[str, Mapping[str, Any]]
    queries: list[str] = field(default_factory=list)

    def search(self, query: str, k: int | None, before: Sequence[Chunk]) -> list[Chunk]:
        self.queries.append(query)
        text = self.example.document.text
        return [unpacked(text, packed_chunk) for packed_chunk in self._call("search", query, k, tuple(before))]

    def encoder_counts(self) -> Mapping[str, Mapping[str, Any]]:
        if not self.queries or not self.first_counts:
            return self.first_counts
        counts: Mapping[str, Mapping[str, Any]] = self._call("encoder_counts", self.queries)
        return counts

    def _call(self, method: str, *arguments: Any) -> Any:
        call = self.workers.begin(method, self.number, self.example, *arguments, worker=self.worker)
        return call.result(f"document {self.example.document.id}")


def for_workers(plans: Sequence[Plan]) -> list[Plan]:
    """The plans without the fields that workers do not need, since they neither read nor score data."""
    no_data = sources.Dataset(list[Example]().__iter__, {})
    return [replace(plan, data=no_data, open_split=_no_split, metrics={}, given={}, data_location={}) for plan in plans]


def _no_split(split: str) -> NoReturn:
    raise LookupError(split)
