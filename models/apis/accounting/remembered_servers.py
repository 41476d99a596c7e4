"""What servers said at the start of a run, kept under LONGDOC_CACHE.

What a server says decides how prompts are cut, and so which run a command means. With it a finished run is known again
while its server is off: it can be printed, and scored by other metrics.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc import caches
from longdoc.errors import UserError
from longdoc.files import write_whole
from models.apis.accounting.served_model import ServedModel


def remember(urls: Sequence[str], model: str, served: ServedModel, counts: bool, template: tuple[str, int]) -> None:
    """Keep what servers said of a model, whether they count tokens, and the tokens of a template by what is in it."""
    templates = dict(_record(urls, model).get("templates") or {})
    templates |= [template]
    fields = {name: getattr(served, name) for name in served.__slots__}
    record = {"served": fields, "counts": counts, "templates": templates}
    try:
        write_whole(caches.make(_folder()), _name(urls, model), json.dumps(record))
    except (OSError, UserError):  # nothing depends on it while the server runs
        return


def remembered_server(urls: Sequence[str], model: str) -> tuple[ServedModel, bool, Mapping[str, int]] | None:
    """The same; None where nothing is kept."""
    record = _record(urls, model)
    try:
        templates = {str(name): int(tokens) for name, tokens in record["templates"].items()}
        return ServedModel(**record["served"]), record["counts"] is True, templates
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _record(urls: Sequence[str], model: str) -> Mapping[str, Any]:
    try:
        record = json.loads((caches.own_folder(_folder()) / _name(urls, model)).read_text(encoding="utf-8"))
    except (OSError, ValueError, UserError):
        return {}
    return record if isinstance(record, Mapping) else {}


def _folder() -> Path:
    return caches.home() / "servers"


def _name(urls: Sequence[str], model: str) -> str:
    return f"{sha256(json.dumps([sorted(urls), model]).encode()).hexdigest()[:32]}.json"
