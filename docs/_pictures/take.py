"""The pictures of the documentation, taken of pages that real runs on the bundled sample made: `make pictures`.

Needs Chromium, and the extras `dev`, `embedded` and `plots`. The pages are opened as a reader opens them: as files, in
light and dark mode, and stored with 128 colours.
"""

import contextlib
import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from PIL import Image  # comes with matplotlib

import longdoc

PICTURES = Path(__file__).resolve().parent.parent / "pictures"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SAMPLE = Path(longdoc.pipelines.__file__).parent / "sources" / "bundled_document.txt"
SIZE = {"width": 1280, "height": 1080}
QUESTION = "In what order does popitem"  # how an example begins
ASKED = "In what order does popitem take the pairs out of a dictionary?"
HEIGHTS = {"answer": 1360, "view": 720}  # of other pictures
PHONE = {"width": 400, "height": 800}

Scheme = Literal["light", "dark"]


def main() -> None:
    """Make the runs, take the pictures."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        sys.exit("no Chromium: install it, for example by `apt-get install chromium`")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        pages = made(Path(folder))
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        for name, (page, look) in pages.items():
            size = SIZE | {"height": HEIGHTS.get(name, SIZE["height"])}
            taken(browser, name, page, look, size, "light")
            taken(browser, f"{name}-dark", page, look, size, "dark")
        taken(browser, "report-phone", pages["report"][0], example, PHONE, "light")
        browser.close()


def made(folder: Path) -> dict[str, tuple[Path, Callable[[Any], None]]]:
    """Pages by the name of their picture, each with what is done before it is taken; a plot is written at once."""
    arguments: dict[str, Any] = {
        "data": "sample",
        "chunker": "tokens:size=50",
        "model": "extractive",
        "metrics": ["f1", "rouge-l", "exact_match", "answer_recall"],
    }
    runs = folder / "runs"
    ablation = longdoc.ablate(
        "narrativeqa",
        k=[1, 2, 5, 10],
        retriever=["tfidf", "bm25", "best"],
        out=runs / "ablation",
        primary_metric="f1",
        **arguments,
    )
    for retriever in ("tfidf", "hybrid"):
        longdoc.run("narrativeqa", retriever=retriever, out=runs / retriever, **arguments)
    shutil.copy(SAMPLE, folder / "python.txt")
    answer = folder / "answer.html"
    with contextlib.chdir(folder):  # pages name files as they are given
        view = longdoc.view("runs", open=False).resolve()
        answer.write_text(longdoc.ask("python.txt", ASKED, k=3).to_html(), encoding="utf-8")
    longdoc.report(ablation.folder, out=PICTURES / "plot.svg")
    best = next(cell.folder for cell in ablation.cells if cell.settings == {"k": 1, "retriever": "bm25"})
    assert best is not None
    return {
        "report": (best / "report.html", example),
        "ablation": (ablation.folder / "report.html", scores),
        "answer": (answer, nothing),
        "view": (view, without_folder),
    }


def example(page: Any) -> None:
    """Open an example that is answered right, with the passages that the model saw."""
    page.select_option("#c-sort", "high")
    page.locator("#list .title", has_text=QUESTION).click()
    page.wait_for_selector("#detail .passage")
    page.evaluate("document.querySelector('#detail').scrollIntoView({behavior: 'instant'})")


def scores(page: Any) -> None:
    """Scroll to the table of scores."""
    page.evaluate("document.querySelector('#scores').scrollIntoView({behavior: 'instant'})")


def nothing(page: Any) -> None:
    """Show the page from its beginning."""


def without_folder(page: Any) -> None:
    """Leave out where the runs lie, which differs each time."""
    page.evaluate(
        "(line => { line.data = line.data.replace(/^\\S+/, 'runs') })(document.querySelector('#overview').firstChild)"
    )


def taken(
    browser: Any, name: str, path: Path, look: Callable[[Any], None], size: dict[str, int], scheme: Scheme
) -> None:
    """Take a picture of a page."""
    page = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=1)
    page.goto(path.as_uri())
    look(page)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(128).save(PICTURES / f"{name}.png", optimize=True)
    page.close()


if __name__ == "__main__":
    main()
