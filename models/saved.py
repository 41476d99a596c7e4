"""Folders of trained readers and retrievers, described by `reader.json` or `retriever.json`.

What scikit-learn learned is in `model.skops` (skops reads nothing but known types and runs no code, unlike pickle);
networks are in `transformers`' own files, weights as safetensors.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc import archives, errors, plain_json
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from longdoc.files import write_pieces, write_whole
from longdoc.links import check_inside, check_tree

READER = "reader.json"
RETRIEVER = "retriever.json"
LEARNED = "model.skops"


def describe(folder: Path, component: Mapping[str, Any], file: str = READER) -> None:
    """Write the description of a trained reader or retriever: its `name` and fields, without `model` (the folder)."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = {key: value for key, value in component.items() if key != "model"}
    write_whole(folder, file, json.dumps(fields, indent=2, ensure_ascii=False) + "\n")


def saved_description(model: str, file: str = READER) -> dict[str, Any] | None:
    """The description of the reader (or retriever) in a folder, with `model` set to it; None if there is none.

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
        raise UserError(f"{path} does not name a {kind}: train it again, `longdoc train --help`")
    described: dict[str, Any] = marked_with_file({**component, "model": model}, str(path))
    return described


def save(folder: Path, learned: Mapping[str, Any]) -> None:
    """Write a fitted scikit-learn model, as named parts, to a folder."""
    import skops.io

    folder.mkdir(parents=True, exist_ok=True)
    write_pieces(folder, LEARNED, [skops.io.dumps(dict(learned))])


def load(folder: str, *names: str) -> list[Any]:
    """The parts that `save` wrote, by name. Raises `UserError` if they are missing, broken or of untrusted types."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    path = _learned_path(folder)
    with errors.parsing(path, "train again"), archives.opened(path):  # raises for a zip that is a trap
        try:
            learned = skops.io.load(path)
        except UntrustedTypesFoundException as error:
            raise UserError(f"{path} needs types that are not trusted, so it was not read: {error}") from None
    if not isinstance(learned, dict) or set(learned) != set(names):
        raise UserError(f"{path} holds another kind of reader: pass the folder itself, model={folder!r}")
    return [learned[name] for name in names]


def _learned_path(folder: str) -> Path:
    path = Path(folder) / LEARNED
    if not path.is_file():
        raise UserError(f"{folder} has no {LEARNED}: train a model into it, `longdoc train --help`")
    check_inside(path, Path(folder))
    return path


def identity(folder: str | None) -> dict[str, Any]:
    """The fields that a run records of a trained folder: a digest of its `model.skops`. {} for None."""
    if folder is None:
        return {}
    digest = hashlib.sha256(_learned_path(folder).read_bytes()).hexdigest()
    return {"weights": digest[:16], "deterministic": True}
