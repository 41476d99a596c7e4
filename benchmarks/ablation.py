"""What sharing work over the cells of an ablation saves: 30 cells against the slowest three of them run alone.

NarrativeQA, k of 1 to 20, two sizes of chunks, three retrievers, reader `extractive`. Every row is measured in
a new process, imports and weights included; `cold` starts with an empty cache of vectors, `warm` with a full one. The
three slowest are those of 30 single runs with a warm cache, and each single run's predictions are compared with its
cell's.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.results import publish, realdata, table

AXES: dict[str, list[Any]] = {
    "k": [1, 2, 5, 10, 20],
    "chunker": ["tokens:size=100", "tokens:size=200"],
    "retriever": ["tfidf", "bm25", "dense"],
}
FIXED = {"model": "extractive"}


def timed(function: str, arguments: dict[str, Any], cache: Path) -> float:
    """Seconds of a call of one of `pipelines`' functions in a new process."""
    code = f"import json, sys, pipelines; pipelines.{function}('narrativeqa', **json.load(sys.stdin))"
    environment = os.environ | {"LONGDOC_CACHE": str(cache)}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(FIXED | arguments),
        env=environment,
        text=True,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


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
    folder = realdata()
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
        slowest = sorted(range(len(alone)), key=lambda i: -alone[i])[:3]
        colds = []
        for i in slowest:
            shutil.rmtree(base / "empty", ignore_errors=True)
            colds.append(timed("run", {**cells()[i], **data, "out": str(base / f"cold-{i}")}, base / "empty"))
        same = equal(base / "cold", base / "alone")
    rows = [
        ["slowest three alone, cold", f"{sum(colds):.1f}", "1.00"],
        ["all 30 together, cold", f"{cold:.1f}", f"{cold / sum(colds):.2f}"],
        ["slowest three alone, warm", f"{sum(alone[i] for i in slowest):.1f}", "1.00"],
        ["all 30 together, warm", f"{warm:.1f}", f"{warm / sum(alone[i] for i in slowest):.2f}"],
        ["all 30 alone, one after the other, warm", f"{sum(alone):.1f}", ""],
        ["all 30 together again, nothing left to do", f"{again:.1f}", ""],
    ]
    text = f"{name(cells()[slowest[0]])}; {name(cells()[slowest[1]])}; {name(cells()[slowest[2]])} are the slowest. "
    text += f"Predictions and scores of {same} of {len(alone)} single runs equal their cells' byte for byte.\n\n"
    publish("ablation", text + table(["what", "seconds", "times the three alone"], rows) + "\n")


if __name__ == "__main__":
    main()
