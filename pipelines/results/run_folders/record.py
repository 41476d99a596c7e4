"""Reading a run's `run.json`: its format, its spec, and what follows from the spec alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.links import check_files
from longdoc.record_checks import Malformed
from pipelines.display.selections import typed
from pipelines.results.formats import FORMAT, READ
from pipelines.results.run_folders import schema

ABLATION = "ablation.json"
START_ARGUMENTS = ("metrics", "limit", "shard")  # what a start asks of a run, which is the same run whatever they are


class DamagedRecord(UserError):
    """A `run.json` that is not as it was written; `record` is what of it can be read, if anything."""

    def __init__(self, path: Path, reason: str, record: Mapping[str, Any] | None = None) -> None:
        text = f"start the same run again with out={path}, which makes it anew and goes on from the logged replies"
        super().__init__(f"{path / 'run.json'} is damaged ({reason}): {text}")
        self.reason, self.record = reason, record


def check_format(record: Mapping[str, Any], formats: range, path: Path) -> None:
    """Raise `UserError` for a record of a version whose format is none of those that are read."""
    record_format = record.get("format")
    if not isinstance(record_format, int):
        raise UserError(f"the record of {path} is damaged: it has no format; choose another folder with out=")
    if record_format > formats[-1]:
        raise UserError(f"{path} was written by a newer longdoc (format {record_format}): upgrade longdoc")
    if record_format < formats[0]:
        age = f"{path} was written by an older longdoc (format {record_format}, now {formats[-1]})"
        raise UserError(f"{age}: start the run again in another folder, with out=")


def read_run(path: Path, is_complete: bool = False) -> dict[str, Any] | None:
    """A folder's `run.json`, None where there is none. Raises `UserError` if it is damaged, or in another format.

    `is_complete`: it must have every field of a complete record.
    """
    check_files(path)
    file = path / "run.json"
    if not file.is_file():
        return None
    try:
        record = checked_json.load(file, READ)
    except checked_json.Damaged as error:
        raise DamagedRecord(path, str(error), error.record) from None
    check_format(record, READ, path)
    try:
        schema.check(record, is_complete)
    except Malformed as error:
        raise DamagedRecord(path, str(error)) from None
    return record


def run_text(record: Mapping[str, Any]) -> str:
    """The text of a `run.json`, with its checksum."""
    return checked_json.dumps({"format": FORMAT} | {**record, "format": FORMAT})


def are_conditions(cells: Any) -> bool:
    """Whether the cells of an `ablation.json` make a table of conditions: they say of which kind they are."""
    return isinstance(cells, Sequence) and any(isinstance(cell, Mapping) and "kind" in cell for cell in cells)


def cells_run_here(cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The cells of an `ablation.json` without the runs and predictions that were given to a table of conditions."""
    return [cell for cell in cells if cell["settings"]]


def part(record: Mapping[str, Any]) -> str:
    """The part of the split that a run's record asks for, empty for all: `sample=20`, `limit=5 shard=1/3`."""
    parts = {"limit": record.get("limit"), "sample": record["spec"].get("sample"), "shard": record.get("shard")}
    return " ".join(f"{name}={value}" for name, value in parts.items() if value)


def repeatable(spec: Mapping[str, Any]) -> bool:
    """Whether the run can be repeated from its spec: objects that are not dataclasses are in it by name only."""
    return '"repeatable": false' not in json.dumps(spec)


def recipe_of_spec(spec: Mapping[str, Any]) -> str:
    """The recipe of a spec in one line: chunker → retriever and what it selects → strategy → reader."""
    chunker, model = spec["chunker"], spec["model"]
    size = chunker.get("size") or chunker.get("tokens") or chunker.get("of")  # truncating chunkers count tokens
    query = f" by {spec['query']}" if spec.get("query") else ""
    selected = f" budget={spec['budget']}" if spec["budget"] else f" k={spec['k']}" if spec["k"] else ""
    selected = ", as many as fit" + (f" of {spec['k']}" if spec["k"] else "") if spec.get("fit") else selected
    if select := spec.get("select"):
        selected = f" select={typed(select)}"
        selected += f" fill={select['fill']}" if select["fill"] != "cut" else ""
    side = "side=middle" if chunker.get("side") == "middle" else ""
    fields = ",".join(filter(None, (str(size or ""), side)))
    chunks = chunker["name"] + (f":{fields}" if fields else "")
    ranking = retriever_in_short(spec["retriever"]) + query + selected
    return f"{chunks} → {ranking} → {spec['strategy']['name']} → {reader_in_short(model)}"


def reader_name(record: Mapping[str, Any]) -> str:
    """A reader's name, with its model where it has one: `openai:gpt-4o`."""
    model = record.get("model")
    return f"{record['name']}:{model}" if isinstance(model, str) else reader_in_short(record)


def reader_in_short(record: Mapping[str, Any]) -> str:
    """A reader's model, or the name of a function that was given as one, else the reader's own name."""
    if isinstance(model := record.get("model"), str):
        return model
    function = record.get("function")
    return str(function["name"] if isinstance(function, Mapping) and "name" in function else record["name"])


def retriever_in_short(record: Mapping[str, Any]) -> str:
    """A retriever's name with what its ranking is made of: a preset, other retrievers, what text and words count."""
    from retrievers.shared.counts import SCIKIT_LEARN

    name, inner, members = record["name"], record.get("retriever"), record.get("retrievers")
    if preset := record.get("preset"):
        return f"{name}:{preset}" + (",encoder=none" if record.get("encoder") == "none" else "")
    if isinstance(members, (list, tuple)) and all(
        isinstance(member, Mapping) and "name" in member for member in members
    ):
        return f"{name}:[{','.join(map(retriever_in_short, members))}]"
    if isinstance(inner, Mapping) and "name" in inner:
        return f"{name}:{retriever_in_short(inner)}"
    pattern = record.get("token_pattern")
    settings = {
        "of": record["of"] if record.get("of") == "evidence" else None,
        "heading": "true" if record.get("heading") else None,
        "stop_words": record.get("stop_words") if isinstance(record.get("stop_words"), str) else None,
        "stem": record.get("stem"),
        "token_pattern": "scikit-learn" if pattern == SCIKIT_LEARN else pattern,
    }
    fields = ",".join(f"{field}={value}" for field, value in settings.items() if value)
    return f"{name}:{fields}" if fields else str(name)


def signature_suffix(spec: Mapping[str, Any]) -> str:
    """What a run's prompt adds to the signatures: whether its wording is our own, and how replies become answers."""
    prompt = spec["prompt"]
    for_chat = " for chat models" if "words" in prompt else ""
    wording = f"|prompt:own wording{for_chat}" if prompt.get("wording") == "own" else ""
    answers = prompt.get("words", prompt).get("answers", "text")
    return wording + (f"|answer:{answers} named in the reply" if answers != "text" else "")
