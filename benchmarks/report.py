"""How long a page with 10,000 examples takes to open: the report, compared with the same text as plain HTML.

Each example has a question, an output, a reference and two passages in context. Headless Chromium opens the file three
times from the disk; the best time counts, from the start of the navigation until the list is usable.
"""

import html
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.results import publish, table
from pipelines.records import Document, Example, Prediction
from pipelines.results.reports.html import write
from pipelines.results.reports.records import Content, RunContent
from pipelines.results.run_folders.finished import FinishedRun
from pipelines.sources import Dataset

COUNT, PER_DOCUMENT = 10_000, 20
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def generated() -> tuple[Content, list[Example]]:
    """A run with generated outputs over documents of 30,000 characters."""
    examples: list[Example] = []
    predictions: list[Prediction] = []
    for n in range(COUNT):
        book = n // PER_DOCUMENT
        if n % PER_DOCUMENT == 0:
            text = " ".join(f"In year {i} the keeper of house {book} wrote letter {i * 37 % 101}." for i in range(600))
            document = Document(f"book-{book}", text, f"Book {book}")
        start = n * 997 % (len(document.text) - 1300)
        shown_spans = ((start, start + 600), (start + 700, start + 1300))
        question, gold = f"Which letter was written in year {n % 600} of book {book}?", f"letter {n * 37 % 101}"
        examples.append(Example(f"e{n}", document, question, (gold,)))
        spans = tuple((*span, 1.0) for span in shown_spans)
        correct = bool(n % 3)
        output = gold if correct else "none"
        predictions.append(
            Prediction(f"e{n}", document.id, question, (gold,), output, spans, shown_spans, 1, 400, 2, 0,
                       {}, {"f1": {"f1": 100.0 * correct}})
        )  # fmt: skip
    score = sum(one.statistics["f1"]["f1"] for one in predictions) / COUNT
    spec = {"metrics": {"f1": {"name": "f1"}}, "data": {}}
    run = FinishedRun(Path("made"), "qa", "test", spec, {"f1": score}, {}, tuple(predictions))
    one = RunContent("made", {}, "by hand", Path("made"), {"f1": score}, {"f1": "f1"}, examples=COUNT, run=run)
    return Content("qa", "test", (one,), "f1"), examples


def plain(file: Path, content: Content, examples: list[Example]) -> None:
    """The same as one long HTML page."""
    run = content.runs[0].run
    assert run is not None
    parts = ["<!doctype html><meta charset=utf-8><title>plain</title>"]
    for example, one in zip(examples, run.predictions, strict=True):
        parts_of_example = [f"<h2>{html.escape(one.query)}</h2><p>{one.prediction}</p><p>{one.references[0]}</p>"]
        for start, end in one.shown_spans:
            parts_of_example.append(f"<p>{html.escape(example.document.text[max(start - 300, 0) : end + 300])}</p>")
        parts.append(f"<article id={one.id}>{''.join(parts_of_example)}</article>")
    file.write_text("".join(parts), encoding="utf-8")


LOADED = "performance.timing.loadEventStart - performance.timing.navigationStart"
USABLE = "performance.getEntriesByName('longdoc-ready')[0].startTime"


def seconds_to_open(browser: Any, file: Path, moment: str) -> float:
    """Seconds from the navigation's start to a moment (a script's expression in milliseconds), the best of three."""
    times = []
    for _ in range(3):
        page = browser.new_page()
        page.goto(file.as_uri(), wait_until="load")
        if moment is USABLE:
            page.wait_for_selector("html[data-ready]")
        times.append(page.evaluate(moment) / 1000)
        page.close()
    return min(times)


def main() -> None:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise SystemExit("no Chromium on this machine: apt-get install chromium")
    content, examples = generated()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page, other = Path(folder) / "report.html", Path(folder) / "plain.html"
        start = time.perf_counter()
        write(content, page, dataset=Dataset(lambda: iter(examples), {}))
        writing = time.perf_counter() - start
        plain(other, content, examples)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        usable = seconds_to_open(browser, page, USABLE)
        loaded = seconds_to_open(browser, page, LOADED)
        whole = seconds_to_open(browser, other, LOADED)
        browser.close()
        sizes = [file.stat().st_size / 1e6 for file in (page, other)]
    rows = [
        ["the report, until its list can be used", f"{sizes[0]:.1f}", f"{usable:.2f}", f"{usable / whole:.2f}"],
        ["the report, until all of it is loaded", f"{sizes[0]:.1f}", f"{loaded:.2f}", f"{loaded / whole:.2f}"],
        ["all as plain HTML, until it is loaded", f"{sizes[1]:.1f}", f"{whole:.2f}", "1.00"],
    ]
    text = f"{COUNT:,} examples over {COUNT // PER_DOCUMENT} documents; written in {writing:.1f} s.\n\n"
    publish("report", text + table(["page", "MB", "seconds to open", "times plain HTML"], rows) + "\n")


if __name__ == "__main__":
    main()
