"""Runs on this machine: documents are prepared in threads while the reader answers."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.engine.engines import Engine
from pipelines.engine.index_cache import IndexCache
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.prepare import by_document, prepare
from pipelines.records import Document, Example
from pipelines.strategies import Job


@dataclass(frozen=True)
class Local(Engine):
    """Prepares `workers` documents ahead of the reader. The number changes no result."""

    workers: int = 2

    def __post_init__(self) -> None:
        """Refuse fewer than one worker."""
        if self.workers < 1:
            raise UserError(f"local: workers must be at least 1, got {self.workers}")

    def prepare(self, plan: Plan, wanted: Callable[[Example], bool]) -> Iterator[Job]:
        """Jobs for the wanted examples, in the order of the data; at most `workers` documents are prepared ahead."""
        for _, item in self.prepare_many([plan], [wanted]):
            if isinstance(item, Exception):
                raise item
            yield item

    def prepare_many(
        self, plans: Sequence[Plan], wanted: Sequence[Callable[[Example], bool]]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        A plan that fails on a document gives its error instead of jobs.
        """
        ahead: deque[Future[list[tuple[int, Job | Exception]]]] = deque()
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="prepare")
        broken: UserError | None = None
        try:
            documents = by_document(run_examples(plans[0]))
            while True:
                try:
                    document, examples = next(documents)
                except StopIteration:
                    break
                except UserError as error:  # the data break off: what came before is not lost
                    broken = error
                    break
                of_plans = [[example for example in examples if wants(example)] for wants in wanted]
                if any(of_plans):
                    ahead.append(pool.submit(copy_context().run, _prepare_document, plans, document, of_plans))
                if len(ahead) > self.workers:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
            if broken is not None:
                raise broken
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare_document(
    plans: Sequence[Plan], document: Document, of_plans: Sequence[list[Example]]
) -> list[tuple[int, Job | Exception]]:
    """One document's jobs for all plans, which share its chunks and indexes."""
    cache = IndexCache()
    jobs: list[tuple[int, Job | Exception]] = []
    for number, (plan, examples) in enumerate(zip(plans, of_plans, strict=True)):
        try:
            jobs += [(number, job) for job in (prepare(plan, document, examples, cache) if examples else ())]
        except Exception as error:
            jobs.append((number, error))
    return jobs
