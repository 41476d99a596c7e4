"""10,000 questions on one document of 2 million words: how much memory and time does a run take?

A document of made-up words, sampled by Zipf's law, is written to a file with rows that each ask for ten words in a row
of it; the answer is the word after them. Each line of the table is a process of its own: it ranks all chunks for all
questions, or runs the task `qa` from the rows to the report. Peak memory is the process's largest resident set. With
the folder of another checkout, that one is measured on the same files as well.
Run: python -m benchmarks.questions [CHECKOUT]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.ranking import vocabulary
from benchmarks.results import publish, table

WORDS, QUESTIONS, ASKED = 2_000_000, 10_000, 10
HERE = Path(__file__).parents[1]

START = """
import json, resource, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
start = time.perf_counter()
"""
END = """
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))
"""
RANK = """
import chunkers, retrievers
questions = [json.loads(line)["question"] for line in (folder / "rows.jsonl").read_text().splitlines()]
chunks = chunkers.get("tokens:size=200").split((folder / "document.txt").read_text())
retrievers.get(sys.argv[2]).index(chunks).search(questions, 3)
"""
RUN = """
import pipelines
pipelines.run("qa", data=folder / "rows.jsonl", model="extractive", retriever=sys.argv[2], k=3,
              out=Path(sys.argv[3]) / "run")
"""
WAYS = {
    "ranking by tfidf": (RANK, "tfidf"),
    "ranking by bm25": (RANK, "bm25"),
    "a run of qa, bm25, extractive": (RUN, "bm25"),
}


def write(folder: Path) -> None:
    """The document and the rows."""
    rng = np.random.default_rng(0)
    words = vocabulary(30_000, rng)
    weights = 1.0 / np.arange(3.0, len(words) + 3.0)
    text = [words[i] for i in rng.choice(len(words), WORDS, p=weights / weights.sum())]
    lines = [" ".join(text[i : i + 15]).capitalize() + "." for i in range(0, WORDS, 15)]
    (folder / "document.txt").write_text("\n".join(lines), encoding="utf-8")
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        for number, at in enumerate(rng.integers(0, WORDS - ASKED - 1, QUESTIONS).tolist()):
            asked, answer = " ".join(text[at : at + ASKED]), text[at + ASKED]
            row = {"id": str(number), "document_path": "document.txt", "question": f"{asked}?", "answer": answer}
            file.write(json.dumps(row) + "\n")


def measured(checkout: Path, way: str, folder: Path) -> list[str]:
    """Seconds and gigabytes of a way with the code of a checkout."""
    code, retriever = WAYS[way]
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-c", START + code + END, str(folder), retriever, out]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{way} in {checkout} failed:\n{done.stderr[-2000:]}")
    seconds, gigabytes = json.loads(done.stdout.splitlines()[-1])
    return [f"{seconds:.1f}", f"{gigabytes:.2f}"]


def main() -> None:
    checkouts = {"now": HERE} | ({"before": Path(sys.argv[1]).resolve()} if sys.argv[1:] else {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        rows = [[way, when, *measured(checkout, way, folder)] for way in WAYS for when, checkout in checkouts.items()]
    head = f"{QUESTIONS:,} questions on one document of {WORDS:,} words in {WORDS // 200:,} chunks of 200; k=3."
    if "before" in checkouts:
        head += f" Before: the commit {commit(checkouts['before'])}."
    text = f"{head}\n\n{table(['way', 'code', 'seconds', 'GB at the peak'], rows)}"
    publish("questions", text, "CHECKOUT" if "before" in checkouts else "")


def commit(checkout: Path) -> str:
    """The short name of a checkout's commit."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
