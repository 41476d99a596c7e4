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


def _with(file: str, change: Callable[[Any], Any]) -> Callable[[Path], object]:
    """A damage: a JSON file of the run, changed."""

    def damage(run: Path) -> None:
        record = json.loads((run / file).read_text(encoding="utf-8"))
        (run / file).write_text(json.dumps(change(record)), encoding="utf-8")
        resealed(run)

    return damage


def _bytes(file: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    def damage(run: Path) -> None:
        (run / file).write_bytes(change((run / file).read_bytes()))
        resealed(run)

    return damage


def _replaced(file: str, how: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(run: Path) -> None:
        (run / file).unlink()
        how(run / file)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "run.json is empty": _bytes("run.json", lambda data: b""),
    "run.json is cut off": _bytes("run.json", lambda data: data[:100]),
    "run.json is rubbish": _bytes("run.json", lambda data: bytes(range(256))),
    "run.json is a list": _bytes("run.json", lambda data: b"[]"),
    "run.json is nested 100,000 deep": _bytes("run.json", lambda data: b"[" * 100_000),
    "run.json is a folder": _replaced("run.json", Path.mkdir),
    "run.json is a link to itself": _replaced("run.json", lambda path: path.symlink_to("run.json")),
    "run.json is gone": _replaced("run.json", lambda path: None),
    "run.json has no format": _with("run.json", lambda one: {**one, "format": None}),
    "run.json has format 99": _with("run.json", lambda one: {**one, "format": 99}),
    "run.json has format 1": _with("run.json", lambda one: {**one, "format": 1}),
    "the spec is a list": _with("run.json", lambda one: {**one, "spec": []}),
    "the task is unknown": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "task": "nosuch"}}),
    "the task has an escape": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "task": "\x1b[31mred"}}),
    "the chunker is code": _with(
        "run.json", lambda one: {**one, "spec": {**one["spec"], "chunker": {"name": "os:system"}}}
    ),
    "the retriever is unknown": _with(
        "run.json", lambda one: {**one, "spec": {**one["spec"], "retriever": {"name": "nosuch"}}}
    ),
    "a metric is unknown": _with("run.json", lambda one: {**one, "metrics": {"f1": {"name": "nosuch"}}}),
    "a metric is a number": _with("run.json", lambda one: {**one, "metrics": {"f1": 5}}),
    "the data are nowhere": _with("run.json", lambda one: {**one, "data": {"given": "nowhere"}}),
    "the data are a number": _with("run.json", lambda one: {**one, "data": {"given": 5}}),
    "the arguments are odd": _with("run.json", lambda one: {**one, "arguments": {"nosuch": [1]}}),
    "the prompt is odd": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "prompt": {"text": 5}}}),
    "k is -1": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "k": -1}}),
    "scores.json is empty": _bytes("scores.json", lambda data: b""),
    "scores.json is cut off": _bytes("scores.json", lambda data: data[:50]),
    "scores.json has text for scores": _with("scores.json", lambda one: {**one, "scores": {"f1": "high"}}),
    "scores.json has NaN": _with("scores.json", lambda one: {**one, "scores": {"f1": float("nan")}}),
    "scores.json has odd intervals": _with("scores.json", lambda one: {**one, "intervals": {"f1": [1]}}),
    "scores.json has odd usage": _with("scores.json", lambda one: {**one, "usage": {}}),
    "scores.json counts other examples": _with("scores.json", lambda one: {**one, "examples": 99}),
    "a score has an escape in its name": _with("scores.json", lambda one: {**one, "scores": {"\x1b[31m": 1.0}}),
    "predictions.jsonl is empty": _bytes("predictions.jsonl", lambda data: b""),
    "predictions.jsonl is cut off": _bytes("predictions.jsonl", lambda data: data[:-30]),
    "predictions.jsonl has zeros": _bytes("predictions.jsonl", lambda data: data[:200] + bytes(50) + data[250:]),
    "predictions.jsonl has another type": _bytes(
        "predictions.jsonl", lambda data: data.replace(b'"requests":1', b'"requests":"x"')
    ),
    "a prediction is there twice": _bytes("predictions.jsonl", lambda data: data.splitlines(keepends=True)[0] * 2),
    "spans are outside": _bytes(
        "predictions.jsonl", lambda data: data.replace(b'"selected":[[0,', b'"selected":[[99999,')
    ),
    "predictions.jsonl is a pipe": _replaced("predictions.jsonl", os.mkfifo),
    "journal.jsonl is rubbish": _bytes("journal.jsonl", lambda data: bytes(range(256))),
    "requests.jsonl is rubbish": _bytes("requests.jsonl", lambda data: bytes(range(256))),
    "journal.jsonl is a folder": _replaced("journal.jsonl", Path.mkdir),
    "the lock is a folder": _replaced(".lock", Path.mkdir),
}


def made() -> Iterator[Case]:
    for what, damage in DAMAGES.items():
        for words in (
            ("show", "@run", "test-1"), ("report", "@run", "--format", "markdown"), ("rerun", "@run", "--no-report"),
        ):  # fmt: skip
            yield Case("damaged run", words, (0, 2), damage, f"longdoc {words[0]} RUN, where {what}")
    for what in (
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
            yield Case("damaged run", words, (0, 2), DAMAGES[what], f"longdoc {words[0]} RUN, where {what}")
