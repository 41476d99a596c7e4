"""The prompts of tasks whose rows carry them (`prompt="row"`), and our own words for examples that carry none."""

from longdoc.errors import UserError
from pipelines.prompts.row_prompt import Form, RowPrompt, instruction_of
from pipelines.records import Example
from pipelines.tasks import Task


def own_instruction(task: Task) -> str:
    """Our own instruction for a task whose rows carry prompts, "" for any other."""
    return task.row_wording.instruction.strip() if task.row_wording else ""


def row_prompt(task: Task, form: Form, first: Example | None) -> RowPrompt:
    """The prompt of a task's rows, `first` being the first of them.

    A row's prompt is our own wording where the row carries none, or one that begins as ours does. Raises `UserError`
    for rows without a prompt where the task has no wording of ours.
    """
    wording, own_beginning = task.row_wording, own_instruction(task).partition("{")[0]
    is_summary = wording is not None and wording.is_summary
    if first is None or "before" in first.meta:
        is_own = first is not None and bool(own_beginning) and instruction_of(first).startswith(own_beginning)
        return RowPrompt(form, "own" if is_own else "published", is_summary)
    if wording is None:
        raise UserError(
            f"prompt={form!r} needs rows with prompts, which {task.name} does not have: "
            f"give a template, such as prompt='{{query}} {{document}}'"
        )
    return RowPrompt(form, "own", is_summary, wording.parts)
