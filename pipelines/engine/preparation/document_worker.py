"""What a process that prepares documents for another does: it splits, indexes and ranks, and sends positions back."""

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from chunkers import Chunk
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.index_cache import IndexCache
from pipelines.engine.preparation.packed_job import Packed, PackedJob, packed
from pipelines.engine.preparation.prepare import DocumentJobs, prepare
from pipelines.records import Document, Example

MAX_KEPT = 4  # documents whose indexes are kept, for strategies that search again

PackedJobs = list[tuple[int, list[PackedJob] | Exception]]


class DocumentWorker:
    """Prepares documents for plans that were pickled, each with its examples.

    It keeps nothing that a second one, or the same after a restart, could not make again.
    """

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans
        self._recent: OrderedDict[tuple[int, str, str, str | None], DocumentJobs] = OrderedDict()

    def prepare(self, document: Document, plans_entries: Sequence[Sequence[Example]]) -> PackedJobs:
        """One document's jobs by the number of the plan; all plans share its chunks and indexes.

        A plan that fails on the document gives its error.
        """
        cache = IndexCache()
        prepared: PackedJobs = []
        for number, (plan, examples) in enumerate(zip(self._plans, plans_entries, strict=True)):
            if examples:
                try:
                    prepared.append((number, _packed_jobs(plan, document, examples, cache)))
                except Exception as error:
                    prepared.append((number, sendable(error)))
        return prepared

    def search(
        self, number: int, example: Example, query: str, k: int | None, before: Sequence[Chunk]
    ) -> Sequence[Packed]:
        """A further search of an example's document, as `Job.search`."""
        jobs = self._jobs(number, example)
        return [packed(example.document.text, chunk) for chunk in jobs.search_again(None, query, k, before)]

    def encoder_counts(self, number: int, example: Example, queries: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """`Job.encoder_counts` after further searches for `queries`."""
        counts = self._jobs(number, example).encoder_counts(example)
        for query in queries:
            counts.add_query(query)
        return counts.by_retriever()

    def _jobs(self, number: int, example: Example) -> DocumentJobs:
        plan, document = self._plans[number], example.document
        query = example.query if plan.chunker.per_query else None
        key = (number, document.id, document.text, query)
        if key not in self._recent:
            self._recent[key] = DocumentJobs(plan, document, IndexCache(), query)
            if len(self._recent) > MAX_KEPT:
                self._recent.popitem(last=False)
        self._recent.move_to_end(key)
        return self._recent[key]


def _packed_jobs(plan: Plan, document: Document, examples: Sequence[Example], cache: IndexCache) -> list[PackedJob]:
    values: dict[int, list[Packed]] = {}
    jobs = []
    for job in prepare(plan, document, examples, cache):
        if id(job.chunks) not in values:  # the jobs of a document have one list of chunks, which the cache holds
            values[id(job.chunks)] = [packed(document.text, chunk) for chunk in job.chunks]
        jobs.append(PackedJob.of(job, values[id(job.chunks)]))
    return jobs


def sendable(error: Exception) -> Exception:
    """The error, or where it cannot be pickled one with its words."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # nosec B301  # its own
    except Exception:
        copy = None
    return error if type(copy) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
