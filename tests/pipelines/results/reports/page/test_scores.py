"""The tables of scores of a page: marked intervals, missing ones, and runs that repeat others."""

from dataclasses import replace
from typing import Any

from lxml.html import fromstring

from pipelines.results.reports import content, html
from pipelines.results.reports.page.data import _overview
from tests.pipelines.results.reports import small_ablation


def scores(report_content: content.Content) -> Any:
    """The section of scores, of the page."""
    return fromstring(html.text(report_content)).get_element_by_id("scores")


def test_intervals_of_few_documents_are_marked_and_explained_in_the_caption() -> None:
    report_content = content.gather(small_ablation.ablation())
    table = scores(report_content)
    caption = next(table.iter("caption")).text
    assert caption is not None
    assert caption.endswith("; * fewer than 10 documents: such an interval is too narrow")
    assert "[7.75, 11.25]*" in [small.text for small in table.iter("small")]
    alone = scores(replace(report_content, runs=report_content.runs[:1]))
    assert [cell.text for cell in alone.iter("td")] == ["7.00", "–", "8.00", "[6.50, 10.00]*", "2.00", "–"]


def test_the_page_opens_with_the_recipe_and_the_leading_score_of_the_best_run() -> None:
    report_content = content.gather(small_ablation.ablation())
    page = fromstring(html.text(report_content))
    lines = [" ".join(page.find_class(name)[0].text_content().split()) for name in ("recipe", "headline")]
    assert lines == ["tokens → tf_idf k=5", "9.25 f1 95% interval [7.75, 11.25]*, the best of 3 runs"]
    alone = fromstring(html.text(replace(report_content, runs=report_content.runs[:1], primary_metric="rouge-l")))
    assert alone.find_class("recipe")[0].text_content() == "tokens → tf_idf k=1"
    assert alone.find_class("headline") == []


def test_the_reason_for_a_missing_interval_is_in_the_caption_and_at_the_cell() -> None:
    why = "3 documents: no interval; at least 5 are needed"
    cell = small_ablation.cell("a", 1, 8.0, intervals={}, no_interval=dict.fromkeys(("f1", "bleu-1", "no_letter"), why))
    table = scores(content.gather(small_ablation.ablation(cells=[cell])))
    assert next(table.iter("caption")).text == f"Scores, 0–100; {why}"
    assert [table_cell.get("title") for table_cell in table.iter("td")][1::2] == [why] * 3


def test_a_run_that_repeats_another_s_requests_is_marked_in_the_table_and_in_the_plot() -> None:
    first, second, third = small_ablation.ablation().cells[:3]
    cells = [first, second, replace(third, differences={}, same_as=second.name)]
    report_content = content.gather(small_ablation.ablation(cells=cells))
    table = scores(report_content)
    marks = [small.text for small in table.iter("small") if (small.text or "").startswith("= ")]
    assert marks == ["= retriever=tf_idf,k=5"] * 3
    caption = next(table.iter("caption")).text
    assert caption is not None
    assert "= RUN: the same requests and outputs as that run" in caption
    assert [point["same_as"] for point in _overview(report_content)["points"]] == [None, None, "retriever=tf_idf,k=5"]
