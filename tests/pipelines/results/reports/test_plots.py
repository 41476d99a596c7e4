"""Plots: what they show, that equal content gives equal bytes, what is refused."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.results.reports import content, plots
from tests.pipelines.results.reports import small_ablation

BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def _matplotlib() -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")


def texts(path: Path, plotted: Any, **options: Any) -> list[str]:
    """All the text of a plot, in the order of the file."""
    plots.write(plotted, path, **options)
    return re.findall(r"<text [^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


def many(retrievers: int) -> content.Content:
    cells = [small_ablation.cell(f"r{n}", k, 5 + n + math.log(k)) for n in range(retrievers) for k in (1, 5, 20)]
    return content.gather(small_ablation.ablation(cells=cells))


@pytest.mark.parametrize("ending", list(BEGINNINGS))
def test_equal_content_gives_equal_bytes(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        plots.write(content.gather(small_ablation.ablation()), path)
    assert paths[0].read_bytes().startswith(BEGINNINGS[ending])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_by_default_the_primary_metric_is_plotted_against_the_first_numeric_setting(tmp_path: Path) -> None:
    labels = texts(tmp_path / "a.svg", content.gather(small_ablation.ablation()))
    assert {"1", "5", "k", "f1", "narrativeqa, test", "tf_idf", "bm25|$x"} <= set(labels)


def test_failed_runs_are_named_below(tmp_path: Path) -> None:
    labels = texts(tmp_path / "a.svg", content.gather(small_ablation.ablation()))
    assert "95% bootstrap intervals by document" in labels
    assert "failed and left out: retriever=bm25|$x,k=5" in labels


@pytest.mark.parametrize(("against", "label"), [("tokens", "prompt tokens per example"), ("cost", "cost")])
def test_expenses_can_be_the_x_axis(tmp_path: Path, against: str, label: str) -> None:
    labels = texts(tmp_path / "a.svg", content.gather(small_ablation.ablation()), against=against, score="bleu-1")
    assert {label, "bleu-1", "tf_idf"} <= set(labels)


def test_a_legend_names_the_best_and_counts_the_others(tmp_path: Path) -> None:
    labels = texts(tmp_path / "a.svg", many(9))
    assert [name for name in labels if re.fullmatch(r"r\d|\d others", name)] == [
        "r8",
        "r7",
        "r6",
        "r5",
        "r4",
        "r3",
        "3 others",
    ]
    labels = texts(tmp_path / "b.svg", many(7))
    assert sum(bool(re.fullmatch(r"r\d", name)) for name in labels) == 7


def test_without_numeric_settings_the_runs_are_rows(tmp_path: Path) -> None:
    cells = [small_ablation.cell(name, 1, 8.0, settings={"retriever": name}) for name in ("tf_idf", "bm25|$x")]
    runs = content.gather(small_ablation.ablation(axes={"retriever": ["tf_idf", "bm25|$x"]}, cells=cells))
    labels = texts(tmp_path / "a.svg", runs)
    assert {"tf_idf", "bm25|$x", "f1", "95% bootstrap intervals by document"} <= set(labels)
    assert "prompt tokens per example" in texts(tmp_path / "b.svg", runs, against="tokens")


def test_budgets_of_words_and_of_tokens_share_no_axis() -> None:
    def axes(*budgets: str) -> list[str]:
        cells = [small_ablation.cell(budget, 1, 8.0, settings={"budget": budget}) for budget in budgets]
        return plots.numeric(content.gather(small_ablation.ablation(axes={"budget": list(budgets)}, cells=cells)))

    assert axes("100 words", "300 words") == ["budget"]
    assert axes("100 words", "300 tokens") == []


def test_lines_are_named_by_their_differing_settings(tmp_path: Path) -> None:
    cells = [
        small_ablation.cell(
            "x", k, 8.0, settings={"chunker": f"tokens:size={size}", "retriever": "bm25", "k": k, "seed": seed}
        )
        for size in (100, 200)
        for k in (1, 5)
        for seed in (0, 1)
    ]
    labels = texts(tmp_path / "a.svg", content.gather(small_ablation.ablation(axes={}, cells=cells)))
    assert "tokens:size=200, seed=1" in labels


def test_fonts_of_a_pdf_are_true_type(tmp_path: Path) -> None:
    plots.write(content.gather(small_ablation.ablation()), tmp_path / "a.pdf")
    written = (tmp_path / "a.pdf").read_bytes()
    assert b"/Type0" in written
    assert b"/Type3" not in written
    assert b"CreationDate" not in written


def test_an_impossible_plot_is_refused(tmp_path: Path) -> None:
    runs = content.gather(small_ablation.ablation())
    with pytest.raises(UserError, match="unknown axis of a plot 'retriever'; known: cost, k, tokens"):
        plots.write(runs, tmp_path / "a.svg", against="retriever")
    with pytest.raises(UserError, match="unknown score 'f2'"):
        plots.write(runs, tmp_path / "a.svg", score="f2")
    with pytest.raises(UserError, match="no run has both f1 and cost"):
        cells = [small_ablation.cell("x", 1, 8.0, cost=None)]
        plots.write(content.gather(small_ablation.ablation(cells=cells)), tmp_path / "a.svg", against="cost")
    with pytest.raises(UserError, match="the name of a plot must end in"):
        plots.write(runs, tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []
