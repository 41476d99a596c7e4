"""The leaderboard's page in a browser, wide, narrow and dark."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.records import Prediction
from pipelines.results.curves.axis import Bin
from pipelines.results.curves.curve_set import Curve, CurvePoint, CurveSet
from pipelines.results.leaderboard_pages.leaderboard import Leaderboard, ScoredSystem
from pipelines.results.leaderboard_pages.pages import write_pages
from pipelines.results.scores import Scores

TEXT = "<script>alert(1)</script> " + "word " * 600


def prediction(name: str) -> Prediction:
    return Prediction(name, "d", "Which?", ("this",), TEXT, (), (), 0, 0, 0, 0)


def system(name: str, task: str, score: float | None, **values: Any) -> ScoredSystem:
    scores = Scores({} if score is None else {"f1": score})
    fields: dict[str, Any] = {"predictions": [prediction("a")], "values": [score], "expected": 2, **values}
    return ScoredSystem(name, task, "predictions", f"/x/{name}.jsonl", scores, 1, **fields)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    curves = CurveSet(
        "b", "f1", "length", "tokens", 0.85, [Bin(0, 0), Bin(8_000, 8_000)], [0, 8_000],
        [Curve("one", {0: CurvePoint(0, 90.0), 1: CurvePoint(1, 20.0)})],
    )  # fmt: skip
    systems = [system("one", "b/x", 20.0, part="8k"), system("one", "b/x", 90.0, part="0k"),
               system("two", "b/x", 30.0, part="0k"), system("two", "b/y", None, refusals=1)]  # fmt: skip
    board = write_pages(Leaderboard(systems, [curves]), tmp_path)
    assert board.folder == tmp_path
    return tmp_path / "leaderboard.html"


def test_a_benchmark_is_a_table_of_systems_and_tasks(browse: Any, page: Path) -> None:
    opened = browse(page)
    heads = opened.page.locator("#benchmark-0 thead th").all_inner_texts()
    assert [head.split("\n")[0].strip() for head in heads] == ["System", "x 0k f1", "x 8k f1", "y", "Examples"]
    rows = [row.split() for row in opened.page.locator("#benchmark-0 tbody tr").all_inner_texts()]
    assert rows == [["one", "90.00", "20.00", "–", "2/4"], ["two", "30.00", "–", "–", "2/4,", "1", "refused"]]
    assert opened.complaints == [] and opened.requests == []


def test_a_number_leads_to_its_examples(browse: Any, page: Path) -> None:
    address = browse(page).page.locator("#benchmark-0 tbody a").first.get_attribute("href")
    opened = browse(page.parent / address)
    text = opened.page.locator("tbody").inner_text()
    assert "<script>alert(1)</script>" in text and "…" in text and "90.00" in text
    assert opened.page.locator("header a", has_text="All systems").get_attribute("href") == "./leaderboard.html"
    assert opened.complaints == []


def test_systems_are_searched(browse: Any, page: Path) -> None:
    opened = browse(page).page
    assert opened.locator("#count").inner_text() == "2 rows"
    opened.get_by_label("Search").fill("tw")
    assert opened.locator("#benchmark-0 tbody tr:visible th").all_inner_texts() == ["two"]
    opened.get_by_label("Search").fill("nobody")
    assert opened.locator("#count").inner_text() == "0 rows"
    assert not opened.locator("#benchmark-0").is_visible() and opened.locator("#curves-0").is_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark")])
def test_the_page_fits_its_window_and_shows_its_curves(browse: Any, page: Path, width: int, scheme: str) -> None:
    opened = browse(page, width=width, scheme=scheme).page
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    kind = "wide" if width > 640 else "narrow"
    assert opened.locator(f"#curves-0 svg.{kind}").is_visible()
    assert "a length of 0 is drawn at half of the shortest of the others" in opened.locator("#curves-0").inner_text()
