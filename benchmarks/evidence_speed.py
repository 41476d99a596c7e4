"""How long the presets of `evidence` take for 100,000 words and 30 questions: units, index, ranking, selection.

Words alone: the least of several runs in one process. With vectors: the first time with an empty cache, and the second
time, which finds the vectors of the document in it. The text is that of books where there are real examples, else the
bundled document; either is repeated to 100,000 words, its paragraphs numbered so that none are equal.
"""

import json
import os
import tempfile
import time
from itertools import count, pairwise
from typing import Any

import chunkers
import retrievers
from benchmarks.evidence_families import shown
from benchmarks.results import publish, realdata, table
from pipelines.sources import bundled
from retrievers.evidence import LEXICAL, PRESETS

WORDS, QUESTIONS, SELECTED, REPEATS = 100_000, 30, 300, 3


def long_text() -> str:
    """Text of 100,000 words."""
    folder = realdata()
    stories = sorted((folder / "narrativeqa" / "stories").iterdir()) if folder else []
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in stories] or [bundled.document().text]
    found: list[str] = []
    words = 0
    for turn in count():
        for paragraph in (one for text in texts for one in text.split("\n\n") if one.strip()):
            found.append(f"{turn} {paragraph}" if turn else paragraph)
            words += len(found[-1].split())
            if words >= WORDS:
                return "\n\n".join(found)
    raise AssertionError


def asked() -> list[str]:
    """Thirty questions."""
    folder = realdata()
    if folder is None:
        rows = bundled.questions()
    else:
        lines = (folder / "narrativeqa" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
    return [f"{rows[i % len(rows)]['question']}{'?' * (i // len(rows))}" for i in range(QUESTIONS)]


def seconds(spec: dict[str, Any], text: str, questions: list[str]) -> list[float]:
    """Of splitting, indexing, ranking and filling."""
    retriever = retrievers.get(spec)
    chunker, times = chunkers.get(retriever.chunker), [time.perf_counter()]
    chunks = chunker.split(text)
    times.append(time.perf_counter())
    index = retriever.index(chunks)
    times.append(time.perf_counter())
    _, ids = index.search(questions)
    times.append(time.perf_counter())
    for row in ids.tolist():
        shown(text, [chunks[i] for i in row], SELECTED)
    times.append(time.perf_counter())
    return [after - before for before, after in pairwise(times)]


def row(name: str, times: list[float]) -> list[str]:
    """A row of the table."""
    return [name, *(f"{one:.2f}" for one in (*times, sum(times)))]


def main() -> None:
    text, questions, rows = long_text(), asked(), []
    for preset in PRESETS:
        spec = {"name": "evidence", "preset": preset, "encoder": LEXICAL}
        runs = [seconds(spec, text, questions) for _ in range(REPEATS)]
        rows.append(row(f"`evidence:{preset}`, words only", min(runs, key=sum)))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LONGDOC_CACHE"] = folder
        for time_ in ("empty cache", "again"):
            rows.append(row(f"`evidence:general`, {time_}", seconds({"name": "evidence"}, text, questions)))
    head = ["preset", "units", "index", "ranking", "selection", "seconds in all"]
    publish("evidence_speed", f"{len(text.split()):,} words, {QUESTIONS} questions.\n\n{table(head, rows)}\n")


if __name__ == "__main__":
    main()
