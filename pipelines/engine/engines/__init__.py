"""The engines: where a run's documents are prepared and its requests answered. One per file; `run(engine="local")`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from longdoc.registry import Registry
from models.reader import Reader
from pipelines.engine.prices import BATCH_SHARE
from pipelines.records import Example
from pipelines.strategies import Job

if TYPE_CHECKING:
    from pipelines.engine.planning.plan import Plan  # which names engines in the types of its arguments

IsWanted = Callable[[Example], bool]


class Engine(ABC):
    """Base class of engines: an engine prepares the jobs of plans, and chooses the reader that answers their requests.

    Strategies, the order of requests and everything that is written stay in the process that started the run.
    `sends_to` are the hosts that get the texts to prepare or to read; empty where they stay on this machine.
    """

    sends_to: tuple[str, ...] = ()

    @abstractmethod
    def prepare_many(
        self, plans: Sequence["Plan"], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        `is_wanted` says for each plan which examples to prepare. A plan that fails on a document gives its error
        instead of jobs.
        """

    def prepare(self, plan: "Plan", is_wanted: IsWanted) -> Iterator[Job]:
        """Jobs for the wanted examples of a plan, in the order of the data."""
        for _, job in self.prepare_many([plan], [is_wanted]):
            if isinstance(job, Exception):
                raise job
            yield job

    def placed(self, plan: "Plan") -> "Plan":
        """The plan, with `Plan.resolved` where the engine runs its reader on other machines."""
        return plan

    def batch_share(self, reader: Reader) -> float:
        """The cost of a request in a batch file as a share of a live request's."""
        return BATCH_SHARE

    def finish(self) -> None:  # noqa: B027  (optional)
        """End the runs, which have sent their requests. Raises `RepliesAwaited` where replies come at a later start."""

    def __enter__(self) -> "Engine":
        return self

    def __exit__(  # noqa: B027  (optional)
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Release what the runs used."""

    def answering(self, reader: Reader) -> Reader:
        """The reader that answers a plan's requests: the plan's, or a `StreamingReader` that sends them elsewhere.

        The plan's own reader goes on counting tokens.
        """
        return reader


registry: Registry[Engine] = Registry(
    __name__.rpartition(".")[0],
    "engine",
    contract=Engine,
    folders=("engines",),
    plural="engines",
    example="engine='local'",
)


def get(spec: Any) -> Engine:
    """The engine for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec)
