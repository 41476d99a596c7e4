"""Documents go to processes that prepare them, and come back as jobs; a process that is lost costs no document."""

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
LOSSES = 3  # processes that end while they prepare the same document, before it is given up


class Workers(ABC):
    """Some processes, each with a `DocumentWorker` for `for_workers(plans)`.

    - `lost`: what a call raises whose process has ended.
    - `never_started`: the advice where no process has ever answered.
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
        """Call a method of a worker, of the least busy one unless it is given."""
        chosen_count = min(range(len(self.busy)), key=self.busy.__getitem__) if worker is None else worker
        call = Call(self, chosen_count, method, arguments)
        call.submit()
        return call

    def restart_once(self, worker: int, starts: int) -> None:
        """Restart a worker whose calls failed, unless another of these calls has done it: `starts` was their start."""
        if self._starts[worker] == starts:
            self._starts[worker] += 1
            self.restart(worker)

    def starts(self, worker: int) -> int:
        """How often a worker was restarted."""
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
        """Wait for what the method returns. Raises `UserError`, with `description`, where processes keep ending."""
        for attempt in range(LOSSES):
            if attempt:
                self.workers.restart_once(self.worker, self._starts)
                self.submit()
            try:
                answer = self._future.result()
            except self.workers.lost as error:
                lost_error = error
                continue
            finally:
                self.workers.busy[self.worker] -= 1
            self.workers.answered += 1
            return answer
        reason = "where the system ended them for their memory, use fewer"
        raise UserError(
            f"{description}: {LOSSES} processes in turn ended while they prepared it ({lost_error}); "
            f"{reason if self.workers.answered else self.workers.never_started}"
        )


def prepare_by(
    workers: Workers, plans: Sequence[Plan], wanted_entries: Sequence[Callable[[Example], bool]]
) -> Iterator[tuple[int, Job | Exception]]:
    """Jobs of plans that the workers have, as `in_order` gives them."""

    def start(document: Document, plans_entries: Sequence[list[Example]]) -> Callable[[], Jobs]:
        call = workers.begin("prepare", document, plans_entries)
        return lambda: _jobs(call, plans, plans_entries, call.result(f"document {document.id}"))

    return ordered_jobs(plans, wanted_entries, AHEAD * len(workers.busy), start)


def _jobs(call: Call, plans: Sequence[Plan], plans_entries: Sequence[list[Example]], prepared: PackedJobs) -> Jobs:
    jobs: Jobs = []
    for number, packed in prepared:
        if isinstance(packed, Exception):
            jobs.append((number, packed))
            continue
        for example, packed_job in zip(plans_entries[number], packed, strict=True):
            jobs.append((number, _job(call, number, plans[number], example, packed_job)))
    return jobs


def _job(call: Call, number: int, plan: Plan, example: Example, packed: PackedJob) -> Job:
    """The job with texts from its document."""
    text = example.document.text
    further_searches = _FurtherSearches(call.workers, call.worker, number, example, packed.encoder_counts)
    selected = [unpacked(text, numbers) for numbers in packed.selected]
    return replace(
        blank_job(plan, example, PackedChunks(text, packed.chunks), selected, further_searches.search),
        ranks=packed.ranks,
        scores=packed.scores,
        evidence=packed.evidence,
        remark=packed.remark,
        failure=packed.failure,
        encoder_counts=further_searches.encoder_counts,
    )


@dataclass(slots=True)
class _FurtherSearches:
    """Searches of one job's strategy, by the worker that prepared it."""

    workers: Workers
    worker: int
    number: int
    example: Example
    first_counts: Mapping[str, Mapping[str, Any]]
    queries: list[str] = field(default_factory=list)

    def search(self, query: str, k: int | None, before: Sequence[Chunk]) -> list[Chunk]:
        self.queries.append(query)
        text = self.example.document.text
        return [unpacked(text, value) for value in self._call("search", query, k, tuple(before))]

    def encoder_counts(self) -> Mapping[str, Mapping[str, Any]]:
        if not self.queries or not self.first_counts:
            return self.first_counts
        counts: Mapping[str, Mapping[str, Any]] = self._call("encoder_counts", self.queries)
        return counts

    def _call(self, method: str, *arguments: Any) -> Any:
        call = self.workers.begin(method, self.number, self.example, *arguments, worker=self.worker)
        return call.result(f"document {self.example.document.id}")


def for_workers(plans: Sequence[Plan]) -> list[Plan]:
    """The plans as workers need them: what reads and scores data stays here."""
    dataset = sources.Dataset(list[Example]().__iter__, {})
    kept_fields: dict[str, Any] = {
        "data": dataset,
        "open_split": _no_split,
        "metrics": {},
        "given": {},
        "data_location": {},
    }
    return [replace(plan, **kept_fields) for plan in plans]


def _no_split(split: str) -> NoReturn:
    raise LookupError(split)
