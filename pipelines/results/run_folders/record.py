"""Reading a run's `run.json`: its format and spec, and texts made from the spec."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from longdoc.links import check_files
from pipelines.results.formats import FORMAT, READ, READERS
from pipelines.results.run_folders import schema

ABLATION = "ablation.json"
START_ARGUMENTS = ("metrics", "limit", "shard")  # may differ between starts of one run


class DamagedRecord(UserError):
    """A damaged `run.json`; `record` is the part that can be read, if any."""

    def __init__(self, path: Path, reason: str, record: Mapping[str, Any] | None = None) -> None:
        text = f"start the same run again with out={path}, which writes it again and continues from the logged replies"
        super().__init__(f"{path / 'run.json'} is damaged ({reason}): {text}")
        self.reason, self.record = reason, record


def check_format(
    record: Mapping[str, Any], formats: range, path: Path, readers: Mapping[int, str] | None = None
) -> None:
    """Raise `UserError` for a record whose format is not among `formats`.

    `readers` are versions of longdoc that read earlier formats, for the message.
    """
    record_format = record.get("format")
    if not isinstance(record_format, int):
        raise UserError(f"the record of {path} is damaged: it has no format; choose another folder with out=")
    if record_format > formats[-1]:
        raise UserError(f"{path} was written by a newer longdoc (format {record_format}): upgrade longdoc")
    if record_format < formats[0]:
        problem = f"{path} was written by an older longdoc (format {record_format}, now {formats[-1]})"
        version = (readers or {}).get(record_format)
        hint = f"read it with longdoc {version}, or " if version else ""
        raise UserError(f"{problem}: {hint}start the run again in another folder, with out=")


def read_run(path: Path, is_complete: bool = False) -> dict[str, Any] | None:
    """The content of a folder's `run.json`; None without one. Raises `UserError` if it is damaged or of another format.

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
    check_format(record, READ, path, READERS)
    try:
        schema.check(record, is_complete)
    except Malformed as error:
        raise DamagedRecord(path, str(error)) from None
    return record


def run_text(record: Mapping[str, Any]) -> str:
    """The text of a `run.json`, with its checksum."""
    return checked_json.dumps({"format": FORMAT} | {**record, "format": FORMAT})


def are_conditions(cells: Any) -> bool:
    """Whether the cells of an `ablation.json` are conditions of `longdoc versus`, which have a kind."""
    return isinstance(cells, Sequence) and any(isinstance(cell, Mapping) and "kind" in cell for cell in cells)


def cells_run_here(cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The cells of an `ablation.json` that were run, without runs and predictions that were given to `versus`."""
    return [cell for cell in cells if cell["settings"]]


def part(record: Mapping[str, Any]) -> str:
    """The part of the split that was run: `sample=20`, `limit=5 shard=1/3`; empty for all of it."""
    parts = {"limit": record.get("limit"), "sample": record["spec"].get("sample"), "shard": record.get("shard")}
    return " ".join(f"{name}={value}" for name, value in parts.items() if value)


def repeatable(spec: Mapping[str, Any]) -> bool:
    """Whether the run can be repeated from its spec, which has only the names of objects that are not dataclasses."""
    return '"repeatable": false' not in json.dumps(spec)


def recipe_of_spec(spec: Mapping[str, Any]) -> str:
    """The recipe of a spec on one line: `chunker → retriever k=5 → strategy → reader`."""
    chunker, model = spec["chunker"], spec["model"]
    size = chunker.get("size") or chunker.get("tokens") or chunker.get("of")  # truncating chunkers count tokens
    query = f" by {spec['query']}" if spec.get("query") else ""
    selected = f" budget={spec['budget']}" if spec["budget"] else f" k={spec['k']}" if spec["k"] else ""
    selected = ", as many as fit" + (f" of {spec['k']}" if spec["k"] else "") if spec.get("fit") else selected
    side = "side=middle" if chunker.get("side") == "middle" else ""
    fields = ",".join(filter(None, (str(size or ""), side)))
    chunks = chunker["name"] + (f":{fields}" if fields else "")
    ranking = retriever_in_short(spec["retriever"]) + query + selected
    return f"{chunks} → {ranking} → {spec['strategy']['name']} → {reader_in_short(model)}"


def reader_name(record: Mapping[str, Any]) -> str:
    """A reader's name with its model, if it has one: `openai:gpt-4o`."""
    model = record.get("model")
    return f"{record['name']}:{model}" if isinstance(model, str) else reader_in_short(record)


def reader_in_short(record: Mapping[str, Any]) -> str:
    """A reader's model, or the name of the function that it calls, else its own name."""
    if isinstance(model := record.get("model"), str):
        return model
    function = record.get("function")
    return str(function["name"] if isinstance(function, Mapping) and "name" in function else record["name"])


def retriever_in_short(record: Mapping[str, Any]) -> str:
    """A retriever's name with the settings that decide its ranking: a preset, inner retrievers, text and words."""
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
    """What a run's prompt adds to the signatures of scores: own wording, and how answers are read from replies."""
    prompt = spec["prompt"]
    chat_note = " for chat models" if "words" in prompt else ""
    wording = f"|prompt:own wording{chat_note}" if prompt.get("wording") == "own" else ""
    answers = prompt.get("words", prompt).get("answers", "text")
    return wording + (f"|answer:{answers} named in the reply" if answers != "text" else "")
