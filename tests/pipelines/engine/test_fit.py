"""As many passages as fit, where neither an argument nor a paper says how many."""

from typing import Any

import pytest

import pipelines
from pipelines import tasks
from pipelines.engine.planning.budget import Budget
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.spec import recipe_of, spec_of
from pipelines.engine.preparation.prepare import prepare
from pipelines.records import Document, Example

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
TEXT = (
    " ".join(f"{WORDS[i]} alpha beta gamma delta." for i in range(10)) + " zulu" * 50
)  # 10 chunks of 5 words, 10 more
DOCUMENT = Document("d", TEXT)
LIMITED = "extractive:max_input_tokens=13"
EXAMPLES = [Example("q1", DOCUMENT, "three four", ("x",))]


def plan(**arguments: Any) -> Plan:
    defaults = {"model": "extractive", "chunker": "tokens:size=5", "retriever": "tfidf", "prompt": "{query} {document}"}
    return make_plan("qa", data=EXAMPLES, **(defaults | arguments))


def selected(**arguments: Any) -> list[str]:
    (job,) = prepare(plan(**arguments), DOCUMENT, EXAMPLES)
    return [chunk.text for chunk in job.selected]


@pytest.mark.parametrize(("limit", "width"), [(2, 1), (7, 1), (8, 2), (12, 2), (13, 3), (17, 3), (1000, 20)])
def test_chunks_fill_the_readers_limit_and_the_last_one_may_be_cut(limit: int, width: int) -> None:
    assert len(selected(model=f"extractive:max_input_tokens={limit}")) == width


def test_the_best_come_first() -> None:
    best = selected(model="extractive:max_input_tokens=12")
    assert best == ["three alpha beta gamma delta.", "four alpha beta gamma delta."]


def test_the_last_passage_ends_where_the_prompt_is_full_and_a_single_one_is_cut_by_the_reader() -> None:
    best = "three alpha beta gamma delta."
    for limit, passages, cut in (
        (6, [best], 1),
        (7, [best], 0),
        (8, [best, "four"], 0),
        (9, [best, "four alpha"], 0),
        (13, [best, "four alpha beta gamma delta.", "one"], 0),
    ):
        assert selected(model=f"extractive:max_input_tokens={limit}") == passages
        result = pipelines.run(
            "qa", data=EXAMPLES, model=f"extractive:max_input_tokens={limit}", metrics=["f1"],
            chunker="tokens:size=5", retriever="tfidf", prompt="{query} {document}", out=f"run-{limit}",
        )  # fmt: skip
        (prediction,) = result.predictions
        spans = [TEXT[start:end] for start, end, _ in prediction.selected]
        assert (spans, prediction.truncated_tokens) == (passages, cut)


def test_the_passages_that_fit_are_those_that_the_model_reads_of_ten() -> None:
    arguments: dict[str, Any] = {"data": EXAMPLES, "model": "extractive:max_input_tokens=13", "metrics": ["f1"]}
    arguments |= {"chunker": "tokens:size=5"}
    fit, ten = pipelines.run("qa", **arguments), pipelines.run("qa", k=10, **arguments)
    assert (dict(fit.selection), dict(ten.selection)) == (
        {"selected": 3.0, "read": 3.0, "words": 11.0}, {"selected": 10.0, "read": 3.0, "words": 11.0},
    )  # fmt: skip
    assert fit.predictions[0].shown_spans == ten.predictions[0].shown_spans
    assert fit.predictions[0].prediction == ten.predictions[0].prediction
    assert "the model read 3.0 of 10.0 passages (11 words) on average" in str(ten)


@pytest.fixture(autouse=True)
def _here(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_recipe_and_the_spec_say_as_many_as_fit() -> None:
    limited_plan = plan(model=LIMITED)
    assert recipe_of(limited_plan) == "tokens:5 → tfidf, as many as fit → stuff → extractive"
    usual = recipe_of(plan(model=LIMITED, retriever=None))
    assert usual == "tokens:5 → evidence:general,encoder=none, as many as fit → stuff → extractive"
    spec = spec_of(limited_plan)
    assert (spec["k"], spec["budget"], spec["fit"], spec["max_input_tokens"]) == (None, None, True, 13)


def test_behind_an_api_there_are_at_most_ten() -> None:
    api_plan = plan(model="openai:m,window=128000,base_url=http://127.0.0.1:1/v1")
    assert (api_plan.selection.k, api_plan.selection.fit, api_plan.ranked) == (10, True, 10)
    assert recipe_of(api_plan) == "tokens:5 → tfidf, as many as fit of 10 → stuff → m"
    (job,) = prepare(api_plan, DOCUMENT, EXAMPLES)
    assert len(job.selected) == 10


def test_without_a_limit_there_are_ten() -> None:
    unlimited_plan = plan()
    assert (unlimited_plan.selection.k, unlimited_plan.selection.fit) == (10, False)
    assert "fit" not in spec_of(unlimited_plan)
    assert recipe_of(unlimited_plan) == "tokens:5 → tfidf k=10 → stuff → extractive"


@pytest.mark.parametrize("strategy", ["vote", "map_reduce", "refine", "iterative"])
def test_where_chunks_are_read_one_by_one_or_searched_for_again_there_are_ten(strategy: str) -> None:
    strategy_plan = plan(model=LIMITED, strategy=strategy)
    assert (strategy_plan.selection.k, strategy_plan.selection.fit) == (10, False)


def test_a_given_number_or_budget_holds() -> None:
    with_k = plan(model=LIMITED, k=4).selection
    assert (with_k.k, with_k.fit) == (4, False)
    with_budget = plan(model=LIMITED, budget="8 tokens")
    assert (with_budget.selection.k, with_budget.selection.budget, with_budget.selection.fit) == (
        None,
        Budget(8, "tokens"),
        False,
    )


def test_a_retriever_that_takes_every_chunk_takes_them_all() -> None:
    plan_of_all = plan(model=LIMITED, retriever="all")
    assert (plan_of_all.selection.k, plan_of_all.selection.fit) == (None, False)


def test_a_number_that_the_paper_fixes_stays() -> None:
    fixed = {name: task.k for name, task in tasks.all_tasks().items() if task.k is not None}
    assert fixed == {"narrativeqa": 10, "hotpotqa": 10, "character_types": 3, "chunking_evaluation": 5}
    narrativeqa_plan = make_plan("narrativeqa", data="sample", model="extractive:max_input_tokens=50")
    assert (narrativeqa_plan.selection.k, narrativeqa_plan.selection.fit) == (10, False)


def test_documents_ranked_by_their_centroid_are_filled_too() -> None:
    assert len(selected(model=LIMITED, query="centroid")) == 3
