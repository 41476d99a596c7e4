"""The work of a process that prepares documents for another: it splits, indexes and ranks, and sends positions back."""

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

PackedJobs = list[tuple[int, list[PackedJob] | Exception]]  # each with the number of its plan


class DocumentWorker:
    """Prepares documents, each with its examples, for plans that came from another process.

    It keeps nothing that another worker, or the same one after a restart, could not make again.
    """

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans
        self._recent: OrderedDict[tuple[int, str, str, str | None], DocumentJobs] = OrderedDict()

    def prepare(self, document: Document, examples_by_plan: Sequence[Sequence[Example]]) -> PackedJobs:
        """One document's jobs, each list with the number of its plan; all plans share its chunks and indexes.

        A plan that fails on the document gives its error.
        """
        cache = IndexCache()
        prepared: PackedJobs = []
        for number, (plan, examples) in enumerate(zip(self._plans, examples_by_plan, strict=True)):
            if examples:
                try:
                    prepared.append((number, _packed_jobs(plan, document, examples, cache)))
                except Exception as error:
                    prepared.append((number, sendable(error)))
        return prepared

    def search(
        self, number: int, example: Example, query: str, k: int | None, before: Sequence[Chunk]
    ) -> Sequence[Packed]:
        """The chunks that a further search of an example's document finds (`Job.search`)."""
        chunks = self._document_jobs(number, example).search_again(None, query, k, before)
        return [packed(example.document.text, chunk) for chunk in chunks]

    def encoder_counts(self, number: int, example: Example, queries: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """`Job.encoder_counts` after further searches for `queries`."""
        counts = self._document_jobs(number, example).encoder_counts(example)
        for query in queries:
            counts.add_query(query)
        return counts.by_retriever()

    def _document_jobs(self, number: int, example: Example) -> DocumentJobs:
        """The `DocumentJobs` of an example's document for the plan of this number, made anew or kept from before."""
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
    """The jobs of a document's examples, packed. Jobs with the same chunks share them."""
    packed_chunks: dict[int, list[Packed]] = {}
    jobs = []
    for job in prepare(plan, document, examples, cache):
        if id(job.chunks) not in packed_chunks:  # the jobs of a document have one list of chunks, which the cache holds
            packed_chunks[id(job.chunks)] = [packed(document.text, chunk) for chunk in job.chunks]
        jobs.append(PackedJob.of(job, packed_chunks[id(job.chunks)]))
    return jobs


def sendable(error: Exception) -> Exception:
    """The error, or a `RuntimeError` with its words where it cannot be sent to another process."""
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # nosec B301  # pickled here
    except Exception:
        copy = None
    return error if type(copy) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
