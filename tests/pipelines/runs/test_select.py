"""Runs with a budget of the selection, and runs without a reader."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pipelines
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.spec import recipe_of
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Document, Example, Prediction, prediction_of

TEXT = (
    "# The mill\n\nThe mill was built by Anna Berg in 1931. It stands at the river.\n\n"
    "Cows eat grass near the mill.\n\n"
    "# People\n\nAnna Berg was born in Oslo. She had two sisters.\n\nRain fell on the hills. Nobody came.\n\n"
    "# Weather\n\nIt rained for ten days. The river rose.\n"
)
DOCUMENT = Document("d", TEXT)
AT = TEXT.index("Anna Berg was born")
ROWS = [
    Example("a", DOCUMENT, "Where was Anna Berg born?", ("Oslo",), evidence=((AT, AT + 27),)),
    Example("b", DOCUMENT, "How long did it rain?", ("ten days",)),
]
UNITS: dict[str, Any] = {"data": ROWS, "chunker": "units:of=sentence", "retriever": "bm25"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(**arguments: Any) -> Any:
    return pipelines.run("qa", **{**UNITS, "report": False, **arguments})


def texts(prediction: Prediction) -> list[str]:
    return [TEXT[start:end] for start, end, _ in prediction.selected]


def shown(prediction: Prediction) -> list[str]:
    return [TEXT[start:end] for start, end in prediction.shown_spans]


def words(prediction: Prediction) -> int:
    return sum(count_words([TEXT[start:end] for start, end in merged(prediction.shown_spans)]))


def test_without_a_reader_selections_are_measured_and_nothing_is_asked() -> None:
    result = run(budget="20 words", model="none")
    first, second = result.predictions
    assert texts(first) == ["The mill was built by Anna Berg in 1931.", "Anna Berg was born in Oslo."]
    assert shown(first) == ["# The mill", texts(first)[0], "# People", texts(first)[1]]
    assert (first.shown_words, words(first), first.requests, first.prediction) == (20, 20, 0, "")
    assert dict(result.scores)["evidence_recall"] == 100
    assert dict(result.selection) == {"selected": 2.5, "shown": 2.5, "words": 20.0}
    assert sorted(result.scores) == [
        "answer_recall", "evidence_iou", "evidence_precision", "evidence_recall", "full_evidence",
    ]  # fmt: skip
    assert second.evidence == {}


def test_each_stage_of_the_evidence_is_recorded() -> None:
    result = run(budget="20 words", model="none").predictions[0]
    assert result.evidence == {
        "characters": 22, "missing": 0, "in_chunks": 22, "budget": 22, "ranked": 22, "selected": 22, "chunks": 1,
        "best_rank": 1, "worst_rank": 1, "taken": 2, "shown": 22,
    }  # fmt: skip


def test_passages_of_a_further_search_count_as_selected() -> None:
    hops = [Example("e", DOCUMENT, "Where is the builder of the mill from?", ("Oslo",), evidence=((AT, AT + 27),))]
    arguments: dict[str, Any] = {
        "data": hops,
        "model": "extractive",
        "chunker": "units:of=sentence",
        "retriever": "bm25",
    }
    once = run(k=1, **arguments).predictions[0]
    twice = run(k=1, strategy="iterative:extend=passages,k=3,rounds=3", **arguments).predictions[0]
    assert (once.evidence["selected"], once.evidence["shown"]) == (0, 0)
    assert (twice.evidence["ranked"], twice.evidence["selected"], twice.evidence["shown"]) == (22, 22, 22)


def test_shown_words_are_those_of_the_budget() -> None:
    for amount in (1, 7, 13, 30, 51):
        for prediction in run(budget=f"{amount} words", model="none").predictions:
            assert words(prediction) == prediction.shown_words == amount


def test_evidence_in_the_data_changes_no_selection() -> None:
    bare = [replace(row, evidence=()) for row in ROWS]
    for retriever in ("last", "random", "bm25", "first"):
        with_evidence, without = (run(k=3, model="none", retriever=retriever, data=data) for data in (ROWS, bare))
        assert [one.selected for one in with_evidence.predictions] == [one.selected for one in without.predictions]


def test_a_reader_is_shown_passages_in_document_order_or_by_score() -> None:
    ordered, scored = (
        run(budget="20 words", model="extractive"),
        run(budget="20 words", model="extractive", order="score"),
    )
    assert texts(ordered.predictions[0]) == ["The mill was built by Anna Berg in 1931.", "Anna Berg was born in Oslo."]
    assert texts(scored.predictions[0]) == ["Anna Berg was born in Oslo.", "The mill was built by Anna Berg in 1931."]
    assert [one.predictions[0].prediction for one in (ordered, scored)] == ["Oslo", "Oslo"]


def test_the_prompt_has_headings_once_and_marks_what_was_left_out() -> None:
    arguments = {**UNITS, "budget": "20 words", "model": "extractive"}
    assert pipelines.prompt("qa", "a", **arguments).text == (
        "Where was Anna Berg born? "
        "# The mill\nThe mill was built by Anna Berg in 1931.\n[...]\n# People\nAnna Berg was born in Oslo."
    )


@pytest.mark.parametrize("strategy", ["stuff", "map", "refine", "map_reduce", "vote", "iterative"])
def test_every_strategy_shows_at_most_the_budget_and_no_text_twice(strategy: str) -> None:
    for prediction in run(budget="20 words", model="extractive", strategy=strategy).predictions:
        assert prediction.shown_words is not None and 18 <= prediction.shown_words <= 20
        spans = sorted((start, end) for start, end, _ in prediction.selected)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_the_searches_of_a_strategy_share_the_budget() -> None:
    first = run(budget="20 words", model="extractive", strategy="iterative").predictions[0]
    assert texts(first) == ["The mill", "was built by Anna Berg in 1931.", "Anna Berg was born in Oslo."]
    assert first.shown_words == 20


def test_chunks_made_for_each_question_fill_the_budget_too() -> None:
    result = run(budget="15 words", model="none", chunker="mentions", retriever="first", metrics=["answer_recall"])
    assert [one.shown_words for one in result.predictions] == [15, 0]  # the second question names nobody
    assert dict(result.selection) == {"selected": 0.5, "shown": 0.5, "words": 7.5}
    assert result.predictions[1].notes["remark"].startswith("no passage was selected")


def test_without_a_budget_and_without_a_reader_k_holds_as_before() -> None:
    assert [one.shown_words for one in run(k=2, model="none").predictions] == [20, 15]
    assert texts(run(k=2, model="none").predictions[0])[0] == "Anna Berg was born in Oslo."


def test_the_run_records_the_budget_and_is_resumed(tmp_path: Path) -> None:
    first = run(budget="20 words", model="none", out=tmp_path / "run")
    spec = json.loads((tmp_path / "run" / "run.json").read_text())["spec"]
    assert spec["budget"] == "20 words"
    again = run(budget="20 words", model="none", out=tmp_path / "run")
    assert again.predictions == first.predictions
    with pytest.raises(UserError, match="budget: 20 words there, 21 words now"):
        run(budget="21 words", model="none", out=tmp_path / "run")


def test_budgets_are_an_axis_of_an_ablation(tmp_path: Path) -> None:
    result = pipelines.ablate("qa", **UNITS, model="none", budget=["10 words", "20 words"], out=tmp_path / "grid")
    assert [cell.settings for cell in result.cells] == [{"budget": "10 words"}, {"budget": "20 words"}]
    shown_words = [[one.shown_words for one in predictions(cell.folder)] for cell in result.cells]
    assert shown_words == [[10, 10], [20, 20]]
    assert [cell.same_as for cell in result.cells] == [None] * 2


def test_an_ablation_without_a_reader_leads_with_evidence_recall(tmp_path: Path) -> None:
    result = pipelines.ablate("hotpotqa", **UNITS, model="none", budget=["10 words", "20 words"], out=tmp_path / "grid")
    assert result.primary_metric == "evidence_recall"
    without = [replace(row, evidence=()) for row in ROWS]
    result = pipelines.ablate(
        "hotpotqa",
        **{**UNITS, "data": without},
        model="none",
        budget=["10 words", "20 words"],
        out=tmp_path / "without",
    )
    assert result.primary_metric == "answer_recall"


def predictions(folder: Path | None) -> list[Prediction]:
    lines = ((folder or Path()) / "predictions.jsonl").read_text().splitlines()
    return [prediction_of(json.loads(line)) for line in lines]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"budget": "20 words", "k": 3}, "k and budget cannot be given together"),
    ({"budget": 20, "model": "extractive"}, 'budget=20 has no unit: give "20 words" or "20 tokens"'),
    ({"select": 20}, "unknown argument 'select'; now budget=\"300 words\""),
    ({"fill": "skip"}, "unknown argument 'fill'; the last passage is always cut: leave it out"),
    (
        {"budget": "20 words", "retriever": "all", "model": "extractive"},
        "selects every chunk, so budget='20 words' has no effect: give retriever='best'",
    ),
    ({"budget": "20 words", "model": "none", "strategy": "map"}, "model='none' asks no model"),
    ({"model": "none", "metrics": ["f1"]}, "f1 scores what a model writes"),
    ({"model": "extractive", "strategy": "select_only"}, "asks no model: give model='none'"),
]


@pytest.mark.parametrize(
    ("budget", "recipe"),
    [
        (None, "sentences:200 → evidence:general,encoder=none k=10 → stuff → extractive"),
        ("130 words", "units:sentence → evidence:general,encoder=none budget=130 words → stuff → extractive"),
    ],
)
@pytest.mark.parametrize("retriever", [None, "best:encoder=none"])
def test_the_default_retriever_is_the_same_typed_or_left_out(
    retriever: str | None, budget: str | None, recipe: str
) -> None:
    plan = make_plan("qa", data=ROWS, model="extractive", retriever=retriever, budget=budget)
    assert recipe_of(plan) == recipe


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_contradictory_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(**arguments)


def test_the_strategy_without_requests_is_not_offered() -> None:
    with pytest.raises(UserError) as error:
        run(budget="20 words", model="extractive", strategy="fuse")
    assert "strategy='stuff'" in str(error.value) and "select_only" not in str(error.value)
