"""What the second question to a folder of books costs: in one session, by the next command, and after a change.

Nine books and film scripts of the real examples are asked with the embedded encoder (all-MiniLM-L6-v2) and, to compare,
with TF-IDF. Each row is a process of its own. "ready" is from the start of the process until documents are read, split
and indexed, the import of the libraries and the loading of the encoder included; "first" and "second" are the questions
after it. Seconds of the clock, and in brackets those of the processor, which other work on the machine changes less;
memory is the most that the process had. Run: python -m benchmarks.ask_index
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.results import publish, realdata, table

QUESTIONS = ("Who is the narrator's brother?", "Where does the doctor live?")
ADDED = "\n\nThe lighthouse keeper's daughter painted the harbour wall green in the spring of 1911.\n"


def measure(folder: str, retriever: str) -> dict[str, float]:
    """The figures of this process."""
    clock, cpu = time.perf_counter(), time.process_time()
    from pipelines.plugins.ask.ask import index

    figures: dict[str, float] = {}

    def note(name: str) -> None:
        nonlocal clock, cpu
        now, now_cpu = time.perf_counter(), time.process_time()
        figures[name], figures[f"{name} cpu"] = now - clock, now_cpu - cpu
        clock, cpu = now, now_cpu

    documents = index(folder, retriever=retriever)
    note("ready")
    for name, question in zip(("first", "second"), QUESTIONS, strict=True):
        documents.ask(question)
        note(name)
    figures |= {"encoded": documents.encoded, "passages": documents.chunks()}
    figures["words"] = sum(len(one.text.split()) for one in documents.documents)
    figures["bytes"] = sum(one.texts * one.size for one in documents.kept)
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def measure_in_a_process(folder: Path, retriever: str, cache: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.ask_index", str(folder), retriever]
    process = subprocess.run(
        command, env={**os.environ, "LONGDOC_CACHE": str(cache)}, stdout=subprocess.PIPE, text=True, check=True
    )
    figures: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return figures


def row(name: str, figures: dict[str, float]) -> list[str]:
    times = [f"{figures[one]:.2f} ({figures[f'{one} cpu']:.2f})" for one in ("ready", "first", "second")]
    return [name, f"{figures['encoded']:,.0f}", *times, f"{figures['memory']:,.0f}"]


def main() -> None:
    data = realdata()
    if data is None:
        raise SystemExit("the real examples are not here: set LONGDOC_REALDATA")
    with tempfile.TemporaryDirectory() as home:
        books, cache = Path(home) / "books", Path(home) / "cache"
        books.mkdir()
        files = sorted((data / "narrativeqa" / "stories").glob("*.txt"))
        for book in files:
            shutil.copyfile(book, books / book.name)
        first = measure_in_a_process(books, "dense", cache)
        again = measure_in_a_process(books, "dense", cache)
        with (books / files[0].name).open("a", encoding="utf-8") as file:
            file.write(ADDED)
        changed = measure_in_a_process(books, "dense", cache)
        lexical = measure_in_a_process(books, "tfidf", cache)
    head = ["process", "passages encoded", "ready", "first", "second", "memory, MiB"]
    rows = [
        row("dense, nothing kept", first),
        row("dense, the next process", again),
        row("dense, a paragraph added to one book", changed),
        row("tfidf", lexical),
    ]
    share = 100 * first["second"] / (first["ready"] + first["first"])
    summary = (
        f"{len(files)} books, {first['words']:,.0f} words, {first['passages']:,.0f} passages; the kept vectors take "
        f"{first['bytes'] / 1e6:.1f} MB. In a session the second question took {share:.2f} % of the time until the "
        "first one was answered. Seconds of the clock, in brackets those of the processor."
    )
    publish("ask_index", f"{summary}\n\n{table(head, rows)}\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main()
