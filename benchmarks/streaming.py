"""Does a published zip stream, or does it fill the memory?

A zip as SCROLLS publishes them is made: 2 GB of rows in one member, books of half a million characters, each with four
questions that have two accepted answers, so each book stands in eight rows. A process of its own reads all examples out
of the zip, and tells its peak memory. Run: python -m benchmarks.streaming
"""

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from benchmarks.results import publish, table

SIZE = 2_000_000_000  # bytes of rows
BOOK, QUESTIONS, ANSWERS = 500_000, 4, 2
MOST = 300  # MB of memory
MEMBER = "narrative_qa/validation.jsonl"
READ = """
import resource, sys, time
from pipelines import sources
from pipelines.tasks._scrolls_datasets import DATASETS
start = time.perf_counter()
data = sources.load("scrolls/narrative_qa", DATASETS["narrative_qa"], sys.argv[1], "validation")
opened, examples, documents, last, first = time.perf_counter() - start, 0, 0, None, None
for example in data.examples():
    first = first or time.perf_counter() - start
    examples, documents, last = examples + 1, documents + (example.document is not last), example.document
    assert len(example.references) == 2, example
seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(examples, documents, opened, first, seconds, peak)
"""


def book(number: int) -> str:
    """Text that compresses well and differs from every other book's."""
    lines, size = [f"Book {number}\n\n"], 0
    while size < BOOK:
        lines.append(f"Chapter {len(lines)}. Anna of book {number} kept bees by the sea, and Bert mended clocks.\n")
        size += len(lines[-1])
    return "".join(lines)


def write(path: Path) -> tuple[int, int]:
    """Make the zip; the number of rows and of their bytes."""
    rows = size = number = 0
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(MEMBER, "w", force_zip64=True) as member,
    ):
        while size < SIZE:
            text = book(number)
            for question in range(QUESTIONS):
                for answer in range(ANSWERS):
                    name = f"{number}_{question}"
                    asked = f"Who keeps bees in chapter {question}?\n\n{text}"
                    row = {"id": name, "pid": f"{name}_{answer}", "input": asked, "output": f"Anna {answer}"}
                    size += member.write(json.dumps(row).encode() + b"\n")
                    rows += 1
            number += 1
    return rows, size


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "narrative_qa.zip"
        start = time.perf_counter()
        rows, size = write(path)
        made = time.perf_counter() - start
        packed = path.stat().st_size
        done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    examples, documents, opened, first, seconds, peak = map(float, done.stdout.split())
    head = (
        f"{rows:,} rows of {size / 1e9:.2f} GB, packed to {packed / 1e6:.0f} MB (made in {made:.0f} s); two passes.\n\n"
    )
    names = [
        "examples",
        "documents",
        "opened, s",
        "first example, s",
        "all, s",
        "GB of rows a second",
        "peak memory, MB",
    ]
    figures = [f"{examples:,.0f}", f"{documents:,.0f}", f"{opened:.2f}", f"{first:.1f}", f"{seconds:.1f}"]
    publish("streaming", head + table(names, [[*figures, f"{2 * size / seconds / 1e9:.2f}", f"{peak:.0f}"]]))
    if peak > MOST:
        sys.exit(f"reading a zip must take less than {MOST} MB of memory")


if __name__ == "__main__":
    main()
