"""Several tasks run one after the other, each in its own folder. All are planned before the first starts."""

import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, error_with_hint
from longdoc.messages import counted, visible
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
    """The folder and plan of each task that can run, and the reason for each that cannot. `name` is of all together."""

    name: str
    plans: Mapping[str, tuple[Path, Plan]]
    not_run: Mapping[str, str]

    @property
    def summary(self) -> str:
        """A line on the tasks that run, and one for each that does not."""
        total = len(self.plans) + len(self.not_run)
        count = f"{len(self.plans)} of {total} tasks" if self.not_run else f"{total} tasks"
        lines = [f"{self.name}: {count}: {', '.join(self.plans)}"]
        return "\n".join([*lines, *(f"  not run: {task}: {reason}" for task, reason in self.not_run.items())])


def plan_tasks(spec: Any, out: Path | None, arguments: Mapping[str, Any]) -> TaskPlans:
    """The plans of the tasks of `spec` with the same arguments, but `data` and a folder of each.

    Raises `UserError` for unknown tasks, and the first task's error where none can run.
    """
    chosen_tasks = tasks.task_list(spec)
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
    name = spec if isinstance(spec, str) else ",".join(task.name for task in chosen_tasks)
    return TaskPlans(name, plans, {task: str(error) for task, error in errors.items()})


def _planned(
    task: tasks.Task, chosen_tasks: Sequence[tasks.Task], out: Path | None, arguments: Mapping[str, Any]
) -> tuple[Path, Plan]:
    """The folder and the plan of one of the tasks. Raises `UserError` where it cannot run."""
    others = {name: value for name, value in arguments.items() if name != "data"}
    plan = make_plan(task, data=data_of(task, chosen_tasks, arguments.get("data"), arguments.get("split")), **others)
    folder = default_folder(plan, spec_of(plan)) if out is None else out / task.name.replace("/", "-")
    check_run_path(folder)
    return folder, plan


def run_planned(
    task_plans: TaskPlans, engine: Engine, options: ExecutionOptions
) -> Iterator[tuple[str, Plan, Result | str]]:
    """Run the tasks in turn. Yields each task's name and plan with its result, or with the reason why it has none.

    An interrupt gets a note on what is kept.
    """
    names = {folder: name for name, (folder, _) in task_plans.plans.items()}
    with interruption_note.noting_errors(lambda: _kept_note(task_plans)):
        for folder, outcome in runs_in_turn(dict(task_plans.plans.values()), engine, options):
            plan = task_plans.plans[names[folder]][1]
            yield names[folder], plan, outcome if isinstance(outcome, Result) else _message(outcome)


def _kept_note(task_plans: TaskPlans) -> str:
    """The note on what is kept of tasks that break off, and how to go on; empty for nothing."""
    done = [count for folder, _ in task_plans.plans.values() if (count := finished_examples(folder / "journal.jsonl"))]
    if not done:
        return ""
    examples = f"{counted(sum(done), 'example')} of {counted(len(done), 'task')}"
    command = interruption_note.typed_command.get() or f"longdoc.pipelines.run_tasks({task_plans.name!r}, …)"
    return f"kept: {examples}; to continue: {command}"


def _message(error: Exception) -> str:
    """The line of an error that the user can fix; for a bug the exception's, whose traceback is printed."""
    if isinstance(error, UserError):
        return str(error)
    if (problem := error_with_hint(error)) is not None:
        return problem
    print(visible("".join(traceback.format_exception(error))), file=sys.stderr)
    return f"{type(error).__name__}: {error}"
