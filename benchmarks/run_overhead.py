"""What does a run cost beside splitting and ranking: for a question, a tiny document, a shard, and at its start?

`lead` answers with the first eight words of the best passages, so a run is everything but a model: rows are read and
checked, passages recorded, predictions scored, logged and written to the final files, and the report is made. A
question, and a document of 60 words with its question, cost what a run of 3,000 takes more than one of 1,000, for each
of the 2,000; what splitting and ranking the same texts takes outside a run is subtracted. A shard (1 of 1,000 of
10,000 documents) is compared with a run of its ten documents alone. Seconds are those of the processor, in a process of
its own each, its modules compiled before; the median of three.

Run: python -m benchmarks.run_overhead
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.ranking import vocabulary
from benchmarks.results import publish, table

REPEATS = 3
FEW, MANY, DOCUMENTS, SHARDS = 1_000, 3_000, 10_000, 1_000
BOOK_WORDS, TINY_WORDS, ASKED = 20_000, 60, 5
MEASURED = """
import json, resource, sys
from pathlib import Path
folder, arguments = Path(sys.argv[1]), json.loads(sys.argv[2])
def used():
    return resource.getrusage(resource.RUSAGE_SELF)
def print_since(before):
    after = used()
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([seconds, after.ru_maxrss * 1024 / 1e6]))
"""
RUN = """
import pipelines
def run(name, out, **more):
    pipelines.run("qa", data=folder / name, model="lead", retriever="tfidf", k=3, max_new_tokens=8,
                  out=folder / out, **more)
run("one.jsonl", "warm")
before = used()
run(arguments["rows"], "run", **arguments.get("more", {}))
print_since(before)
"""
RANK = """
import chunkers, retrievers
chunker, retriever = chunkers.get("tokens:size=200"), retrievers.get("tfidf")
rows = [json.loads(line) for line in (folder / arguments["rows"]).read_text().splitlines()]
retriever.index(chunker.split("a b")).search(["a"], 3)
before = used()
indexes = {}
for row in rows:
    path = row.get("document_path")
    text = row["document"] if path is None else (folder / path).read_text()
    key = path or row["id"]
    if key not in indexes:
        indexes[key] = retriever.index(chunker.split(text)), []
    indexes[key][1].append(row["question"])
for index, questions in indexes.values():
    index.search(questions, 3)
print_since(before)
"""
FIRST = """
import pipelines
before = resource.struct_rusage([0] * 16)
pipelines.run("qa", data="sample", model="extractive", retriever="tfidf", out=folder / "first")
print_since(before)
"""
COMPONENTS = """
import subprocess
subprocess.run([sys.executable, "-m", "longdoc", "list", "components"], stdout=subprocess.DEVNULL, check=True)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([children.ru_utime + children.ru_stime, children.ru_maxrss * 1024 / 1e6]))
"""


def write(folder: Path) -> None:
    """A book with questions, tiny documents with one each, and the ten of the first shard."""
    rng = np.random.default_rng(0)
    words = vocabulary(5_000, rng)
    book = [words[i] for i in rng.integers(0, len(words), BOOK_WORDS)]
    (folder / "book.txt").write_text(" ".join(book), encoding="utf-8")
    starts = rng.integers(0, BOOK_WORDS - ASKED - 1, MANY).tolist()
    questions = [
        {"document_path": "book.txt", "question": " ".join(book[at : at + ASKED]) + "?", "answer": book[at + ASKED]}
        for at in starts
    ]
    texts = [[words[i] for i in rng.integers(0, len(words), TINY_WORDS)] for _ in range(DOCUMENTS)]
    tiny = [
        {"document": " ".join(text) + ".", "question": " ".join(text[:ASKED]) + "?", "answer": text[ASKED]}
        for text in texts
    ]
    for name, rows in {
        "questions-few": questions[:FEW], "questions-many": questions, "tiny-few": tiny[:FEW],
        "tiny-many": tiny[:MANY], "documents": tiny, "ten": tiny[: DOCUMENTS // SHARDS], "one": tiny[:1],
    }.items():  # fmt: skip
        lines = [json.dumps({"id": f"row {number}", **row}) for number, row in enumerate(rows)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(code: str, folder: Path, rows: str = "", **more: object) -> tuple[float, float]:
    """CPU seconds (the median of the repeats) and the peak of memory in MB."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    results = []
    for _ in range(REPEATS):
        for out in ("run", "warm", "first"):
            shutil.rmtree(folder / out, ignore_errors=True)
        arguments = json.dumps({"rows": f"{rows}.jsonl", "more": more})
        command = [sys.executable, "-c", MEASURED + code, str(folder), arguments]
        process = subprocess.run(command, capture_output=True, text=True, env=environment)
        if process.returncode:
            sys.exit(f"{rows} failed:\n{process.stderr[-2000:]}")
        results.append(json.loads(process.stdout.splitlines()[-1]))
    return statistics.median(seconds for seconds, _ in results), max(memory for _, memory in results)


def slope(code: str, folder: Path, name: str) -> float:
    """Milliseconds for each of the rows that the larger file has more."""
    few, many = (measured(code, folder, f"{name}-{size}")[0] for size in ("few", "many"))
    return 1000 * (many - few) / (MANY - FEW)


def each(folder: Path, name: str, title: str) -> list[str]:
    whole, ranking = slope(RUN, folder, name), slope(RANK, folder, name)
    return [title, f"{whole:.2f}", f"{ranking:.2f}", f"{whole - ranking:.2f}"]


def sections(folder: Path) -> Sequence[str]:
    rows = [
        each(folder, "questions", f"a question on a document of {BOOK_WORDS:,} words"),
        each(folder, "tiny", f"a document of {TINY_WORDS} words with a question"),
    ]
    ten, shard = measured(RUN, folder, "ten")[0], measured(RUN, folder, "documents", shard=f"1/{SHARDS}")[0]
    first, memory = measured(FIRST, folder)
    components, listing_memory = measured(COMPONENTS, folder)
    starts = [
        ["a process's first run (`qa`, sample data, `extractive`), imports included", f"{first:.2f}", f"{memory:.0f}"],
        ["`longdoc list components`", f"{components:.2f}", f"{listing_memory:.0f}"],
        [f"the {DOCUMENTS // SHARDS} documents of a shard by themselves, imports apart", f"{ten:.3f}", ""],
        [f"shard 1 of {SHARDS:,} of {DOCUMENTS:,} documents, imports apart", f"{shard:.3f}", ""],
    ]
    return [
        table(["milliseconds of the processor", "in a run", "splitting and ranking", "the run's own"], rows),
        table(["", "seconds of the processor", "MB at the peak"], starts),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        publish("run_overhead", "\n\n".join(sections(folder)))


if __name__ == "__main__":
    main()
