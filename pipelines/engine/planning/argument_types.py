"""What the arguments of a run may be: a component's name, `NAME:ARGS`, a mapping with `name`, or an object."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from chunkers import Chunker
from models.reader import Reader
from pipelines.engine.engines import Engine
from pipelines.engine.planning.selection_budget import Fill
from pipelines.metrics import Metric
from pipelines.sources import DataSpec
from pipelines.strategies import Strategy
from pipelines.tasks import TaskSpec
from retrievers import Retriever

__all__ = [
    "AskArguments", "ChunkerSpec", "DataSpec", "EngineSpec", "Fill", "MetricSpec", "MetricsSpec", "Order",
    "PlanArguments", "Query", "ReaderSpec", "RecipeArguments", "RetrieverSpec", "Revision", "RunArguments",
    "RunChanges", "Select", "StrategySpec", "TaskSpec",
]  # fmt: skip


ChunkerSpec = str | Mapping[str, Any] | Chunker
RetrieverSpec = str | Mapping[str, Any] | Retriever
StrategySpec = str | Mapping[str, Any] | Strategy
ReaderSpec = str | Mapping[str, Any] | Reader | Callable[[str], str]
MetricSpec = str | Mapping[str, Any] | Metric
MetricsSpec = MetricSpec | Sequence[MetricSpec]
EngineSpec: TypeAlias = str | Mapping[str, Any] | Engine
Order = Literal["score", "document"]
Query = Literal["centroid"]
Select = int | str
Revision = str | Mapping[str, str]


class AskArguments(TypedDict, total=False):
    """The arguments of a run that questions about documents take: how passages are selected and read."""

    chunker: ChunkerSpec | None
    retriever: RetrieverSpec | None
    k: int | None
    budget: int | None
    select: Select | None
    fill: Fill | None
    query: Query | None
    order: Order | None
    strategy: StrategySpec | None
    model: ReaderSpec | None
    prompt: str | None
    max_new_tokens: int | None
    max_input_tokens: int | None
    device: str | None
    dtype: str | None
    deterministic: bool
    revision: Revision | None
    seed: int
    model_options: Mapping[str, Any] | None


class RecipeArguments(AskArguments, total=False):
    """The arguments of a run that decide its numbers, save task and data (`options.RunOptions`)."""

    split: str | None
    limit: int | None
    sample: int | None
    shard: str | None
    prompts_from: str | Path | None
    prices_from: str | Path | None
    metrics: MetricsSpec | None


class PlanArguments(RecipeArguments, total=False):
    """What `dry_run`, `prompt` and `contrapro` take of the arguments of a run."""

    data: DataSpec | None


class RunChanges(PlanArguments, total=False):
    """What `run` takes besides the task (`options.RunOptions`)."""

    out: str | Path | None
    engine: EngineSpec
    reply_cache: bool
    go_on: bool
    report: bool
    judge: ReaderSpec | None
    judge_prompts_from: str | Path | None


class RunArguments(RunChanges):
    """What `run` takes."""

    task: TaskSpec
