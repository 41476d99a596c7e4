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
MAX_INPUTS = 12  # inputs of a target that are kept for what they reach
MAX_BYTES = 700  # bytes of one of them
_ROOT = Path(__file__).resolve().parents[3]
_OURS = tuple(f"{_ROOT}/{name}/" for name in PACKAGES)


def _records() -> list[dict[str, str]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()] if FILE.is_file() else []


def read() -> dict[str, list[bytes]]:
    """The inputs by target."""
    inputs: dict[str, list[bytes]] = {}
    for record in _records():
        inputs.setdefault(record["target"], []).append(record["data"].encode("latin-1"))
    return inputs


def mended_findings() -> dict[str, list[str]]:
    """What was found and mended, by target."""
    findings: dict[str, list[str]] = {}
    for record in _records():
        if "was" in record:
            findings.setdefault(record["target"], []).append(record["was"])
    return findings


def add(target: str, inputs: Iterable[bytes], was: str = "") -> None:
    """Add inputs to the file, which is sorted; those that are there stay as they are."""
    records = {(record["target"], record["data"]): record for record in _records()}
    for data in inputs:
        record = {"target": target, "data": data.decode("latin-1"), **({"was": was} if was else {})}
        records.setdefault((target, record["data"]), record)
    lines = sorted(json.dumps(record, sort_keys=True) for record in records.values())
    FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def shortest(target: Target, inputs: Iterable[bytes], known_inputs: Iterable[bytes], folder: Path) -> list[bytes]:
    """Of some inputs the few short ones that reach lines which `known` and the ones before do not."""
    reached: set[Any] = set()
    for data in known_inputs:
        reached |= _lines(target, data, folder)
    shortest_inputs = []
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        if len(data) > MAX_BYTES or len(shortest_inputs) == MAX_INPUTS:
            break
        if new := _lines(target, data, folder) - reached:
            shortest_inputs.append(data)
            reached |= new
    return shortest_inputs


def _lines(target: Target, data: bytes, folder: Path) -> set[tuple[str, int]]:
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
        attempt(target, data, folder)
    finally:
        sys.settrace(None)
    return reached
