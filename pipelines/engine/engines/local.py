"""The engine for this machine: documents are prepared in threads or processes while the reader answers."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.engine.engines import Engine, IsWanted
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.spec import encoders_of
from pipelines.engine.preparation.index_cache import IndexCache, Keys
from pipelines.engine.preparation.ordered_documents import Jobs, ordered_jobs
from pipelines.engine.preparation.prepare import prepare
from pipelines.engine.preparation.process_workers import ProcessWorkers
from pipelines.engine.preparation.workers import prepare_by
from pipelines.records import Document, Example
from pipelines.strategies import Job

THREADS = 2  # more would wait for Python's one lock
SHORT = 20_000  # characters of a document: up to here, handing it to a thread takes longer than preparing it


@dataclass(frozen=True)
class Local(Engine):
    """Prepares documents ahead of the reader, in `workers` threads or in `processes`. The numbers change no result.

    Threads share Python's one lock; `processes` use all cores, and take a second or two to start: worth it where
    splitting and ranking takes longer than the reader. `workers` None is two threads; short documents are then prepared
    without a thread, unless they are encoded.
    """

    workers: int | None = None
    processes: int = 0

    def __post_init__(self) -> None:
        """Raise `UserError` for numbers that are too low, and for both together."""
        if self.workers is not None and self.workers < 1:
            raise UserError(f"local: workers must be at least 1, got {self.workers}")
        if self.processes < 0:
            raise UserError(f"local: processes must be at least 1, or 0 for threads, got {self.processes}")
        if self.processes and self.workers is not None:
            raise UserError("local: workers are threads, and processes take their place: give one of the two")

    def prepare_many(
        self, plans: Sequence[Plan], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        A plan that fails on a document gives its error instead of jobs.
        """
        if self.processes:
            return prepare_by(ProcessWorkers(self.processes, plans), plans, is_wanted)
        return self._prepare_in_threads(plans, is_wanted)

    def _prepare_in_threads(
        self, plans: Sequence[Plan], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        workers = self.workers or THREADS
        pool = ThreadPoolExecutor(workers, thread_name_prefix="prepare")
        keys: Keys = {}
        short = SHORT if self.workers is None and not any(map(encoders_of, plans)) else 0

        def start(document: Document, examples_by_plan: Sequence[list[Example]]) -> Callable[[], Jobs]:
            if len(document.text) <= short:
                jobs = _prepare_document(plans, document, examples_by_plan, keys)
                return lambda: jobs
            return pool.submit(copy_context().run, _prepare_document, plans, document, examples_by_plan, keys).result

        try:
            yield from ordered_jobs(plans, is_wanted, workers, start)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare_document(
    plans: Sequence[Plan], document: Document, examples_by_plan: Sequence[list[Example]], keys: Keys
) -> Jobs:
    """One document's jobs for all plans, which share its chunks and indexes. `keys` caches the components' keys."""
    cache = IndexCache(keys)
    jobs: Jobs = []
    for number, (plan, examples) in enumerate(zip(plans, examples_by_plan, strict=True)):
        try:
            jobs += [(number, job) for job in (prepare(plan, document, examples, cache) if examples else ())]
        except Exception as error:
            jobs.append((number, error))
    return jobs
