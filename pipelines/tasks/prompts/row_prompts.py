"""The prompts of tasks whose rows carry them (`prompt="row"`), and our own words for examples that carry none."""

from collections.abc import Mapping
from dataclasses import asdict

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.strategies.shared.row_prompt import Form, RowPrompt, instruction_of
from pipelines.tasks.prompts import graphwalks_prompts, ruler_prompts, zero_scrolls_prompts
from pipelines.tasks.prompts.zero_scrolls_prompts import SUMMARIES, Wording

WORDING: Mapping[str, Mapping[str, Wording]] = {
    "zero_scrolls": zero_scrolls_prompts.WORDING,
    "ruler": ruler_prompts.WORDING,
    "": {"graphwalks": graphwalks_prompts.WORDING},
}
"""Our words by benchmark and task."""


def own_wording(task: str) -> Wording | None:
    """Our own words for a task whose rows carry prompts, None for any other."""
    suite, _, name = task.rpartition("/")
    return WORDING.get(suite, {}).get(name)


def own_instruction(task: str) -> str:
    """Our own instruction for a task whose rows carry prompts, "" for any other."""
    wording = own_wording(task)
    return wording.instruction.strip() if wording else ""


def row_prompt(task: str, form: Form, first: Example | None) -> RowPrompt:
    """The prompt of a task's rows, `first` being the first of them.

    A row's prompt is our own wording where the row carries none, or one that begins as ours does. Raises `UserError`
    for rows without a prompt of tasks for which there is none.
    """
    name, own_beginning = task.rpartition("/")[2], own_instruction(task).partition("{")[0]
    if first is None or "before" in first.meta:
        is_own = first is not None and bool(own_beginning) and instruction_of(first).startswith(own_beginning)
        return RowPrompt(form, "own" if is_own else "published", name in SUMMARIES)
    if (wording := own_wording(task)) is None:
        raise UserError(
            f"prompt={form!r} is for rows that carry their prompt, and those of {task} do not: "
            f"give a template, such as prompt='{{query}} {{document}}'"
        )
    return RowPrompt(form, "own", name in SUMMARIES, asdict(wording))
