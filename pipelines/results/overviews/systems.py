"""Grouping runs by system: the same reader, and the same differences from the recipes of their tasks."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import chunkers
import models
import retrievers
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines import strategies, tasks
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.spec_differences import differences_in_words

MAX_NAMED = 3  # differences of two runs that are named


def by_system(runs: Sequence[Run]) -> dict[str, dict[str, Run]]:
    """The runs by system, then by task. Raises `UserError` for two runs of one task with the same recipe.

    Runs of one task on other splits, or other parts of a split, are other systems.
    """
    runs_by_recipe: dict[str, list[Run]] = {}
    for run in runs:
        runs_by_recipe.setdefault(system_of(run), []).append(run)
    systems: dict[str, dict[str, Run]] = {}
    for name, members in runs_by_recipe.items():
        has_repeated_tasks = len({run.task for run in members}) < len(members)
        for run in members:
            parts = [run.split, *filter(None, [run.part])] if has_repeated_tasks else []
            runs_by_task = systems.setdefault(f"{name} ({', '.join(parts)})" if parts else name, {})
            if run.task in runs_by_task:
                raise _alike_error(runs_by_task[run.task], run)
            runs_by_task[run.task] = run
    return systems


def _alike_error(run: Run, other: Run) -> UserError:
    differences = differences_in_words(run.spec, other.spec)[:MAX_NAMED]
    note = f" (other {', '.join(dict.fromkeys(difference.name for difference in differences))})" if differences else ""
    return UserError(f"{run.folder} and {other.folder} are both runs of {run.task} by one recipe{note}: choose one")


def system_of(run: Run) -> str:
    """The name of a run's system: the reader, and in brackets what differs from the task's recipe; or "floor"."""
    chunker, retriever, strategy, reader = recipe_of_spec(run.spec).split(" → ")
    task = tasks.all_tasks().get(run.task)
    if task is None:
        return f"{reader} ({chunker} → {retriever} → {strategy})"
    if is_floor(run.spec, task):
        return "floor"
    departures = [chunker] * (not _is_like(run.spec["chunker"], chunkers.get(task.chunker)))
    departures += [retriever] * (not _selects_alike(run.spec, task))
    if (
        departures
        and (run.spec["chunker"]["name"], run.spec["retriever"]["name"]) == ("whole", "all")
        and _reads_whole(run)
    ):
        departures = []
    departures += [strategy] * (not _is_like(run.spec["strategy"], strategies.get(task.strategy)))
    departures += _prompt(run.spec, task)
    return f"{reader} ({', '.join(departures)})" if departures else reader


def is_floor(spec: Mapping[str, Any], task: tasks.Task) -> bool:
    """Whether a run is its task's floor (`model="floor"`)."""
    return (
        bool(task.floor)
        and _is_like(spec["model"], models.get(task.floor))
        and _is_like(spec["chunker"], chunkers.get(task.floor_chunker))
        and _is_like(spec["strategy"], strategies.get(task.floor_strategy))
    )


def _selects_alike(spec: Mapping[str, Any], task: tasks.Task) -> bool:
    """Whether chunks are ranked and selected as in the task's recipe."""
    if spec["budget"] or spec.get("query"):
        return False
    same_order = spec["order"] == task.order or task.retriever == "all"  # which keeps the document's order
    return same_order and spec["k"] == task.k and _is_like(spec["retriever"], retrievers.get(task.retriever))


def _is_like(record: Mapping[str, Any], component: Any) -> bool:
    """Whether a record describes the component; fields that are None in the component may have any value."""
    description = json.loads(json.dumps(describe(component), default=str))
    return record.get("name") == description.get("name") and all(
        value is None or key not in record or record[key] == value for key, value in description.items()
    )


def _reads_whole(run: Run) -> bool:
    """Whether the reader gets whole documents by itself, whatever the task's recipe."""
    try:
        name = marked_with_file(run.spec["model"]["name"], str(run.folder / "run.json"))
        component = models.registry.component(name)  # not `get`, which looks for other names in the hub
    except UserError:
        return False
    return issubclass(component, models.Reader) and component.needs_whole_document


def _prompt(spec: Mapping[str, Any], task: tasks.Task) -> list[str]:
    """The prompt in words, if it is not the task's; else empty."""
    prompt = spec["prompt"]
    if "form" in prompt:
        return [] if prompt["form"] == task.prompt else [f"prompt={prompt['form']}"]
    if "words" in prompt:
        return [f"prompt={'tags' if prompt['tags'] else 'chat'}"]
    if prompt.get("wording") == "published":
        return ["the benchmark's prompt"]
    return [] if prompt.get("text") == task.prompt else ["own prompt"]
