"""BABILong's own prompts, which it keeps in parts: instruction, examples, a last request, and a template for these.

They are read from `babilong/prompts.py` of its repository, whose dictionaries are read without running it, or from the
JSON file beside a file of predictions, which holds the prompt of its one task (`qa1_8k_….json`).
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.benchmarks.babilong.layouts.babilong import task_name
from pipelines.sources import reading
from pipelines.tasks.prompt_files import PromptFile

PARTS = ("instruction", "examples", "post_prompt")
PROMPTS, TEMPLATE = "DEFAULT_PROMPTS", "DEFAULT_TEMPLATE"


@dataclass(frozen=True, slots=True)
class PartsFile(PromptFile):
    """A file of prompts in parts, by task (`name_field`)."""

    def read_entries(self, source: str) -> dict[str, str]:
        """See `PromptFile`. Raises `UserError` for a file without these parts."""
        path, _ = PromptFile._file_and_group(self, source, self.name)
        content = reading.text(path)
        prompts = _json_prompts(content, path) if path.suffix == ".json" else _python_prompts(content, path)
        return {task: self._template(_joined(parts, path), path) for task, parts in prompts.items()}


def _json_prompts(content: str, path: Path) -> dict[str, Any]:
    """The parts of the prompt in a JSON file, by its task."""
    try:
        record = plain_json.loads(content)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is not JSON: {error}; give the benchmark's own file") from None
    if not (task := task_name(path.name)):
        raise UserError(f"{path} must be named after its task, like qa1.json")
    return {task: record.get("prompt") if isinstance(record, Mapping) else None}


def _python_prompts(content: str, path: Path) -> dict[str, Any]:
    """The parts of the prompt of each task in a Python file."""
    constants = _constants(content, path)
    prompts, template = constants.get(PROMPTS), constants.get(TEMPLATE)
    if not isinstance(prompts, Mapping) or not isinstance(template, str):
        raise UserError(f"{path} has no {PROMPTS} and {TEMPLATE}: give babilong/prompts.py of its repository")
    return {
        str(task): {"template": template, **parts} if isinstance(parts, Mapping) else None
        for task, parts in prompts.items()
    }


def _constants(code: str, path: Path) -> dict[str, Any]:
    """The constants that a Python file assigns to names, read from its syntax; nothing is run."""
    try:
        statements = [statement for statement in ast.parse(code).body if isinstance(statement, ast.Assign)]
        return {
            target.id: ast.literal_eval(statement.value)
            for statement in statements
            for target in statement.targets
            if isinstance(target, ast.Name) and target.id in (PROMPTS, TEMPLATE)
        }
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{path} cannot be read as Python: {error}; give the benchmark's own file") from None


def _joined(parts: Any, path: Path) -> str:
    """The template with the parts in it; the places of text and question stay."""
    names = ("template", *PARTS)
    if not isinstance(parts, Mapping) or any(not isinstance(parts.get(name), str) for name in names):
        raise UserError(f"{path}: a prompt has {', '.join(names)}: give babilong/prompts.py of its repository")
    text = str(parts["template"])
    for name in PARTS:
        text = text.replace(f"{{{name}}}", parts[name])
    return text
