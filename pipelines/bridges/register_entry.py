"""An entry for the register of inspect_evals, `register/NAME/eval.yaml`, which points to a task in your own repository.

Its fields are those of the register's guide (inspect_evals, register/README.md) and of the examples of
`ExternalEvalMetadata` in the tests of its tools: full_title, common_title, description, tasks with `name` and
`task_path`, and the source with `repository_url`, `repository_commit` (40 digits) and `maintainers`. The schema itself
was not at hand. What a run does not know is "not stated".
"""

import re
from pathlib import Path
from typing import Any

import yaml

from longdoc.files import write_whole
from longdoc.plurals import counted
from pipelines.bridges.every_eval_ever import UNSTATED
from pipelines.results.run_folders.run import Run

FOLDER = Path("register")  # of the repository of inspect_evals
TASK_PATH = "tasks.py"


def name_of(run: Run) -> str:
    """The run's task as the name of a folder and of a function."""
    return re.sub(r"\W+", "_", run.task)


def write(run: Run, file: Path) -> None:
    """Write the entry."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(entry(run), sort_keys=False, allow_unicode=True)
    write_whole(file.parent, file.name, text, is_typed=True)


def entry(run: Run) -> dict[str, Any]:
    """The content of the entry."""
    examples, documents = counted(run.examples, "question"), counted(run.counts.documents, "document")
    return {
        "full_title": run.task,
        "common_title": run.task.rpartition("/")[2],
        "description": f"{examples} about {documents}, scored by {', '.join(run.scores)}.",
        "tasks": [{"name": name_of(run), "task_path": TASK_PATH, "dataset_samples": run.examples}],
        "source": {"repository_url": UNSTATED, "repository_commit": UNSTATED, "maintainers": [UNSTATED]},
    }
