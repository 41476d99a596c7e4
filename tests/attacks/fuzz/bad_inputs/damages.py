"""A finished run's folder, damaged in one way or another, given to the commands that read it.

The checksums of its files are made anew, so that what a record holds is looked at, and not its checksum alone.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.attacks.fuzz.bad_inputs.trials import Case
from tests.resealed import resealed


def _record_changed(file: str, change: Callable[[Any], Any]) -> Callable[[Path], object]:
    """A damage: a JSON file of the run, changed."""

    def damage(run: Path) -> None:
        record = json.loads((run / file).read_text(encoding="utf-8"))
        (run / file).write_text(json.dumps(change(record)), encoding="utf-8")
        resealed(run)

    return damage


def _bytes_changed(file: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def damage(run: Path) -> None:
        (run / file).write_bytes(change((run / file).read_bytes()))
        resealed(run)

    return damage


def _replaced(file: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(run: Path) -> None:
        (run / file).unlink()
        make(run / file)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "run.json is empty": _bytes_changed("run.json", lambda data: b""),
    "run.json is cut off": _bytes_changed("run.json", lambda data: data[:100]),
    "run.json is rubbish": _bytes_changed("run.json", lambda data: bytes(range(256))),
    "run.json is a list": _bytes_changed("run.json", lambda data: b"[]"),
    "run.json is nested 100,000 deep": _bytes_changed("run.json", lambda data: b"[" * 100_000),
    "run.json is a folder": _replaced("run.json", Path.mkdir),
    "run.json is a link to itself": _replaced("run.json", lambda path: path.symlink_to("run.json")),
    "run.json is gone": _replaced("run.json", lambda path: None),
    "run.json has no format": _record_changed("run.json", lambda record: {**record, "format": None}),
    "run.json has format 99": _record_changed("run.json", lambda record: {**record, "format": 99}),
    "run.json has format 1": _record_changed("run.json", lambda record: {**record, "format": 1}),
    "the spec is a list": _record_changed("run.json", lambda record: {**record, "spec": []}),
    "the task is unknown": _record_changed(
        "run.json", lambda record: {**record, "spec": {**record["spec"], "task": "nosuch"}}
    ),
    "the task has an escape": _record_changed(
        "run.json", lambda record: {**record, "spec": {**record["spec"], "task": "\x1b[31mred"}}
    ),
    "the chunker is code": _record_changed(
        "run.json", lambda record: {**record, "spec": {**record["spec"], "chunker": {"name": "os:system"}}}
    ),
    "the retriever is unknown": _record_changed(
        "run.json", lambda record: {**record, "spec": {**record["spec"], "retriever": {"name": "nosuch"}}}
    ),
    "a metric is unknown": _record_changed(
        "run.json", lambda record: {**record, "metrics": {"f1": {"name": "nosuch"}}}
    ),
    "a metric is a number": _record_changed("run.json", lambda record: {**record, "metrics": {"f1": 5}}),
    "the data are nowhere": _record_changed("run.json", lambda record: {**record, "data": {"given": "nowhere"}}),
    "the data are a number": _record_changed("run.json", lambda record: {**record, "data": {"given": 5}}),
    "the arguments are odd": _record_changed("run.json", lambda record: {**record, "arguments": {"nosuch": [1]}}),
    "the prompt is odd": _record_changed(
        "run.json", lambda record: {**record, "spec": {**record["spec"], "prompt": {"text": 5}}}
    ),
    "k is -1": _record_changed("run.json", lambda record: {**record, "spec": {**record["spec"], "k": -1}}),
    "scores.json is empty": _bytes_changed("scores.json", lambda data: b""),
    "scores.json is cut off": _bytes_changed("scores.json", lambda data: data[:50]),
    "scores.json has text for scores": _record_changed(
        "scores.json", lambda record: {**record, "scores": {"f1": "high"}}
    ),
    "scores.json has NaN": _record_changed("scores.json", lambda record: {**record, "scores": {"f1": float("nan")}}),
    "scores.json has odd intervals": _record_changed(
        "scores.json", lambda record: {**record, "intervals": {"f1": [1]}}
    ),
    "scores.json has odd usage": _record_changed("scores.json", lambda record: {**record, "usage": {}}),
    "scores.json counts other examples": _record_changed("scores.json", lambda record: {**record, "examples": 99}),
    "a score has an escape in its name": _record_changed(
        "scores.json", lambda record: {**record, "scores": {"\x1b[31m": 1.0}}
    ),
    "predictions.jsonl is empty": _bytes_changed("predictions.jsonl", lambda data: b""),
    "predictions.jsonl is cut off": _bytes_changed("predictions.jsonl", lambda data: data[:-30]),
    "predictions.jsonl has zeros": _bytes_changed(
        "predictions.jsonl", lambda data: data[:200] + bytes(50) + data[250:]
    ),
    "predictions.jsonl has another type": _bytes_changed(
        "predictions.jsonl", lambda data: data.replace(b'"requests":1', b'"requests":"x"')
    ),
    "a prediction is there twice": _bytes_changed(
        "predictions.jsonl", lambda data: data.splitlines(keepends=True)[0] * 2
    ),
    "spans are outside": _bytes_changed(
        "predictions.jsonl", lambda data: data.replace(b'"selected":[[0,', b'"selected":[[99999,')
    ),
    "predictions.jsonl is a pipe": _replaced("predictions.jsonl", os.mkfifo),
    "journal.jsonl is rubbish": _bytes_changed("journal.jsonl", lambda data: bytes(range(256))),
    "requests.jsonl is rubbish": _bytes_changed("requests.jsonl", lambda data: bytes(range(256))),
    "journal.jsonl is a folder": _replaced("journal.jsonl", Path.mkdir),
    "the lock is a folder": _replaced(".lock", Path.mkdir),
}


def all_cases() -> Iterator[Case]:
    for damage_name, damage in DAMAGES.items():
        for words in (
            ("show", "@run", "test-1"), ("report", "@run", "--format", "markdown"), ("rerun", "@run", "--no-report"),
        ):  # fmt: skip
            yield Case("damaged run", words, (0, 2), damage, f"longdoc {words[0]} RUN, where {damage_name}")
    for damage_name in (
        "run.json is rubbish",
        "the chunker is code",
        "scores.json is cut off",
        "predictions.jsonl is cut off",
        "a metric is a number",
    ):
        for words in (
            ("compare", "@run", "runs/bm25"), ("score", "@run"), ("blame", "@run"), ("bridge", "export", "@run"),
            ("runs", "merge", "@run", "runs/shard-2"), ("runs", "list", "@run"), ("plan", "@run", "--detect", "3"), ("analyze", "outputs", "@run"),
            ("benchmark", "scores", "muld", "@run"),
        ):  # fmt: skip
            yield Case(
                "damaged run", words, (0, 2), DAMAGES[damage_name], f"longdoc {words[0]} RUN, where {damage_name}"
            )
