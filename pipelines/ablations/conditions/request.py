"""What `versus` was called with: the ways to ask, and those that were asked elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.ablations.conditions.condition_cells import RequestedCondition, requested_conditions
from pipelines.ablations.conditions.finished_conditions import Labelled, predictions_given, runs_given
from pipelines.ablations.grid import ParameterGrid
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.options import planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.results.conditions.coverage import ConditionResults

FILES_NAMES = ("metrics", "data", "split")  # arguments that say how files of predictions are scored
NO_GOLD = "no oracle: the data have no gold evidence"


@dataclass(frozen=True, slots=True)
class VersusRequest:
    """The ways to ask, as variants of an ablation, and those given; `notes` say which ways there cannot be."""

    task: tasks.Task
    asked: Sequence[RequestedCondition]
    given: Sequence[ConditionResults]
    notes: Sequence[str]
    primary_metric: str | None
    split: str

    @property
    def grid(self) -> ParameterGrid:
        """The ways to ask as named variants."""
        return ParameterGrid({}, [{"name": condition.name, **condition.arguments} for condition in self.asked], {})

    def make(self, cell: Mapping[str, Any]) -> Plan:
        """The plan of a way."""
        return make_plan(self.task, **cell)


def versus_request(
    task: TaskSpec,
    model: Any,
    retriever: Any,
    amounts: Mapping[str, Any],
    chunker: Any,
    over_window: str,
    runs: Labelled | None,
    predictions: Labelled | None,
    primary_metric: str | None,
    arguments: Mapping[str, Any],
    further_strategies: Any = None,
) -> VersusRequest:
    """The ways to ask and those given. Raises `UserError`."""
    chosen_task = tasks.get(task)
    given_arguments = {name: value for name, value in arguments.items() if value is not None}
    for name in given_arguments:
        if name not in planned_arguments():
            raise unknown_argument(name, planned_arguments())
    if "shard" in given_arguments:
        note = "make its ways as runs with shard=, merge each, and give them as runs=[…]"
        raise UserError(f"a versus has no shards: leave shard= out, or {note}")
    metrics = given_arguments.get("metrics")
    data, split = given_arguments.get("data"), given_arguments.get("split")
    given_conditions = [
        *runs_given(chosen_task, runs or ()),
        *predictions_given(chosen_task, predictions or (), metrics, data, split),
    ]
    conditions: list[RequestedCondition] = []
    notes: list[str] = []
    reader = with_served_reader({"model": model, "server": given_arguments.pop("server", None)})
    model = reader["model"]
    if model is not None or not given_conditions:
        shared = {**given_arguments, "chunker": chunker, "model": model}
        conditions = requested_conditions(chosen_task, retriever, amounts, over_window, shared, further_strategies)
        if not _has_evidence(chosen_task, conditions):
            conditions, notes = [condition for condition in conditions if condition.kind != "oracle"], [NO_GOLD]
    else:
        spare_values = {
            "retriever": retriever, "chunker": chunker, "strategies": further_strategies, **amounts, **given_arguments,
        }  # fmt: skip
        files_names = FILES_NAMES if predictions else ()
        unused = [name for name, value in spare_values.items() if value is not None and name not in files_names]
        if unused or over_window != "cut":
            name = (unused or ["over_window"])[0]
            raise UserError(f"{name} says how a model reads, and none is asked: give model= too, or leave it out")
    names = [*(condition.name for condition in conditions), *(condition.name for condition in given_conditions)]
    if twice_text := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"two ways are called {twice_text!r}: give labels, as in predictions={{'ours': FILE}}")
    return VersusRequest(chosen_task, conditions, given_conditions, notes, primary_metric, split or chosen_task.split)


def _has_evidence(task: tasks.Task, requested_conditions: Sequence[RequestedCondition]) -> bool:
    """Whether some example of the run has gold evidence."""
    whole_fields = requested_conditions[0].arguments
    return any(example.evidence for example in run_examples(make_plan(task, **whole_fields)))
