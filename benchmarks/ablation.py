"""What sharing work over the cells of an ablation saves: 30 cells against the slowest three of them run alone.

NarrativeQA, k of 1 to 20, two sizes of chunks, three retrievers, reader `extractive`. Every run is measured in a new
process, imports and weights included. Runs keep the vectors of chunks in the cache, as the program does by itself:
`cold` starts with an empty cache, which a later one of the three runs finds filled by the earlier ones, `warm` with a
full one. CPU seconds are those of all threads; other work on the machine lengthens them less than seconds. The three
slowest are those of 30 single runs with a warm cache, and each single run's predictions are compared with its cell's.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.results import publish, realdata, table

AXES: dict[str, list[Any]] = {
    "k": [1, 2, 5, 10, 20],
    "chunker": ["tokens:size=100", "tokens:size=200"],
    "retriever": ["tfidf", "bm25", "dense"],
}
FIXED = {"model": "extractive"}


class Spent(NamedTuple):
    """Seconds by the clock, and of all processors."""

    seconds: float
    cpu: float


def timed(function: str, arguments: dict[str, Any], cache: Path) -> Spent:
    """What a call of one of `pipelines`' functions takes in a new process."""
    code = f"import json, sys, pipelines; pipelines.{function}('narrativeqa', **json.load(sys.stdin))"
    environment = os.environ | {"LONGDOC_CACHE": str(cache)}
    start, before = time.perf_counter(), cpu_seconds()
    subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(FIXED | arguments),
        env=environment,
        text=True,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return Spent(time.perf_counter() - start, cpu_seconds() - before)


def cpu_seconds() -> float:
    """Of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def total(parts: Sequence[Spent]) -> Spent:
    """Of several runs, one after the other."""
    return Spent(sum(one.seconds for one in parts), sum(one.cpu for one in parts))


def row(what: str, spent: Spent, alone: Spent | None = None) -> list[str]:
    """A row of the table; with `alone` also how many times that it took."""
    times = (f"{spent.seconds / alone.seconds:.2f}", f"{spent.cpu / alone.cpu:.2f}") if alone else ("", "")
    return [what, f"{spent.seconds:.1f}", times[0], f"{spent.cpu:.1f}", times[1]]


def cells() -> list[dict[str, Any]]:
    """The settings of all cells."""
    return [dict(zip(AXES, values, strict=True)) for values in product(*AXES.values())]


def name(cell: dict[str, Any]) -> str:
    """The cell's name in the ablation."""
    return ", ".join(f"{key}={value}" for key, value in cell.items())


def equal(grid: Path, singles: Path) -> int:
    """How many single runs have the predictions and scores of their cells, byte for byte."""
    record = json.loads((grid / "ablation.json").read_text(encoding="utf-8"))
    folders = {cell["name"]: grid / cell["folder"] for cell in record["cells"]}
    files = ("predictions.jsonl", "scores.json")
    return sum(
        all((folders[name(cell)] / file).read_bytes() == (singles / str(i) / file).read_bytes() for file in files)
        for i, cell in enumerate(cells())
    )


def main() -> None:
    folder, load = realdata(), os.getloadavg()[0]
    data = {"data": str(folder / "narrativeqa") if folder else "sample"}
    with tempfile.TemporaryDirectory() as folder_name:
        base = Path(folder_name)
        cold = timed("ablate", {**AXES, **data, "out": str(base / "cold")}, base / "cache")
        warm = timed("ablate", {**AXES, **data, "out": str(base / "warm")}, base / "cache")
        again = timed("ablate", {**AXES, **data, "out": str(base / "warm")}, base / "cache")
        alone = [
            timed("run", {**cell, **data, "out": str(base / "alone" / str(i))}, base / "cache")
            for i, cell in enumerate(cells())
        ]
        slowest = sorted(range(len(alone)), key=lambda i: -alone[i].cpu)[:3]
        colds = [
            timed("run", {**cells()[i], **data, "out": str(base / f"cold-{i}")}, base / "first filled by the three")
            for i in slowest
        ]
        same = equal(base / "cold", base / "alone")
    three_cold, three_warm = total(colds), total([alone[i] for i in slowest])
    rows = [
        row("slowest three alone, cold", three_cold, three_cold),
        row("all 30 together, cold", cold, three_cold),
        row("slowest three alone, warm", three_warm, three_warm),
        row("all 30 together, warm", warm, three_warm),
        row("all 30 alone, one after the other, warm", total(alone)),
        row("all 30 together again, nothing left to do", again),
    ]
    text = f"{'; '.join(name(cells()[i]) for i in slowest)} are the slowest, run in this order; cold they took "
    text += f"{', '.join(f'{one.cpu:.1f}' for one in colds)} CPU seconds: the first ones fill the cache of vectors. "
    text += f"Predictions and scores of {same} of {len(alone)} single runs equal their cells' byte for byte. "
    threads = os.environ.get("OMP_NUM_THREADS")
    text += f"The machine's load before was {load:.1f}{f', OMP_NUM_THREADS={threads}' if threads else ''}.\n\n"
    head = ["what", "seconds", "times the three alone", "CPU seconds", "times the three alone"]
    publish("ablation", text + table(head, rows) + "\n")


if __name__ == "__main__":
    main()
