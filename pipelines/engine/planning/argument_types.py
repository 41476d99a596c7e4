"""The types of a run's arguments: a component is its name, `NAME:ARGS`, a mapping with `name`, or an object."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from chunkers import Chunker
from models.reader import Reader
from pipelines.metrics import Metric
from pipelines.sources import DataSpec
from pipelines.strategies import Strategy
from pipelines.tasks import TaskSpec
from retrievers import Retriever

__all__ = [
    "ChunkerSpec", "DataSpec", "EngineSpec", "MetricSpec", "MetricsSpec", "Order", "Query",
    "ReaderSpec", "RetrieverSpec", "StrategySpec", "TaskSpec",
]  # fmt: skip


@runtime_checkable
class EngineObject(Protocol):
    """An engine, as plans know it: `pipelines.engine.engines.Engine` imports plans, so plans cannot import it."""

    @property
    def sends_to(self) -> tuple[str, ...]:
        """The hosts that get the texts."""

    def batch_share(self, reader: Reader) -> float:
        """The share of a reader's prices that requests in batch files cost."""


ChunkerSpec = str | Mapping[str, Any] | Chunker
RetrieverSpec = str | Mapping[str, Any] | Retriever
StrategySpec = str | Mapping[str, Any] | Strategy
ReaderSpec = str | Mapping[str, Any] | Reader | Callable[[str], str]
MetricSpec = str | Mapping[str, Any] | Metric
MetricsSpec = MetricSpec | Sequence[MetricSpec]
EngineSpec: TypeAlias = str | Mapping[str, Any] | EngineObject
Order = Literal["score", "document"]
Query = Literal["centroid"]
