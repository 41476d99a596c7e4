"""The inputs that are kept: the shortest that reach new lines of a target, and those that were findings.

`corpus.jsonl` has a line for each: the target, the bytes as Latin-1, and for a finding that is mended what it was.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.attacks.fuzz.harness import PACKAGES, Target, attempt

FILE = Path(__file__).with_name("corpus.jsonl")
MOST = 12  # inputs of a target that are kept for what they reach
LONGEST = 700  # bytes of one of them
_ROOT = Path(__file__).resolve().parents[3]
_OURS = tuple(f"{_ROOT}/{name}/" for name in PACKAGES)


def _records() -> list[dict[str, str]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()] if FILE.is_file() else []


def read() -> dict[str, list[bytes]]:
    """The inputs by target."""
    found: dict[str, list[bytes]] = {}
    for one in _records():
        found.setdefault(one["target"], []).append(one["data"].encode("latin-1"))
    return found


def mended() -> dict[str, list[str]]:
    """What was found and mended, by target."""
    found: dict[str, list[str]] = {}
    for one in _records():
        if "was" in one:
            found.setdefault(one["target"], []).append(one["was"])
    return found


def add(target: str, inputs: Iterable[bytes], was: str = "") -> None:
    """Add inputs to the file, which is sorted; those that are there stay as they are."""
    records = {(one["target"], one["data"]): one for one in _records()}
    for data in inputs:
        one = {"target": target, "data": data.decode("latin-1"), **({"was": was} if was else {})}
        records.setdefault((target, one["data"]), one)
    lines = sorted(json.dumps(one, sort_keys=True) for one in records.values())
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def shortest(one: Target, inputs: Iterable[bytes], known: Iterable[bytes], folder: Path) -> list[bytes]:
    """Of some inputs the few short ones that reach lines which `known` and the ones before do not."""
    reached: set[Any] = set()
    for data in known:
        reached |= _lines(one, data, folder)
    kept = []
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        if len(data) > LONGEST or len(kept) == MOST:
            break
        if new := _lines(one, data, folder) - reached:
            kept.append(data)
            reached |= new
    return kept


def _lines(one: Target, data: bytes, folder: Path) -> set[tuple[str, int]]:
    """The lines of our packages that an input reaches."""
    reached: set[tuple[str, int]] = set()

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(_OURS) else None

    sys.settrace(trace)
    try:
        attempt(one, data, folder)
    finally:
        sys.settrace(None)
    return reached
