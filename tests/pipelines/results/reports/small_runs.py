"""Runs for report tests: real runs over a few rows of one's own, and finished ones of any size made by hand."""

import json
from pathlib import Path

import pipelines
from pipelines.records import Document, Example, Prediction
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scores

HOUSES = ("North House", "South House", "East House")
COLOURS = ("red", "green", "blue", "white", "golden")


def house(n):
    """A document of eighty sentences, with a woman's name in Arabic and a lamp beyond the basic plane."""
    lines = [f"In room {i} of {HOUSES[n]} stands the {COLOURS[(i + n) % 5]} chest number {i}." for i in range(80)]
    lines[40] += " Here lives مريم, who carries the lamp \U0001f3ee\U0001f56f at night."
    return " ".join(lines)


def rows():
    """Four questions a house with their evidence; the answers of odd ones stand far from the beginning."""
    for n in range(3):
        text = house(n)
        for q in range(4):
            i = 60 + q if q % 2 else q
            sentence = f"In room {i} of {HOUSES[n]} stands the {COLOURS[(i + n) % 5]} chest number {i}."
            start = text.index(sentence)
            answer = f"{COLOURS[(i + n) % 5]} chest number {i}"
            yield {
                "id": f"q-{n}-{q}",
                "title": HOUSES[n],
                "document": text,
                "question": f"What stands in room {i} of {HOUSES[n]}?",
                "answers": [sentence] if q == 2 else [answer, "a chest"] if q else [answer],
                "evidence": [[start, start + len(sentence)]],
            }


def write_rows(path, dicts=None):
    """The rows as a file."""
    lines = (json.dumps(row) + "\n" for row in (rows() if dicts is None else dicts))
    Path(path).write_text("".join(lines), encoding="utf-8")
    return path


def run(rows_file, out, retriever="bm25", k=2, **changes):
    """A real run over the rows, with the reader that needs no weights."""
    options = {"chunker": "tokens:size=60", "metrics": ["f1", "exact_match", "bleu-1"], "model": "extractive"} | changes
    return pipelines.run("qa", data=str(rows_file), retriever=retriever, k=k, out=out, **options).folder


def many(count):
    """A content of `count` examples over documents of twenty, all read, each with two passages seen."""
    text = " ".join(f"The keeper of room {i} was called Anna-{i} and had {i * 37 % 101} keys." for i in range(400))
    examples, predictions = [], []
    for n in range(count):
        if n % 20 == 0:
            document = Document(f"document-{n // 20}", text.replace("keeper", f"keeper{n // 20}"), f"Book {n // 20}")
        start = n * 997 % (len(document.text) - 1300)
        spans = ((start, start + 600, 2.5), (start + 700, start + 1300, 1.5))
        output = f"Anna-{n % 400}"
        examples.append(Example(f"e-{n}", document, f"Who keeps room {n % 400}, number {n}?", (f"Anna-{n % 400}",)))
        predictions.append(
            Prediction(f"e-{n}", document.id, examples[-1].query, examples[-1].references,
                       output if n % 3 else "nobody", spans, tuple(span[:2] for span in spans), 1, 400, 2, 0, {},
                       {"f1": {"f1": 100.0 * bool(n % 3)}})
        )  # fmt: skip
    share = 100 * sum(bool(n % 3) for n in range(count)) / count
    spec = {"metrics": {"f1": {"name": "f1"}}, "data": {}}
    scores = Scores({"f1": share}, signatures={"f1": "f1"})
    finished = Run(Path("many"), "qa", "test", spec, scores, {}, tuple(predictions))
    counts = Counts(examples=count)
    run_content = RunContent("many", {}, "by hand", Path("many"), finished, counts, is_readable=True)
    return Content("qa", "test", (run_content,), "f1"), examples
