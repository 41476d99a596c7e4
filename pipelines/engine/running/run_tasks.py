"""Several tasks run one after the other, each in its own folder: all planned before the first starts."""

import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from longdoc.system_errors import error_with_hint
from longdoc.visible import visible
from pipelines import tasks
from pipelines.engine import interruption_note
from pipelines.engine.engines import Engine
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.planning.task_data import data_of
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.engine.running.active_run import default_folder
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.engine.running.run_many import runs_in_turn
from pipelines.results.result import Result
from pipelines.results.run_folders.entry import finished_examples


@dataclass(frozen=True, slots=True)
class TaskPlans:
    """The plan and folder of each task that can run, and why the others cannot. `name` is what was asked for."""

    name: str
    plans: Mapping[str, tuple[Path, Plan]]
    not_run: Mapping[str, str]

    @property
    def summary(self) -> str:
        """How many tasks run, and a line for each that does not."""
        whole_count = len(self.plans) + len(self.not_run)
        count = f"{len(self.plans)} of {whole_count} tasks" if self.not_run else f"{whole_count} tasks"
        lines = [f"{self.name}: {count}: {', '.join(self.plans)}"]
        return "\n".join([*lines, *(f"  not run: {task}: {reason}" for task, reason in self.not_run.items())])


def plan_tasks(given_value: Any, out: Path | None, arguments: Mapping[str, Any]) -> TaskPlans:
    """The plans of several tasks with the same arguments; of `data` and of `out` each has its own.

    Raises `UserError` for unknown tasks, and the first task's error where none can run.
    """
    chosen_tasks = tasks.task_list(given_value)
    plans: dict[str, tuple[Path, Plan]] = {}
    errors: dict[str, UserError] = {}
    for task in chosen_tasks:
        try:
            plans[task.name] = _planned(task, chosen_tasks, out, arguments)
        except UserError as error:
            errors[task.name] = error
    if not plans:
        is_alike = len({str(error) for error in errors.values()}) == 1
        first = next(iter(errors))
        raise UserError(f"none of the tasks can run{'' if is_alike else f'; the first, {first}'}: {errors[first]}")
    name = given_value if isinstance(given_value, str) else ",".join(task.name for task in chosen_tasks)
    return TaskPlans(name, plans, {task: str(error) for task, error in errors.items()})


def _planned(
    task: tasks.Task, chosen_entries: Sequence[tasks.Task], out: Path | None, arguments: Mapping[str, Any]
) -> tuple[Path, Plan]:
    own_fields = {name: value for name, value in arguments.items() if name != "data"}
    plan = make_plan(
        task, data=data_of(task, chosen_entries, arguments.get("data"), arguments.get("split")), **own_fields
    )
    folder = default_folder(plan, spec_of(plan)) if out is None else out / task.name.replace("/", "-")
    check_run_path(folder)
    return folder, plan


def run_planned(
    planned: TaskPlans, engine: Engine, options: ExecutionOptions
) -> Iterator[tuple[str, Plan, Result | str]]:
    """Run the tasks in turn: each with its result as soon as it has one, or with the reason why it has none.

    An interrupt gets a note of what is kept.
    """
    names = {folder: name for name, (folder, _) in planned.plans.items()}
    with interruption_note.noting_errors(lambda: _kept_text(planned)):
        for folder, ended_value in runs_in_turn(dict(planned.plans.values()), engine, options):
            plan = planned.plans[names[folder]][1]
            yield names[folder], plan, ended_value if isinstance(ended_value, Result) else _message(ended_value)


def _kept_text(planned: TaskPlans) -> str:
    done = [count for folder, _ in planned.plans.values() if (count := finished_examples(folder / "journal.jsonl"))]
    if not done:
        return ""
    examples = f"{counted(sum(done), 'example')} of {counted(len(done), 'task')}"
    command = interruption_note.typed_command.get() or f"longdoc.run_tasks({planned.name!r}, …)"
    return f"kept: {examples}; go on with: {command}"


def _message(error: Exception) -> str:
    """An error the user can fix as its one line; for a bug the exception, whose traceback goes to stderr."""
    if isinstance(error, UserError):
        return str(error)
    if (problem := error_with_hint(error)) is not None:
        return problem
    print(visible("".join(traceback.format_exception(error))), file=sys.stderr)
    return f"{type(error).__name__}: {error}"
