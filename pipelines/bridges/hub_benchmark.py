"""The `eval.yaml` by which a data set on the hub is a benchmark, out of a finished run over rows like those of the set.

The form is that of the hub's documentation (docs/hub/eval-results.md, "Eval.yaml specification") with inspect_ai as the
framework: `inspect eval hf/OWNER/NAME` then asks the run's prompt with the whole document, and scores by inspect_ai's
own scorer of that name. The set has the columns `question`, `document` and `answer`, one text each, as inspect_ai takes
them.
"""

from pathlib import Path
from string import Formatter
from typing import Any

import yaml

from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.plurals import counted
from pipelines.results.run_folders.run import Run

SCORERS = {"f1": "f1", "exact_match": "exact"}  # this project's scores by inspect_ai's name of them
COLUMNS = ("question", "document", "answer")
PROMPT_NAMES = {"query": "prompt", "document": "document"}  # the parts of our prompts as `prompt_template` calls them


def write(run: Run, file: Path) -> None:
    """Write the file. Raises `UserError` for a run that a benchmark of the hub cannot be made of."""
    text = yaml.safe_dump(benchmark(run), sort_keys=False, allow_unicode=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file.parent, file.name, text, is_typed=True)


def benchmark(run: Run) -> dict[str, Any]:
    """The content of the file: one task, with the run's split, prompt and score."""
    repository = (run.spec.get("data") or {}).get("repository")
    if repository:
        raise UserError(f"the data of {run.folder} are {repository}'s on the hub: give a run over rows of your own")
    name = run.task.rpartition("/")[2]
    question, document, answer = COLUMNS
    return {
        "name": name,
        "description": f"{counted(run.examples, 'question')} about long documents, with their answers.",
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": name,
                "config": "default",
                "split": run.split,
                "field_spec": {"input": question, "target": answer, "metadata": [document]},
                "solvers": [{"name": "prompt_template", "args": {"template": _template(run)}}, {"name": "generate"}],
                "scorers": [{"name": _scorer(run)}],
            }
        ],
    }


def _scorer(run: Run) -> str:
    for score, scorer in SCORERS.items():
        if score in run.scores:
            return scorer
    raise UserError(
        f"{run.folder} has no score that inspect_ai has, too ({', '.join(SCORERS)}): longdoc score {run.folder} "
        "--metric f1"
    )


def _template(run: Run) -> str:
    """The run's prompt as a format of `prompt_template`. Raises `UserError` for a prompt with further parts."""
    text = run.spec["prompt"].get("text")
    pieces = []
    for literal, name, _, _ in Formatter().parse(text if isinstance(text, str) else "{no text}"):
        if name is not None and name not in PROMPT_NAMES:
            raise UserError(
                f"the prompt of {run.folder} has parts that inspect_ai's prompt_template lacks: run it with --prompt "
                "'{document} {query}'"
            )
        pieces.append(literal.replace("{", "{{").replace("}", "}}"))
        pieces.append("" if name is None else f"{{{PROMPT_NAMES[name]}}}")
    return "".join(pieces)
