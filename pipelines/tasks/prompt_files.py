"""A benchmark's own prompt, read at run time from the file that the user has of its repository (`prompts_from`).

Its wording is nobody's but the benchmark's: this project has none of it, and its own words stand in where no file is
given. Files are read as data: JSON, text, a Python file whose dictionaries of texts are read without running it, or a
notebook (`notebook_prompts`).
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from longdoc import plain_json
from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from longdoc.links import check_inside
from pipelines.sources import reading, zips
from pipelines.tasks import notebook_prompts

PASSAGES, CLOSED_BOOK, REASONING, CONCLUSION = "passages", "closed book", "reasoning", "conclusion"
NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """Where a benchmark keeps a task's prompt, and what its placeholders are called here.

    - `name`: the file in the benchmark's repository. In a folder that is given it is looked for by its whole name, and
      without the first folders of it.
    - `entry`: the prompt's name in a JSON or Python file, or in a notebook where `FILE::ENTRY` names none; "" where the
      file is the prompt.
    - `group`: the dictionary of a Python file that is read where `FILE::GROUP` names none.
    - `fields`: each placeholder as it is written there ("{context}", "$DOC$") with the name of its part here
      ("document", "query", "options", "option_a" …).
    - `formatted`: whether the benchmark's code fills it by `str.format`, where doubled braces stand for one.
    - `forms`: the files of further prompts in that folder, by the form of a run (`Task.prompts`), or `FILE::ENTRY`.
    - `label`: what stands before each passage in the form "passages", with `{number}` from 1; `separator` between two.
    - `name_field`: the field of an example's metadata that names its prompt, where a task's examples have several
      (`read_entries`); "" where all have the one of `entry`.
    """

    name: str
    fields: Mapping[str, str]
    entry: str = ""
    group: str = ""
    formatted: bool = True
    name_field: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    separator: str = "\n"

    def read(self, source: str, form: str = "") -> str:
        """The prompt of a form as a template of this project's (`Template`).

        `source` is the file, a folder that holds it, `FILE::GROUP`, or `FILE::ENTRY` of a notebook. Raises
        `UserError` for a file that is missing, lacks the prompt, or has placeholders that nothing here fills.
        """
        name, _, form_entry = self.forms.get(form, self.name).partition(zips.SEPARATOR)
        path, group = self._file_and_group(source, name)
        prompts = self._prompts(path, group)
        if isinstance(prompts, str):
            return self._template(prompts, path, form)
        entry = (group if path.suffix == NOTEBOOK else "") or form_entry or self.entry
        if entry not in prompts:
            raise unknown(f"prompt in {path.name}", entry, prompts)
        return self._template(prompts[entry], path, form)

    def read_entries(self, source: str) -> dict[str, str]:
        """All prompts of the file as templates, by name: for a benchmark whose examples have several (`name_field`)."""
        path, group = self._file_and_group(source, self.name)
        prompts = self._prompts(path, group)
        if isinstance(prompts, str):
            raise UserError(
                f"prompts_from={path}: the file has one prompt, and the task needs one for each {self.name_field}"
            )
        return {name: self._template(text, path) for name, text in prompts.items()}

    def _file_and_group(self, source: str, name: str) -> tuple[Path, str]:
        """The file `name` in a folder, or the given file, and its group. Raises `UserError` for a missing file."""
        place, _, group = source.partition(zips.SEPARATOR)
        path = expanded(place)
        if path.is_dir():
            parts = Path(name).parts
            candidates = [path.joinpath(*parts[first:]) for first in range(len(parts))]
            file = next((path for path in candidates if path.is_file()), None)
            if file is None:
                raise UserError(f"prompts_from={source}: the folder has no {name}; give the file itself")
            path = check_inside(file, path)
        return reading.existing(path), group or self.group

    def _prompts(self, path: Path, group: str) -> Mapping[str, str] | str:
        """The prompts of a file by name; its text where the file is the prompt."""
        content = reading.text(path)
        if path.suffix == ".json":
            return _json_prompts(content, path)
        if path.suffix == NOTEBOOK:
            return notebook_prompts.read(content, path)
        if path.suffix == ".py":
            groups = _python_groups(content, path)
            if group not in groups:
                raise unknown(f"group of prompts in {path.name} (FILE::GROUP)", group, groups)
            return groups[group]
        if (self.entry or self.name_field) and Path(self.name).suffix in (".json", ".py", NOTEBOOK):
            raise UserError(
                f"prompts_from={path}: expected {self.name} of the benchmark's repository, which has the prompt"
            )
        return content

    def _template(self, text: str, path: Path, form: str = "") -> str:
        """The text with this project's placeholders. Raises `UserError` for one that nothing here fills."""
        pieces = re.split(f"({'|'.join(map(re.escape, self.fields))})", text)
        template, parts = "", []
        for piece in pieces:
            if piece in self.fields:
                parts.append(self.fields[piece])
                template += f"{{{self.fields[piece]}}}"
                continue
            literal = piece
            if self.formatted:
                if placeholder := re.search(r"(?<!\{)\{(\w+)\}(?!\})", piece):
                    raise unknown(f"placeholder in the prompt of {path.name}", placeholder[0], self.fields)
                literal = piece.replace("{{", "{").replace("}}", "}")
            template += literal.replace("{", "{{").replace("}", "}}")
        if form == CLOSED_BOOK and "document" not in parts:
            return template + "{document}"  # where there is none
        if parts.count("document") != 1:
            raise UserError(
                f"prompts_from={path}: the prompt must have one place for the document, and has "
                f"{parts.count('document')}"
            )
        return template


def _json_prompts(content: str, path: Path) -> Mapping[str, str]:
    """The texts in an object, by name. Raises `UserError` for another file."""
    try:
        prompts = plain_json.loads(content)
    except plain_json.NotJSON as error:
        raise UserError(f"{path} is not JSON: {error}; give the benchmark's own file") from None
    if not isinstance(prompts, dict):
        raise UserError(f"{path} must be an object of tasks and their prompts: give the benchmark's own file")
    return {str(name): text for name, text in prompts.items() if isinstance(text, str)}


def _python_groups(code: str, path: Path) -> Mapping[str, Mapping[str, str]]:
    """The dictionaries of texts that a Python file assigns to names, read from its syntax; nothing is run."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{path} cannot be read as Python: {error}; give the benchmark's own file") from None
    groups: dict[str, Mapping[str, str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            prompts = {
                key.value: text
                for key, value in zip(statement.value.keys, statement.value.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and (text := _text(value)) is not None
            }
            groups |= {target.id: prompts for target in statement.targets if isinstance(target, ast.Name)}
    if not groups:
        raise UserError(f"{path} has no dictionary of prompts: give the benchmark's own file")
    return groups


def _text(node: ast.expr) -> str | None:
    """A text, or texts joined by +; None for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None or right is None else left + right
    return None
