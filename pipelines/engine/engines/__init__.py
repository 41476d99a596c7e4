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
    """Base class of engines: one prepares the jobs of plans, and says who answers their requests.

    Strategies, the order of requests and everything that is written stay in the process that started the run.
    `sends_to` are hosts that get the texts to prepare or to read; empty: they stay on this machine.
    """

    sends_to: tuple[str, ...] = ()

    @abstractmethod
    def prepare_many(
        self, plans: Sequence["Plan"], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        A plan that fails on a document gives its error instead of jobs.
        """

    def prepare(self, plan: "Plan", wanted_function: IsWanted) -> Iterator[Job]:
        """Jobs for the wanted examples of a plan, in the order of the data."""
        for _, item in self.prepare_many([plan], [wanted_function]):
            if isinstance(item, Exception):
                raise item
            yield item

    def placed(self, plan: "Plan") -> "Plan":
        """The plan with what its reader resolves to where it runs (`Plan.resolved`); as it is where that is here."""
        return plan

    def batch_share(self, reader: Reader) -> float:
        """The share of a reader's prices that requests in batch files cost."""
        return BATCH_SHARE

    def finish(self) -> None:  # noqa: B027  (optional)
        """All runs have asked what they can. Raises `RepliesAwaited` where replies come at a later start."""

    def __enter__(self) -> "Engine":
        return self

    def __exit__(  # noqa: B027  (optional)
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Give free what was taken while runs were made."""

    def answering(self, reader: Reader) -> Reader:
        """What answers the requests to a plan's reader: that itself, or a `StreamingReader` that has it elsewhere.

        The plan's own reader goes on counting tokens.
        """
        return reader


registry: Registry[Engine] = Registry(
    __name__.rpartition(".")[0], "engine", contract=Engine, folders=("engines",), example="engine='local'"
)


def get(spec: Any) -> Engine:
    """The engine for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec)
