"""What does it cost to prepare documents elsewhere, and what does it gain?

Generated books of 90,000 words (those of `benchmarks.ranking`), thirty questions each, split into sentences of which
bm25 ranks ten; the answer is the passage's first words, so that nearly all the time is preparation. The same run by two
threads, by two processes of this machine, and by Ray on this machine with two workers and one reader. "start" is a run
over one document of a few words, "run" one over all books, both from the call to the final files, medians of runs that
take turns; the Ray of its own is started for each run, that of "kept" once before. Also: sending one document of
500,000 characters to an actor. Run: python -m benchmarks.engines
"""

import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pipelines
from benchmarks.ranking import book, vocabulary
from benchmarks.results import publish, table
from pipelines.engine.engines.ray import Ray
from pipelines.records import Document, Example

BOOKS, REPEATS, CHARACTERS, CALLS = 6, 3, 500_000, 20
RECIPE = {"chunker": "sentences", "retriever": "bm25", "k": 10, "model": "lead", "metrics": ["f1"]}


def library(books: int) -> list[Example]:
    """The questions of generated books."""
    rng = np.random.default_rng(0)
    words = vocabulary(20_000, rng)
    made = []
    for number in range(books):
        one = book(words, rng)
        document = Document(f"book-{number}", one.text)
        made += [Example(f"{number}-{at}", document, query, ("a",)) for at, query in enumerate(one.questions)]
    return made


def timed(data: list[Example], engine: Any) -> tuple[float, str]:
    """The seconds of a run, and a digest of its predictions."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        pipelines.run("qa", data=data, out=Path(folder) / "run", engine=engine, report=False, **RECIPE)
        seconds = time.perf_counter() - begun
        return seconds, hashlib.sha256((Path(folder) / "run" / "predictions.jsonl").read_bytes()).hexdigest()


def sending(engine: Ray) -> float:
    """The milliseconds of a call with a document's text, of an actor that does nothing with it."""
    import ray

    actor = engine._state.workers._slots[0].actor
    text = "é" * CHARACTERS
    took = []
    for number in range(CALLS):
        begun = time.perf_counter()
        ray.get(actor.forget.remote(f"{number}{text}"))
        took.append(time.perf_counter() - begun)
    return 1000 * statistics.median(took)


def main() -> None:
    """Print the table, and write it to RESULTS.md."""
    books = library(BOOKS)
    one = [Example("0", Document("short", "A few words. Some more."), "What?", ("a",))]
    ways: dict[str, Callable[[], Any]] = {
        "local (two threads)": lambda: "local",
        "local:processes=2": lambda: "local:processes=2",
        "ray:workers=2": lambda: "ray:workers=2",
    }
    seconds: dict[str, list[list[float]]] = {name: [[], []] for name in [*ways, "ray:workers=2, kept"]}
    digests = set()
    for _ in range(REPEATS):
        for name, engine in ways.items():
            seconds[name][0].append(timed(one, engine())[0])
            took, digest = timed(books, engine())
            seconds[name][1].append(took)
            digests.add(digest)
        kept = Ray(workers=2)
        timed(one, kept)
        seconds["ray:workers=2, kept"][0].append(timed(one, kept)[0])
        took, digest = timed(books, kept)
        seconds["ray:workers=2, kept"][1].append(took)
        digests.add(digest)
        milliseconds = sending(kept)
        kept.close()
        del kept
    base = statistics.median(seconds["local (two threads)"][1])
    rows = []
    for name, (starts, runs) in seconds.items():
        run = statistics.median(runs)
        rows.append([name, f"{statistics.median(starts):.1f}", f"{run:.1f}", f"{base / run:.2f}"])
    shown = table(["engine", "start, s", f"{BOOKS} books, s", "times as fast"], rows)
    same = "the same predictions everywhere" if len(digests) == 1 else "THE PREDICTIONS DIFFER"
    publish("engines", f"{shown}\n\n{same}. A document of 500,000 characters is sent in {milliseconds:.1f} ms.")


if __name__ == "__main__":
    sys.exit(main())
