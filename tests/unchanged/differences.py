"""What differs between two folders of kept outputs."""

import json
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.unchanged import normal

BINARY = {".vectors", ".npy", ".png", ".pdf", ".npz", ".joblib", ".safetensors", ".gz", ".zip"}
SHOWN = 12  # lines of a difference


def differences(kept: Path, present: Path) -> tuple[list[str], list[str]]:
    """Differences of files and JSON, and those of words."""
    files = _files(kept / "work", present / "work")
    words: list[str] = []
    for file in sorted((kept / "printed").glob("*.json")):
        before = json.loads(file.read_text("utf-8"))
        other = present / "printed" / file.name
        if not other.is_file():
            files.append(f"{before['name']}: was not run")
            continue
        strict, loose = _printed(before, json.loads(other.read_text("utf-8")))
        files, words = files + strict, words + loose
    return files, words


def _printed(before: dict[str, Any], after: dict[str, Any]) -> tuple[list[str], list[str]]:
    name = before["name"]
    strict = [] if before["code"] == after["code"] else [f"{name}: exit code {before['code']}, now {after['code']}"]
    if name.endswith("--json") and before["stdout"].strip():
        return strict + _compared(name, before["stdout"], after["stdout"], ".json"), []
    changed = [
        part
        for stream in ("stdout", "stderr")
        for part in _diff(f"{name} ({stream})", *(normal.plain(r[stream]).splitlines() for r in (before, after)))
    ]
    return strict, changed


def _files(kept: Path, present: Path) -> list[str]:
    """Files that are in one of two folders only, or differ."""
    names = {
        str(path.relative_to(folder)) for folder in (kept, present) for path in folder.rglob("*") if path.is_file()
    }
    lines = []
    for name in sorted(names):
        if not (kept / name).is_file() or not (present / name).is_file():
            lines.append(f"{name}: only {'before' if (kept / name).is_file() else 'now'}")
        elif Path(name).suffix not in BINARY:
            before, after = ((folder / name).read_text("utf-8", "replace") for folder in (kept, present))
            lines += _compared(name, before, after, Path(name).suffix)
    return lines


def _compared(name: str, before: str, after: str, kind: str) -> list[str]:
    if kind in (".json", ".jsonl"):
        try:
            first, second = (json.dumps(normal.record(t), ensure_ascii=False, indent=1) for t in (before, after))
            return _diff(name, first.splitlines(), second.splitlines())
        except ValueError:
            pass
    if kind == ".html":
        return _diff(name, normal.page(before), normal.page(after))
    return _diff(name, normal.plain(before).splitlines(), normal.plain(after).splitlines())


def _diff(name: str, before: list[str], after: list[str]) -> list[str]:
    """A line with the first lines that differ; empty where none does."""
    if before == after:
        return []
    changes = [line[:160] for line in unified_diff(before, after, lineterm="", n=0) if line[:3] not in ("---", "+++")]
    return ["\n    ".join([f"{name}:", *changes[:SHOWN]])]
