"""Which runs are of one system: the same reader, and the same departures from the recipes of their tasks."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import chunkers
import models
import retrievers
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.registry import describe
from pipelines import strategies, tasks
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.spec_differences import differences_in_words

MAX_NAMED = 3  # differences of two runs that are named


def by_system(runs: Sequence[Run]) -> dict[str, dict[str, Run]]:
    """The runs by system, then by task. Raises `UserError` for two of a task that nothing tells apart.

    Runs of other splits, or of other parts of a split, are other systems where they are of one task.
    """
    found_members: dict[str, list[Run]] = {}
    for run in runs:
        found_members.setdefault(system_of(run), []).append(run)
    systems: dict[str, dict[str, Run]] = {}
    for name, members in found_members.items():
        is_twice = len({run.task for run in members}) < len(members)
        for run in members:
            asked_names = [run.split, *filter(None, [run.part])] if is_twice else []
            tasks_of = systems.setdefault(f"{name} ({', '.join(asked_names)})" if asked_names else name, {})
            if run.task in tasks_of:
                raise _alike_error(tasks_of[run.task], run)
            tasks_of[run.task] = run
    return systems


def _alike_error(run: Run, other: Run) -> UserError:
    differing_entries = differences_in_words(run.spec, other.spec)[:MAX_NAMED]
    note = (
        f" (other {', '.join(dict.fromkeys(value.name for value in differing_entries))})" if differing_entries else ""
    )
    return UserError(f"{run.folder} and {other.folder} are both runs of {run.task} by one recipe{note}: choose one")


def system_of(run: Run) -> str:
    """The reader, and in brackets what is not the task's own recipe; "floor" for a task's floor."""
    chunker, retriever, strategy, reader = recipe_of_spec(run.spec).split(" → ")
    task = tasks.all_tasks().get(run.task)
    if task is None:
        return f"{reader} ({chunker} → {retriever} → {strategy})"
    if is_floor(run.spec, task):
        return "floor"
    own_names = [chunker] * (not _is_like(run.spec["chunker"], chunkers.get(task.chunker)))
    own_names += [retriever] * (not _selects_alike(run.spec, task))
    if (
        own_names
        and (run.spec["chunker"]["name"], run.spec["retriever"]["name"]) == ("whole", "all")
        and _reads_whole(run)
    ):
        own_names = []
    own_names += [strategy] * (not _is_like(run.spec["strategy"], strategies.get(task.strategy)))
    own_names += _prompt(run.spec, task)
    return f"{reader} ({', '.join(own_names)})" if own_names else reader


def is_floor(spec: Mapping[str, Any], task: tasks.Task) -> bool:
    """Whether a run is what model="floor" stands for."""
    return (
        bool(task.floor)
        and _is_like(spec["model"], models.get(task.floor))
        and _is_like(spec["chunker"], chunkers.get(task.floor_chunker))
        and _is_like(spec["strategy"], strategies.get(task.floor_strategy))
    )


def _selects_alike(spec: Mapping[str, Any], task: tasks.Task) -> bool:
    """Whether chunks are ranked and chosen as the task's recipe does."""
    if spec.get("select") or spec["budget"] or spec.get("query"):
        return False
    ordered = spec["order"] == task.order or task.retriever == "all"  # which keeps the document's order
    return ordered and spec["k"] == task.k and _is_like(spec["retriever"], retrievers.get(task.retriever))


def _is_like(record: Mapping[str, Any], component: Any) -> bool:
    """Whether a record describes the component; what that leaves open (`size: null`) may be anything."""
    wanted_value = json.loads(json.dumps(describe(component), default=str))
    return record.get("name") == wanted_value.get("name") and all(
        value is None or key not in record or record[key] == value for key, value in wanted_value.items()
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
    """The prompt, where it is not the task's."""
    prompt = spec["prompt"]
    if "form" in prompt:
        return [] if prompt["form"] == task.prompt else [f"prompt={prompt['form']}"]
    if "words" in prompt:
        return [f"prompt={'tags' if prompt['tags'] else 'chat'}"]
    if prompt.get("wording") == "published":
        return ["the benchmark's prompt"]
    return [] if prompt.get("text") == task.prompt else ["own prompt"]
