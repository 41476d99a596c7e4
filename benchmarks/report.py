"""How long a page with 10,000 examples takes to open: the report, compared with the same text as plain HTML.

Each example has a question, an output, a reference and two passages in context. Headless Chromium opens each file five
times from the disk, in turn, each time in a new context without a cache; the median counts. All times are seconds from
the start of the navigation (`performance.now()` is 0 there), by the page's own clock:

- usable: until text typed into the search box has changed the list of examples, and that has been painted. The box is
  watched for from the start and typed into once it is there, so the time includes the answer.
- parsed: until the browser has read the whole file and fired the event `load`. Blocks of examples are then in the page,
  still packed; the page unpacks a block when one of its examples is opened.
- unpacked: until every block has been unpacked and parsed as JSON as well, which the page never does by itself: as if
  somebody had opened an example of each.

Plain HTML is usable when it is parsed and its first screen is painted: it has no search box.
"""

import html
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.results import publish, table
from pipelines.records import Document, Example, Prediction
from pipelines.results.reports.html import write
from pipelines.results.reports.report_content import Content, RunContent
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scores
from pipelines.sources import Dataset

COUNT, PER_DOCUMENT, TIMES = 10_000, 20, 5
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
    scores = Scores({"f1": score}, signatures={"f1": "f1"})
    run = Run(Path("made"), "qa", "test", spec, scores, {}, tuple(predictions))
    one = RunContent("made", {}, "by hand", Path("made"), run, Counts(examples=COUNT), is_readable=True)
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


PARSED = "performance.getEntriesByType('navigation')[0].loadEventStart"

# Runs in the page before anything of it: types into the search box as soon as it is there.
TYPES = """
window.measured = new Promise((resolve, reject) => {
  const painted = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
  const count = () => document.querySelector('#count').textContent;
  const look = () => {
    const box = document.querySelector('#c-q');
    if (!box || !document.querySelector('#list li')) return;
    watcher.disconnect();
    const before = count();
    box.value = 'year 599 of book 29?';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    if (count() === before) reject(new Error('the list did not answer'));
    else painted();
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document, { childList: true, subtree: true });
});
"""
# Runs when the page is parsed: unpacks every block as the page does (assets/unpack.js).
UNPACKS = """async () => {
  for (const { textContent } of document.querySelectorAll('script[id^=block-]')) {
    const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    JSON.parse(await new Response(plain).text());
  }
  return performance.now();
}"""
PAINTED = """() => new Promise((resolve) =>
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0)))"""


def opened(browser: Any, file: Path, script: str = "") -> tuple[Any, Any]:
    """A page of the file in a new context, parsed; `script` ran before anything of it."""
    context = browser.new_context(bypass_csp=True)  # so that the measuring scripts may run
    page = context.new_page()
    page.set_default_timeout(120_000)
    if script:
        page.add_init_script(script)
    page.goto(file.as_uri(), wait_until="load", timeout=120_000)
    return context, page


def of_report(browser: Any, file: Path) -> dict[str, float]:
    """Milliseconds until the report is usable, parsed, unpacked; apart, so that none is in the way of another."""
    context, page = opened(browser, file, TYPES)
    found = {"usable": page.evaluate("window.measured")}
    context.close()
    context, page = opened(browser, file)
    found["parsed"] = page.evaluate(PARSED)
    found["unpacked"] = page.evaluate(UNPACKS)
    context.close()
    return found


def of_plain(browser: Any, file: Path) -> dict[str, float]:
    """Milliseconds until plain HTML is parsed, and painted."""
    context, page = opened(browser, file)
    painted = page.evaluate(PAINTED)
    found = {"parsed": page.evaluate(PARSED), "usable": painted}
    context.close()
    return found


def medians(times: list[dict[str, float]]) -> dict[str, float]:
    """The median of each time, in seconds."""
    return {name: median(one[name] for one in times) / 1000 for name in times[0]}


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
        of_report(browser, page)  # the browser's own start
        pairs = [(of_report(browser, page), of_plain(browser, other)) for _ in range(TIMES)]
        browser.close()
        sizes = [f"{file.stat().st_size / 1e6:.1f}" for file in (page, other)]
    found, whole = (medians([pair[n] for pair in pairs]) for n in (0, 1))
    rows = [
        ["the report", sizes[0], *(f"{found[name]:.2f}" for name in ("usable", "parsed", "unpacked"))],
        ["all as plain HTML", sizes[1], f"{whole['usable']:.2f}", f"{whole['parsed']:.2f}", "–"],
    ]
    heads = [
        "page", "MB", "usable: typing into the search box has changed the list",
        "parsed: the file is read, the blocks are packed", "unpacked: every block as well",
    ]  # fmt: skip
    text = (
        f"{COUNT:,} examples over {COUNT // PER_DOCUMENT} documents; written in {writing:.1f} s. Seconds from the "
        f"start of the navigation, medians of {TIMES}. Plain HTML is usable when its first screen is painted.\n\n"
    )
    publish("report", text + table(heads, rows) + "\n")


if __name__ == "__main__":
    main()
