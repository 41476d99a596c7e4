"""Folders of trained readers and retrievers: `reader.json` or `retriever.json` says what to make of them.

What scikit-learn learned is in `model.skops` (skops reads nothing but known types and runs no code, unlike pickle);
networks are in `transformers`' own files, weights as safetensors.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc import archives, foreign_files, plain_json
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.files import write_pieces, write_whole
from longdoc.links import check_inside, check_tree

READER = "reader.json"
RETRIEVER = "retriever.json"
LEARNED_TEXT = "model.skops"


def describe(folder: Path, component: Mapping[str, Any], file: str = READER) -> None:
    """Write what makes a reader (or retriever) of the folder: its `name` and fields, `model` (the folder) left out."""
    folder.mkdir(parents=True, exist_ok=True)
    kept_fields = {key: value for key, value in component.items() if key != "model"}
    write_whole(folder, file, json.dumps(kept_fields, indent=2, ensure_ascii=False) + "\n")


def saved_description(model: str, file: str = READER) -> dict[str, Any] | None:
    """The reader (or retriever) that a folder describes, `model` being the folder; None where it has no description.

    It is data: what it names is looked up among the registered components (`longdoc.allowed_code`).
    """
    path, kind = Path(model) / file, file.removesuffix(".json")
    try:
        if not path.is_file():
            return None
    except (OSError, ValueError):  # a name that no folder can have
        return None
    check_tree(Path(model))
    try:
        component = plain_json.loads(path.read_bytes())
    except ValueError as error:
        raise UserError(f"{path} is not JSON ({error}): train the {kind} again, `longdoc train --help`") from None
    if not isinstance(component, dict) or not isinstance(component.get("name"), str):
        raise UserError(f"{path} names no {kind}: train it again, `longdoc train --help`")
    described: dict[str, Any] = marked_with_file({**component, "model": model}, str(path))
    return described


def save(folder: Path, learned_fields: Mapping[str, Any]) -> None:
    """Keep what scikit-learn learned."""
    import skops.io

    folder.mkdir(parents=True, exist_ok=True)
    write_pieces(folder, LEARNED_TEXT, [skops.io.dumps(dict(learned_fields))])


def load(folder: str, *names: str) -> list[Any]:
    """What `save` wrote under these names. Raises `UserError`: nothing there, broken, untrusted types."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    path = _learned_path(folder)
    with foreign_files.parsing(path, "train again"), archives.opened(path):  # raises for a zip that is a trap
        try:
            learned_value = skops.io.load(path)
        except UntrustedTypesFoundException as error:
            raise UserError(f"{path} asks for types that are not trusted, so it is not read: {error}") from None
    if not isinstance(learned_value, dict) or set(learned_value) != set(names):
        raise UserError(f"{path} holds another kind of reader: pass the folder itself, model={folder!r}")
    return [learned_value[name] for name in names]


def _learned_path(folder: str) -> Path:
    path = Path(folder) / LEARNED_TEXT
    if not path.is_file():
        raise UserError(f"{folder} holds no {LEARNED_TEXT}: train into it, `longdoc train --help`")
    check_inside(path, Path(folder))
    return path


def identity(folder: str | None) -> dict[str, Any]:
    """What a run records of a folder with `model.skops`: sixteen digits that change with it. Nothing for no folder."""
    if folder is None:
        return {}
    digest = hashlib.sha256(_learned_path(folder).read_bytes()).hexdigest()
    return {"weights": digest[:16], "deterministic": True}
