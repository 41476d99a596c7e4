"""A finished run's score as the hub reads it from a model's repository: `.eval_results/NAME.yaml`.

The form is that of the hub's documentation (docs/hub/eval-results.md): a list of results, each with `dataset.id`, a
data set that is registered as a benchmark by an `eval.yaml` of its own, `dataset.task_id`, a task in that file, and
`value`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run

OWN_DATA = "data given as files, not fetched from the hub"


def write(run: Run, record: Mapping[str, Any], file: Path) -> None:
    """Write the file. `record` is the `run.json`. Raises `UserError` for a task without a data set on the hub."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump([result(run, record)], sort_keys=False, allow_unicode=True)
    write_whole(file.parent, file.name, text, is_typed=True)


def result(run: Run, record: Mapping[str, Any]) -> dict[str, Any]:
    """The run's first score that is a mean over examples, else its first, with what decides it as notes."""
    data = run.spec.get("data") or {}
    repository = data.get("repository") or run.declared_task.dataset.repository
    if not repository:
        raise UserError(f"{run.task} has no data set on the hub, where results belong to one: --to every_eval_ever")
    if not run.scores:
        raise UserError(f"{run.folder} has no score: score it first, longdoc score {run.folder}")
    dataset = {"id": repository, "task_id": run.task.rpartition("/")[2]}
    if "revision" in data:
        dataset["revision"] = data["revision"]
    name = next(iter(run.sample_scores), next(iter(run.scores)))
    origin = "" if "repository" in data else OWN_DATA
    signature = run.scores.signatures.get(name, "")
    parts = (name, signature, f"split {run.split}", run.part, origin, recipe_of_spec(run.spec))
    return {
        "dataset": dataset,
        "value": run.scores[name],
        "date": record["starts"][0]["time"],
        "notes": "; ".join(filter(None, parts)),
    }
