"""The plot of ways: its lines and their points."""

from pathlib import Path

import pytest
from lxml.html import fromstring

from longdoc.errors import UserError
from pipelines.plugins.versus.condition_comparison import ConditionResults, compare_conditions
from pipelines.plugins.versus.condition_table import ConditionTable
from pipelines.plugins.versus.lines import is_logarithmic
from pipelines.plugins.versus.page import page
from tests.pipelines.plugins.versus.made_up_runs import prediction, run


def table() -> ConditionTable:
    def condition(
        name: str, kind: str, f1: float, tokens: int, line: str = "", amount: str = "", **more: str
    ) -> ConditionResults:
        made_up_run = run([prediction("d1", f1, tokens), prediction("d2", f1, tokens)])
        return ConditionResults(name, kind, made_up_run, line, amount, **more)  # type: ignore[arg-type]

    return compare_conditions("qa", "test", [
        condition("whole document", "whole", 50.0, 9000), condition("bm25, k=5", "retrieval", 40.0, 500, "bm25", "k=5"),
        condition("bm25, k=1", "retrieval", 20.0, 100, "bm25", "k=1"), condition("closed book", "closed book", 5.0, 20),
        condition("theirs", "other", 60.0, 0, "theirs", source="theirs.jsonl"),
    ])  # fmt: skip


def test_a_retriever_is_a_line_along_its_tokens_and_other_ways_are_levels() -> None:
    lines = table().lines()
    assert [(one.name, one.is_level, [(point.x, point.y) for point in one.points]) for one in lines] == [
        ("whole document", True, [(9000, 50)]),
        ("bm25", False, [(100, 20), (500, 40)]),
        ("closed book", True, [(20, 5)]),
        ("theirs", True, [(None, 60)]),
    ]
    assert is_logarithmic(lines) and table().y_title == "f1"


def test_the_page_draws_each_line_twice_and_names_every_point() -> None:
    figure = next(fromstring(page(table(), Path())).iter("figure"))
    pictures = [one for one in figure.iter("svg") if one.get("role") == "img"]
    assert [one.get("class") for one in pictures] == ["wide", "narrow"]
    titles = [one.text for one in pictures[0].iter("title")]
    assert titles == [
        "whole document: 50.00 at 9,000 tokens", "bm25, k=1: 20.00 at 100 tokens", "bm25, k=5: 40.00 at 500 tokens",
        "closed book: 5.00 at 20 tokens",
    ]  # fmt: skip
    assert str(pictures[0].get("aria-label")).endswith("theirs: 60.00.")
    assert ["".join(one.itertext()) for one in figure.iter("li")][1].strip().endswith("bm25")


def test_a_plot_is_written_as_a_file(tmp_path: Path) -> None:
    table().plot(tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert "bm25" in text and "prompt tokens per example" in text
    with pytest.raises(UserError, match=r"\.png"):
        table().plot(tmp_path / "plot.gif")
