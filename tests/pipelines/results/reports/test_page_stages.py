"""Where evidence is lost, on the page: bars without a script, links to the examples behind them, headings."""

from pathlib import Path
from typing import Any

import pytest
from lxml.html import fromstring

import pipelines
from pipelines.display import markdown
from pipelines.records import Document, Example
from pipelines.results.reports import content, html

TEXT = "# Hobbies\n\nAnna keeps bees. Bert mends clocks. Carla paints ships."
DOCUMENT = Document("d", TEXT)


def example(id: str, evidence: str, reference: str) -> Example:
    start = TEXT.index(evidence)
    return Example(id, DOCUMENT, f"Who is {id}?", (reference,), evidence=((start, start + len(evidence)),))


EXAMPLES = [
    example("shown", "Anna keeps bees.", "Anna"),
    example("low", "Carla paints ships.", "Carla"),
    example("half", "Anna keeps bees. Bert mends clocks. Carla paints ships.", "Bert"),
]


def run(folder: Path, **changes: Any) -> Path:
    arguments: dict[str, Any] = {
        "chunker": "units:of=sentence",
        "retriever": "last",
        "budget": "8 words",
        "model": "lead",
    }
    return pipelines.run("qa", data=EXAMPLES, metrics=["f1"], out=folder, report=False, **arguments | changes).folder


def stages(report_content: content.Content) -> Any:
    """The section of the page, None where it has none."""
    return fromstring(html.text(report_content)).get_element_by_id("stages", None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The heading and the last two sentences are shown."""
    return run(tmp_path / "run")


def test_one_run_has_a_bar_a_stage_as_wide_as_what_is_left(folder: Path) -> None:
    funnel, answers = stages(content.gather(folder)).iter("table")
    widths = [bar.get("width") for bar in funnel.iter("rect") if bar.get("class") == "left"]
    assert widths == ["100.00%", "100.00%", "95.74%", "56.74%", "56.74%", "56.74%"]
    assert [cell.text for cell in funnel.iter("td") if cell.get("class") == "number lead"][3] == "56.7%"
    links = [(link.text, link.get("href")) for link in funnel.iter("a")]
    assert links == [("1", "#show=lost-budget"), ("2", "#show=lost-ranked")]
    assert [link.get("href") for link in answers.iter("a")] == ["#show=lost-answered"]


def test_several_runs_have_a_row_each(folder: Path, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", chunker="whole", budget="100 words")
    (table,) = stages(content.gather([folder, whole])).iter("table")
    assert [head.text for head in table.iter("th")][-2:] == ["run", "whole"]
    assert [cell.text for cell in table.iter("td")][-7:] == ["100.0%"] * 6 + ["3"]


def test_a_run_without_evidence_has_no_such_section(tmp_path: Path) -> None:
    bare = pipelines.run("qa", data=[Example("a", DOCUMENT, "Who?", ("Anna",))], metrics=["f1"], model="lead",
                         out=tmp_path / "bare", report=False)  # fmt: skip
    assert stages(content.gather(bare.folder)) is None


def test_markdown_says_how_much_is_left_at_each_stage(folder: Path) -> None:
    expected = (
        "- gold evidence, 0–100: 100.0 in the document, 100.0 in a chunk, 95.7 as much as the budget holds, "
        "56.7 in chunks ranked high enough, 56.7 selected, within the budget, 56.7 shown, after truncation"
    )
    assert expected in markdown.text(content.gather(folder)).splitlines()


def test_a_stage_lists_the_examples_behind_it(browse: Any, folder: Path, tmp_path: Path) -> None:
    opened = browse(pipelines.report(folder, out=tmp_path / "page.html", data=EXAMPLES))
    page = opened.page
    page.click("#stages a[href='#show=lost-ranked']")
    page.wait_for_function("() => document.querySelector('#count').textContent.startsWith('2 of 3')")
    offered = page.locator("#c-show option").all_inner_texts()
    assert "evidence ranked too low" in offered
    assert "evidence cut from the prompt" not in offered
    assert opened.complaints == []


def test_a_heading_is_named_with_its_passage_and_is_none_itself(browse: Any, folder: Path, tmp_path: Path) -> None:
    page = browse(pipelines.report(folder, out=tmp_path / "page.html", data=EXAMPLES), "#example=low").page
    (location,) = page.locator(".passage:not(.missed) .where").all_inner_texts()
    assert location.endswith("under “# Hobbies”")
