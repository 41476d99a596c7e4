"""What the arguments of a run may be: a component's name, `NAME:ARGS`, a mapping with `name`, or an object."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

from chunkers import Chunker
from models.reader import Reader
from pipelines.metrics import Metric
from pipelines.records import Example
from pipelines.strategies import Strategy
from pipelines.tasks import Task
from retrievers import Retriever

if TYPE_CHECKING:
    import datasets

    from pipelines.engine.engines.local import Local

TaskSpec = str | Task
ChunkerSpec = str | Mapping[str, Any] | Chunker
RetrieverSpec = str | Mapping[str, Any] | Retriever
StrategySpec = str | Mapping[str, Any] | Strategy
ReaderSpec = str | Mapping[str, Any] | Reader
MetricSpec = str | Mapping[str, Any] | Metric
MetricsSpec = str | Mapping[str, Any] | Sequence[MetricSpec]
EngineSpec = Union[str, Mapping[str, Any], "Local"]
DataSpec = Union[str, Path, Iterable[Example], "datasets.Dataset", "datasets.DatasetDict"]  # "sample" is bundled
Order = Literal["score", "document"]
Query = Literal["centroid"]
Revision = str | Mapping[str, str]
