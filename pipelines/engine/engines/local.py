"""Runs on this machine: documents are prepared in threads or processes while the reader answers."""

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

THREADS = 2  # more wait for Python's one lock
SHORT = 20_000  # characters of a document that is split and ranked sooner than handed to a thread and back


@dataclass(frozen=True)
class Local(Engine):
    """Prepares `workers` documents ahead of the reader in threads, or in `processes`. The numbers change no result.

    Threads share Python's one lock; `processes` use all cores, and take a second or two to start: worth it where
    splitting and ranking takes longer than the reader. `workers` None is two threads; short documents are prepared at
    once then, unless they are encoded.
    """

    workers: int | None = None
    processes: int = 0

    def __post_init__(self) -> None:
        """Refuse fewer than one worker."""
        if self.workers is not None and self.workers < 1:
            raise UserError(f"local: workers must be at least 1, got {self.workers}")
        if self.processes < 0:
            raise UserError(f"local: processes must be at least 1, or 0 for threads, got {self.processes}")
        if self.processes and self.workers is not None:
            raise UserError("local: workers are threads and processes take their place: leave one of them out")

    def prepare_many(
        self, plans: Sequence[Plan], wanted_entries: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        A plan that fails on a document gives its error instead of jobs.
        """
        if self.processes:
            return prepare_by(ProcessWorkers(self.processes, plans), plans, wanted_entries)
        return self._threads_rows(plans, wanted_entries)

    def _threads_rows(
        self, plans: Sequence[Plan], wanted_entries: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        workers = self.workers or THREADS
        pool = ThreadPoolExecutor(workers, thread_name_prefix="prepare")
        keys: Keys = {}
        longest = SHORT if self.workers is None and not any(map(encoders_of, plans)) else 0

        def start(document: Document, plans_entries: Sequence[list[Example]]) -> Callable[[], Jobs]:
            if len(document.text) <= longest:
                jobs = _prepare_document(plans, document, plans_entries, keys)
                return lambda: jobs
            return pool.submit(copy_context().run, _prepare_document, plans, document, plans_entries, keys).result

        try:
            yield from ordered_jobs(plans, wanted_entries, workers, start)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare_document(
    plans: Sequence[Plan], document: Document, plans_entries: Sequence[list[Example]], keys: Keys
) -> Jobs:
    """One document's jobs for all plans, which share its chunks and indexes; `keys` are the components' so far."""
    cache = IndexCache(keys)
    jobs: Jobs = []
    for number, (plan, examples) in enumerate(zip(plans, plans_entries, strict=True)):
        try:
            jobs += [(number, job) for job in (prepare(plan, document, examples, cache) if examples else ())]
        except Exception as error:
            jobs.append((number, error))
    return jobs
