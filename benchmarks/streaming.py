"""Is a published zip streamed, or does it fill the memory?

A zip in SCROLLS' format is made: 2 GB of rows in one member, books of half a million characters, each with four
questions that have two references, so each book is in eight rows. A separate process reads all examples from the zip,
and prints its peak memory. Run: python -m benchmarks.streaming
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
MAX_MEMORY = 300  # MB of memory
MEMBER = "narrative_qa/validation.jsonl"
READ = """
import resource, sys, time
from pipelines import sources
from pipelines.tasks.scrolls import DATASETS
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
    """A text that compresses well, different for every book."""
    lines, size = [f"Book {number}\n\n"], 0
    while size < BOOK:
        lines.append(f"Chapter {len(lines)}. Anna of book {number} kept bees by the sea, and Bert mended clocks.\n")
        size += len(lines[-1])
    return "".join(lines)


def write(path: Path) -> tuple[int, int]:
    """Write the zip; returns the numbers of rows and of their bytes."""
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
                    prompt = f"Who keeps bees in chapter {question}?\n\n{text}"
                    row = {"id": name, "pid": f"{name}_{answer}", "input": prompt, "output": f"Anna {answer}"}
                    size += member.write(json.dumps(row).encode() + b"\n")
                    rows += 1
            number += 1
    return rows, size


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "narrative_qa.zip"
        start = time.perf_counter()
        rows, size = write(path)
        writing = time.perf_counter() - start
        packed = path.stat().st_size
        process = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    examples, documents, opened, first, seconds, peak = map(float, process.stdout.split())
    head = f"{rows:,} rows of {size / 1e9:.2f} GB, packed to {packed / 1e6:.0f} MB (made in {writing:.0f} s); "
    head += "two passes.\n\n"
    names = [
        "examples",
        "documents",
        "opened, s",
        "first example, s",
        "all, s",
        "GB of rows a second",
        "peak memory, MB",
    ]
    values = [f"{examples:,.0f}", f"{documents:,.0f}", f"{opened:.2f}", f"{first:.1f}", f"{seconds:.1f}"]
    publish("streaming", head + table(names, [[*values, f"{2 * size / seconds / 1e9:.2f}", f"{peak:.0f}"]]))
    if peak > MAX_MEMORY:
        sys.exit(f"reading a zip must take less than {MAX_MEMORY} MB of memory")


if __name__ == "__main__":
    main()
