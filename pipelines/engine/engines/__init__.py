"""The engines: what prepares a run's documents. One engine per file; `run(engine="local")`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from longdoc.registry import Registry
from pipelines.records import Example
from pipelines.strategies import Job

Wanted = Callable[[Example], bool]


class Engine(ABC):
    """Base class of engines: it prepares the jobs of plans, which the reader answers meanwhile."""

    @abstractmethod
    def prepare(self, plan: Any, wanted: Wanted) -> Iterator[Job]:
        """Jobs for the wanted examples of a plan, in the order of the data."""

    @abstractmethod
    def prepare_many(self, plans: Sequence[Any], wanted: Sequence[Wanted]) -> Iterator[tuple[int, Job | Exception]]:
        """Jobs of several plans over the same examples, document by document, each with its plan's number.

        A plan that fails on a document gives its error instead of jobs.
        """


registry: Registry[Engine] = Registry(
    __name__.rpartition(".")[0], "engine", contract=Engine, folders=("engines",), example="engine='local'"
)


def get(spec: Any) -> Engine:
    """The engine for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec)
