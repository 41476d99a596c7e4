"""The request of `versus`: the ways to ask, and those that were asked elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.ablations.grid import ParameterGrid
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.options import planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.plugins.versus.condition_cells import RequestedCondition, requested_conditions
from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.plugins.versus.finished_conditions import Labelled, results_of_predictions, results_of_runs

SCORING_ARGUMENTS = ("metrics", "data", "split")  # arguments that say how files of predictions are scored
NO_GOLD = "no oracle: the data have no gold evidence"


@dataclass(frozen=True, slots=True)
class VersusRequest:
    """The ways to ask, as variants of an ablation, and the finished ones; `notes` say which ways are impossible."""

    task: tasks.Task
    requested: Sequence[RequestedCondition]
    finished: Sequence[ConditionResults]
    notes: Sequence[str]
    primary_metric: str | None
    split: str

    @property
    def grid(self) -> ParameterGrid:
        """The ways to ask, as named variants of an ablation."""
        return ParameterGrid({}, [{"name": condition.name, **condition.arguments} for condition in self.requested], {})

    def make(self, cell: Mapping[str, Any]) -> Plan:
        """The plan of a way."""
        return make_plan(self.task, **cell)


def versus_request(
    task: TaskSpec,
    model: Any,
    retriever: Any,
    amounts: Mapping[str, Mapping[str, Any]],
    chunker: Any,
    over_window: str,
    runs: Labelled | None,
    predictions: Labelled | None,
    primary_metric: str | None,
    arguments: Mapping[str, Any],
    further_strategies: Any = None,
) -> VersusRequest:
    """The request for arguments of `versus`. Raises `UserError`."""
    chosen_task = tasks.get(task)
    run_arguments = {name: value for name, value in arguments.items() if value is not None}
    for name in run_arguments:
        if name not in planned_arguments():
            raise unknown_argument(name, planned_arguments())
    if "shard" in run_arguments:
        note = "run each way with shard=, merge its shards, and give the merged runs as runs=[…]"
        raise UserError(f"a versus takes no shard=: leave it out, or {note}")
    metrics = run_arguments.get("metrics")
    data, split = run_arguments.get("data"), run_arguments.get("split")
    finished = [
        *results_of_runs(chosen_task, runs or ()),
        *results_of_predictions(chosen_task, predictions or (), metrics, data, split),
    ]
    conditions: list[RequestedCondition] = []
    notes: list[str] = []
    reader_arguments = with_served_reader({"model": model, "server": run_arguments.pop("server", None)})
    model = reader_arguments["model"]
    if model is not None or not finished:
        shared = {**run_arguments, "chunker": chunker, "model": model}
        conditions = requested_conditions(chosen_task, retriever, amounts, over_window, shared, further_strategies)
        if not _has_evidence(chosen_task, conditions):
            conditions, notes = [condition for condition in conditions if condition.kind != "oracle"], [NO_GOLD]
    else:
        reading_arguments = {
            "retriever": retriever, "chunker": chunker, "strategies": further_strategies,
            **{name: value for amount in amounts.values() for name, value in amount.items()}, **run_arguments,
        }  # fmt: skip
        used = SCORING_ARGUMENTS if predictions else ()
        unused = [name for name, value in reading_arguments.items() if value is not None and name not in used]
        if unused or over_window != "cut":
            name = (unused or ["over_window"])[0]
            raise UserError(f"{name} has no effect without a model: give model= too, or leave {name} out")
    names = [*(condition.name for condition in conditions), *(condition.name for condition in finished)]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"two ways are called {repeated!r}: give labels, as in predictions={{'ours': FILE}}")
    return VersusRequest(chosen_task, conditions, finished, notes, primary_metric, split or chosen_task.split)


def _has_evidence(task: tasks.Task, conditions: Sequence[RequestedCondition]) -> bool:
    """Whether some example has gold evidence."""
    return any(example.evidence for example in run_examples(make_plan(task, **conditions[0].arguments)))
