"""What does it cost to prepare documents elsewhere, and what does it gain?

Books of paragraphs of real novels and film scripts (those of `benchmarks.scaling`), thirty questions each; the answer
is the passage's first words, so that nearly all the time is preparation. `bm25` ranks sentences, which is quick;
`mentions` looks for the question's names, in Python, which takes long. The same run by one and two threads, by one and
two processes of this machine, and by Ray on this machine with two workers and one reader. "start" is a run over one
document of a few words, "run" one over all books, both from the call to the final files, medians of runs that take
turns; the Ray of its own is started for each run, that of "kept" once before. Also: pickling a document of 500,000
characters, as for a process, and sending it to an actor. LONGDOC_REALDATA is the folder of the real texts. Run:
python -m benchmarks.engines
"""

import hashlib
import os
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, table
from benchmarks.scaling import QUESTION_WORDS, Size, book
from pipelines.plugins.cluster.engines.ray import Ray
from pipelines.records import Document, Example

REPEATS, CHARACTERS, CALLS = 2, 500_000, 20
SHORT = [Example("0", Document("short", "A few words. Some more."), "What?", ("a",))]
RECIPES: dict[str, tuple[Size, dict[str, Any]]] = {
    "bm25": (Size(24, 90_000, 30), {"chunker": "sentences", "retriever": "bm25", "k": 10}),
    "mentions": (Size(20, 22_500, 30), {"chunker": "sentences", "retriever": "mentions", "k": 10}),
}
ENGINES: dict[str, Callable[[], Any]] = {
    "local:workers=1": lambda: "local:workers=1",
    "local (two threads)": lambda: "local",
    "local:processes=1": lambda: "local:processes=1",
    "local:processes=2": lambda: "local:processes=2",
    "ray:workers=2": lambda: Ray(workers=2),
}
KEPT = "ray:workers=2, kept"


@dataclass(frozen=True)
class Timed:
    """The seconds of a run, and a digest of its predictions."""

    seconds: float
    digest: str


def library(size: Size) -> list[Example]:
    """Questions about books, each of ten words in a row of its book."""
    examples = []
    for number in range(size.documents):
        text = book(number, size.words)
        words, document = text.split(), Document(f"book-{number}", text)
        for at in range(size.questions):
            place = at * (len(words) - QUESTION_WORDS) // size.questions
            examples.append(
                Example(f"{number}-{at}", document, " ".join(words[place : place + QUESTION_WORDS]), ("a",))
            )
    return examples


def timed_run(data: list[Example], recipe: dict[str, Any], engine: Any) -> Timed:
    """Time a run from the call to its final files."""
    with tempfile.TemporaryDirectory() as folder:
        out, begun = Path(folder) / "run", time.perf_counter()
        pipelines.run("qa", data=data, model="lead", metrics=["f1"], out=out, engine=engine, report=False, **recipe)
        seconds = time.perf_counter() - begun
        return Timed(seconds, hashlib.sha256((out / "predictions.jsonl").read_bytes()).hexdigest())


def rows_of(name: str) -> list[list[str]]:
    """One recipe by every engine: the rows of the table. Ends where predictions differ."""
    size, recipe = RECIPES[name]
    data = library(size)
    starts: dict[str, list[float]] = {one: [] for one in [*ENGINES, KEPT]}
    runs: dict[str, list[float]] = {one: [] for one in starts}
    digests = set()
    timed_run(SHORT, recipe, "local")  # the first run imports modules
    for _ in range(REPEATS):
        for engine, make in ENGINES.items():
            starts[engine].append(timed_run(SHORT, recipe, make()).seconds)
            run = timed_run(data, recipe, make())
            runs[engine].append(run.seconds)
            digests.add(run.digest)
        kept_engine = Ray(workers=2)
        timed_run(SHORT, recipe, kept_engine)  # starts Ray, which is kept
        starts[KEPT].append(timed_run(SHORT, recipe, kept_engine).seconds)
        run = timed_run(data, recipe, kept_engine)
        runs[KEPT].append(run.seconds)
        digests.add(run.digest)
        kept_engine.close()
    if len(digests) > 1:
        sys.exit(f"{name}: the predictions differ")
    base = statistics.median(runs["local (two threads)"])
    rows = []
    for engine in starts:
        start, seconds = statistics.median(starts[engine]), statistics.median(runs[engine])
        rows.append([name, engine, f"{start:.1f}", f"{seconds:.1f}", f"{base / seconds:.2f}"])
    return rows


def pickling() -> float:
    """The milliseconds to pickle a document and to read it again."""
    document = Document("one", "é" * CHARACTERS)
    return milliseconds(lambda: pickle.loads(pickle.dumps(document)))


def sending() -> float:
    """The milliseconds to send a text to an actor that does nothing with it."""
    import ray

    actor = ray.remote(_Idle).remote()
    median = milliseconds(lambda: ray.get(actor.take.remote("é" * CHARACTERS)))
    ray.kill(actor)
    return median


class _Idle:
    def take(self, text: str) -> None:
        pass


def milliseconds(call: Callable[[], Any]) -> float:
    durations = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        call()
        durations.append(time.perf_counter() - begun)
    return 1000 * statistics.median(durations)


def main() -> None:
    """Print the table, and write it to RESULTS.md."""
    rows = [row for name in RECIPES for row in rows_of(name)]
    engine = Ray(workers=1)
    timed_run(SHORT, RECIPES["bm25"][1], engine)  # starts Ray, which `sending` uses
    sending_ms = sending()
    engine.close()
    sizes = "; ".join(
        f"{name}: {size.documents} books of {size.words:,} words, {size.questions} questions each"
        for name, (size, _) in RECIPES.items()
    )
    head = f"{sizes}. Medians of {REPEATS}; load of the machine at the end {os.getloadavg()[0]:.1f}. "
    head += "The predictions are the same everywhere.\n\n"
    shown = table(["retriever", "engine", "start, s", "run, s", "times as fast as two threads"], rows)
    tail = f"A document of {CHARACTERS:,} characters is pickled and read again in {pickling():.1f} ms, "
    publish("engines", f"{head}{shown}\n\n{tail}and sent to an actor in {sending_ms:.1f} ms.")


if __name__ == "__main__":
    main()
