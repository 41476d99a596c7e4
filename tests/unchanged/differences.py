"""Differences between two folders of kept outputs."""

import json
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.unchanged import normal

BINARY = {".vectors", ".npy", ".png", ".pdf", ".npz", ".joblib", ".safetensors", ".gz", ".zip"}
SHOWN = 12  # how many lines of a difference are shown


def differences(kept: Path, present: Path) -> tuple[list[str], list[str]]:
    """The differences of files and JSON, and those of printed words."""
    files = _file_differences(kept / "work", present / "work")
    words: list[str] = []
    for file in sorted((kept / "printed").glob("*.json")):
        before = json.loads(file.read_text("utf-8"))
        present_file = present / "printed" / file.name
        if not present_file.is_file():
            files.append(f"{before['name']}: was not run")
            continue
        strict, in_words = _printed_differences(before, json.loads(present_file.read_text("utf-8")))
        files, words = files + strict, words + in_words
    return files, words


def _printed_differences(before: dict[str, Any], after: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The differences of a command's exit code and JSON, and those of its words."""
    name = before["name"]
    strict = [] if before["code"] == after["code"] else [f"{name}: exit code {before['code']}, now {after['code']}"]
    if name.endswith("--json") and before["stdout"].strip():
        return strict + _text_differences(name, before["stdout"], after["stdout"], ".json"), []
    in_words = [
        part
        for stream in ("stdout", "stderr")
        for part in _diff(f"{name} ({stream})", *(normal.plain(r[stream]).splitlines() for r in (before, after)))
    ]
    return strict, in_words


def _file_differences(kept: Path, present: Path) -> list[str]:
    """A line for each file that differs or is in one folder only."""
    names = {
        str(path.relative_to(folder)) for folder in (kept, present) for path in folder.rglob("*") if path.is_file()
    }
    lines = []
    for name in sorted(names):
        if not (kept / name).is_file() or not (present / name).is_file():
            lines.append(f"{name}: only {'before' if (kept / name).is_file() else 'now'}")
        elif Path(name).suffix not in BINARY:
            before, after = ((folder / name).read_text("utf-8", "replace") for folder in (kept, present))
            lines += _text_differences(name, before, after, Path(name).suffix)
    return lines


def _text_differences(name: str, before: str, after: str, suffix: str) -> list[str]:
    """The differences of two files with a suffix, without what varies between equal runs."""
    if suffix in (".json", ".jsonl"):
        try:
            first, second = (json.dumps(normal.record(t), ensure_ascii=False, indent=1) for t in (before, after))
            return _diff(name, first.splitlines(), second.splitlines())
        except ValueError:
            pass
    if suffix == ".html":
        return _diff(name, normal.page(before), normal.page(after))
    return _diff(name, normal.plain(before).splitlines(), normal.plain(after).splitlines())


def _diff(name: str, before: list[str], after: list[str]) -> list[str]:
    """One item with the first lines that differ; empty if none does."""
    if before == after:
        return []
    changes = [line[:160] for line in unified_diff(before, after, lineterm="", n=0) if line[:3] not in ("---", "+++")]
    return ["\n    ".join([f"{name}:", *changes[:SHOWN]])]
