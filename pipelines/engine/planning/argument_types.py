"""What the arguments of a run may be: a component's name, `NAME:ARGS`, a mapping with `name`, or an object."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from chunkers import Chunker
from models.reader import Reader
from pipelines.metrics import Metric
from pipelines.records import Example
from pipelines.strategies import Job, Strategy
from pipelines.tasks import Task
from retrievers import Retriever


class HubDataset(Protocol):
    """A `datasets.Dataset` or `DatasetDict`, by a method of both: the library is not imported."""

    def with_format(self, *args: Any, **kwargs: Any) -> Any:
        """See `datasets`."""
        ...


class Engine(Protocol):
    """What runs a plan, as `pipelines.engine.engines.local.Local`."""

    def prepare(self, plan: Any, wanted: Callable[[Example], bool]) -> Iterator[Job]:
        """Jobs for the wanted examples of a plan, in the order of the data."""
        ...


TaskSpec = str | Task
ChunkerSpec = str | Mapping[str, Any] | Chunker
RetrieverSpec = str | Mapping[str, Any] | Retriever
StrategySpec = str | Mapping[str, Any] | Strategy
ReaderSpec = str | Mapping[str, Any] | Reader
MetricSpec = str | Mapping[str, Any] | Metric
MetricsSpec = str | Mapping[str, Any] | Sequence[MetricSpec]
EngineSpec = str | Mapping[str, Any] | Engine
DataSpec = str | Path | Iterable[Example] | HubDataset
Order = Literal["score", "document"]
Query = Literal["centroid"]
Revision = str | Mapping[str, str]
