"""Retrieval first, and the whole document where a rule says so."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
import retrievers
from chunkers import Chunk
from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines.strategies import Retrieve, get
from pipelines.strategies.shared.route_rule import Gain, RouteRule
from tests.pipelines.strategies.made import drive, job

FIRST, SECOND = "who? | b\na", "who? | a b c"


def rule_file(
    folder: Path,
    *tasks: str,
    readers: tuple[str, ...] = (),
    retriever: str = "",
    weighed: str = "hedged",
    second: str = "",
) -> str:
    gain = Gain({weighed: 2.0}, -1.0)
    retrievers_fitted = (describe(retrievers.get(retriever)),) if retriever else ()
    rule = RouteRule(
        "budget=0.3", {"whole": gain}, 0.0, tasks, readers, retrievers_fitted, {"documents": 9},
        describe(retrievers.get(second)) if second else None,
    )  # fmt: skip
    (folder / "rule.json").write_text(checked_json.dumps(rule.to_dict()), encoding="utf-8")
    return str(folder / "rule.json")


@pytest.mark.parametrize(
    ("rule", "answer", "rounds", "decision"),
    [
        ("self_route", "Anna.", [[FIRST]], "stop"),
        ("self_route", "It is not mentioned.", [[FIRST], [SECOND]], "whole"),
        ("retrieved", "It is not mentioned.", [[FIRST]], "refuse"),
        ("retrieved", "Anna.", [[FIRST]], "stop"),
        ("whole", "Anna.", [[FIRST], [SECOND]], "whole"),
    ],
)
def test_the_rule_decides_on_the_second_request(rule: str, answer: str, rounds: list[Any], decision: str) -> None:
    answers = iter([answer, "Berg"])
    outcome, asked = drive(get("route", rule=rule), job("a", "b", "c", selected=[1, 0]), lambda _: next(answers))
    assert asked == rounds
    assert outcome.notes["decision"] == decision
    assert outcome.prediction == ("Berg" if decision == "whole" else answer)
    assert outcome.notes.get("retrieved_answer") == (answer if decision == "whole" else None)


@pytest.mark.parametrize("selected", [[1, 0], []])
def test_there_is_no_second_request_where_all_or_no_chunks_were_selected(selected: list[int]) -> None:
    outcome, asked = drive(get("route:rule=whole"), job("a", "b", selected=selected), lambda _: "Anna.")
    assert (len(asked), outcome.notes["decision"]) == (1, "stop")


def test_a_fitted_rule_is_in_the_record_so_that_its_file_is_not_needed_again(tmp_path: Path) -> None:
    path = rule_file(tmp_path)
    strategy = get(f"route:rule={path}")
    Path(path).unlink()
    assert get(json.loads(json.dumps(describe(strategy)))) == strategy
    answers = iter(["However, it is Anna.", "Berg"])
    outcome, _ = drive(strategy, job("a", "b", "c", selected=[0]), lambda _: next(answers))
    assert (outcome.prediction, outcome.notes["decision"]) == ("Berg", "whole")


def searching(*positions: int) -> Any:
    """A search that finds the chunks "a" to "f" at these positions of their text, best first."""
    return lambda query, k, before: [Chunk("abcdef"[at], 2 * at, 2 * at + 1) for at in positions][:k]


@pytest.mark.parametrize(("order", "prompt"), [("score", "who? | d\nb\na\nf"), ("document", "who? | a\nb\nd\nf")])
def test_more_chunks_are_the_best_of_a_wider_search(order: Any, prompt: str) -> None:
    answers = iter(["Anna.", "Berg"])
    task_job = job(*"abcdef", selected=[3, 1], search=searching(3, 1, 0, 5, 2), order=order)
    outcome, (_, search, (second_prompt,)) = drive(get("route:rule=more,factor=2"), task_job, lambda _: next(answers))
    assert (search.query, search.k, second_prompt) == ("who?", 4, prompt)
    assert (outcome.prediction, outcome.notes["decision"], outcome.notes["retrieved_answer"]) == (
        "Berg", "more", "Anna.",
    )  # fmt: skip
    assert outcome.notes["spans"] == "[[0, 1], [2, 3], [6, 7], [10, 11]]"


def test_more_of_a_budget_are_further_budgets_filled() -> None:
    task_job = job(*"abcdef", selected=[1], search=searching(3), fills_budget=True)
    outcome, rounds = drive(get("route:rule=more,factor=3"), task_job, lambda _: "Anna.")
    searches = [step for step in rounds if isinstance(step, Retrieve)]
    assert [(search.k, [chunk.text for chunk in search.before]) for search in searches] == [
        (None, ["b"]), (None, ["b", "d"]),
    ]  # fmt: skip
    assert outcome.notes["decision"] == "more"


def test_only_a_rule_that_reads_more_searches() -> None:
    assert [get(f"route:rule={name}").searches for name in ("self_route", "whole", "more")] == [False, False, True]
    with pytest.raises(UserError, match="factor must be at least 2, got 1"):
        get("route:rule=more,factor=1")


def test_a_rule_fitted_on_another_readers_answers_is_refused(tmp_path: Path) -> None:
    path = rule_file(tmp_path, readers=("openai:gpt-4o",))
    rows = [{"document": "Anna has two cats.", "question": "Who has cats?", "answers": ["Anna"]}]
    options: dict[str, Any] = {"data": rows, "model": "extractive", "retriever": "bm25", "out": tmp_path / "run"}
    with pytest.raises(UserError, match=r"was fitted on answers of openai:gpt-4o, not of extractive"):
        pipelines.run("qa", strategy=f"route:rule={path}", **options)
    pipelines.run("qa", strategy=f"route:rule={path},any_reader=true", **options)


@pytest.mark.parametrize(
    ("weighed", "fitted", "retriever", "message"),
    [
        (
            "best_score",
            "bm25",
            "tfidf",
            "was fitted on scores of bm25, not of tfidf: fit one on runs with tfidf, or give",
        ),
        ("score_gap", "bm25", "bm25:k1=2", r"was fitted on scores of bm25:k1=1\.2, not of bm25:k1=2: fit one"),
        ("score_decline", "bm25", "bm25", ""),
        ("hedged", "bm25", "tfidf", ""),  # it weighs no scores
        ("best_score", "", "tfidf", ""),  # nobody says what it was fitted on
    ],
)
def test_a_rule_that_weighs_scores_of_another_retriever_is_refused(
    tmp_path: Path, weighed: str, fitted: str, retriever: str, message: str
) -> None:
    path = rule_file(tmp_path, retriever=fitted, weighed=weighed)
    rows = [{"document": "Anna has two cats.", "question": "Who has cats?", "answers": ["Anna"]}]
    options: dict[str, Any] = {"data": rows, "model": "extractive", "retriever": retriever, "out": tmp_path / "run"}
    if message:
        with pytest.raises(UserError, match=message):
            pipelines.run("qa", strategy=f"route:rule={path}", **options)
    pipelines.run("qa", strategy=f"route:rule={path},any_retriever={'true' if message else 'false'}", **options)


ROWS = [{"id": "1", "document": "Anna has two cats.\n\nCows eat grass.\n\nRain fell on the hills.",
         "question": "Who has cats?", "answers": ["Anna"]}]  # fmt: skip
RUN: dict[str, Any] = {"data": ROWS, "model": "extractive", "chunker": "units:of=sentence", "retriever": "bm25", "k": 1}


def notes_of(folder: Path) -> dict[str, str]:
    (line,) = (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    notes: dict[str, str] = json.loads(line)["notes"]
    return notes


def test_a_run_that_never_reads_on_notes_what_it_knows_of_its_selection(tmp_path: Path) -> None:
    pipelines.run("qa", strategy="route:rule=retrieved,second=tfidf", out=tmp_path / "r", **RUN)
    assert notes_of(tmp_path / "r") == {"decision": "stop", "expected_evidence": "1.0", "agreement": "1.0"}
    pipelines.run("qa", strategy="route:rule=self_route", out=tmp_path / "s", **RUN)
    assert notes_of(tmp_path / "s") == {"decision": "stop"}


@pytest.mark.parametrize(("weighed", "fields"), [("expected_evidence", ""), ("agreement", ",second=tfidf")])
def test_a_rule_decides_by_what_is_known_of_the_selection(tmp_path: Path, weighed: str, fields: str) -> None:
    path = rule_file(tmp_path, weighed=weighed)  # whole where it is over a half
    pipelines.run("qa", strategy=f"route:rule={path}{fields}", out=tmp_path / "r", **RUN)
    notes = notes_of(tmp_path / "r")
    assert (notes["decision"], notes[weighed]) == ("whole", "1.0")


def test_a_rule_that_weighs_agreement_brings_the_retriever_it_was_fitted_with(tmp_path: Path) -> None:
    path = rule_file(tmp_path, weighed="agreement", second="tfidf")
    strategy = get(f"route:rule={path}")
    assert strategy.second == retrievers.get("tfidf")
    assert get(json.loads(json.dumps(describe(strategy)))) == strategy
    assert get(f"route:rule={path},second=tfidf") == strategy
    with pytest.raises(UserError, match=r"was fitted with second=tfidf:.*: leave second= out"):
        get(f"route:rule={path},second=bm25")
    with pytest.raises(UserError, match=r"weighs the agreement .* names none: give .* as route:second=bm25"):
        get(f"route:rule={rule_file(tmp_path, weighed='agreement')}")
    with pytest.raises(UserError, match=r"fitted on scores of bm25, not of dense"):
        get(f"route:rule={rule_file(tmp_path, weighed='agreement', retriever='bm25', second='tfidf')}").check_retriever(
            retrievers.get("dense")
        )


def test_a_rule_file_names_no_code_as_its_second_retriever(tmp_path: Path) -> None:
    path = rule_file(tmp_path, weighed="agreement")
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    del record["crc32"]
    record["second"] = {"name": "tests.pipelines.strategies.made:Mine"}
    Path(path).write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(UserError, match=r"rule\.json names .*made"):
        get(f"route:rule={path}")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("bm26", "bm26"),
        ("first", r"route:second=first does not rank by the question: give one that does, as second=bm25"),
        ("oracle", r"route:second=oracle does not rank by the question"),
        ("bm25", r"route:second=bm25 is the run's own retriever: give another one, or leave it out"),
    ],
)
def test_a_second_retriever_that_says_nothing_is_refused(tmp_path: Path, second: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.run("qa", strategy=f"route:rule=retrieved,second={second}", out=tmp_path / "r", **RUN)


def test_a_second_retriever_takes_the_query_of_the_first(tmp_path: Path) -> None:
    strategy = {"name": "route", "rule": "retrieved", "second": "rerank"}
    options = {"strategy": strategy, "query": "centroid"}
    with pytest.raises(UserError, match="the retriever rerank cannot rank by the document's centroid"):
        pipelines.run("qa", out=tmp_path / "r", **RUN | options)
    pipelines.run("qa", out=tmp_path / "r", **RUN | options | {"strategy": "route:rule=retrieved,second=tfidf"})
    assert notes_of(tmp_path / "r")["agreement"] == "0.0"


@pytest.mark.parametrize("retriever", ["first", "uniform", "oracle"])
def test_a_rule_that_weighs_expected_evidence_is_refused_where_nobody_expects_any(
    tmp_path: Path, retriever: str
) -> None:
    path = rule_file(tmp_path, weighed="expected_evidence")
    message = rf"weighs the expected evidence, and {retriever} does not score all chunks by the question: give a .*bm25"
    with pytest.raises(UserError, match=message):
        pipelines.run(
            "qa", strategy=f"route:rule={path},any_retriever=true", out=tmp_path / "r", **RUN | {"retriever": retriever}
        )


def test_a_rule_of_another_task_or_none_is_refused(tmp_path: Path) -> None:
    path = rule_file(tmp_path, "lara/location")
    rows = [{"document": "Anna has two cats.", "question": "Who has cats?", "answers": ["Anna"]}]
    options: dict[str, Any] = {"data": rows, "model": "extractive", "retriever": "bm25", "out": tmp_path / "run"}
    with pytest.raises(UserError, match=r"the rule budget=0.3 was fitted on lara/location, not on qa"):
        pipelines.run("qa", strategy=f"route:rule={path}", **options)
    with pytest.raises(UserError, match=r"there is no rule nowhere\.json"):
        get("route:rule=nowhere.json")
    with pytest.raises(UserError, match="rule must be a file or a name, got int"):
        get("route", rule=3)
    with pytest.raises(UserError, match=r"the rule is no rule \(no field"):
        get("route", rule={"format": 3})
    with pytest.raises(UserError, match=r"the rule has format 2, not 3: fit it again with this version"):
        get("route", rule={"format": 2})
    pipelines.run("qa", strategy=f"route:rule={path},any_task=true", **options)


def test_a_run_keeps_decisions_and_reads_the_whole_document(tmp_path: Path) -> None:
    text = "Anna has two cats.\n\nCows eat grass.\n\nRain fell on the hills."
    rows = [{"id": "1", "document": text, "question": "Who has cats?", "answers": ["Anna"]}]
    chunks: dict[str, Any] = {"chunker": "sentences:1", "retriever": "bm25", "k": 1}
    pipelines.run("qa", data=rows, model="extractive", strategy="route:rule=whole", out=tmp_path / "r", **chunks)
    (prediction,) = [json.loads(line) for line in (tmp_path / "r" / "predictions.jsonl").read_text().splitlines()]
    assert (prediction["notes"]["decision"], prediction["requests"]) == ("whole", 2)
    assert prediction["shown_spans"][-1] == [0, len(text)]
    assert prediction["notes"]["retrieved_answer"] in text


@pytest.mark.parametrize(
    ("selection", "factor", "texts"),
    [
        ({"k": 1}, 3, ["Anna has two cats.", "Anna likes cows.", "Cats eat cows."]),
        ({"select": 4}, 2, ["Anna has two cats.", "Anna", "Cats eat cows."]),  # 4 words twice
    ],
)
def test_a_run_reads_more_passages(tmp_path: Path, selection: dict[str, Any], factor: int, texts: list[str]) -> None:
    text = "Anna has two cats.\n\nAnna likes cows.\n\nCats eat cows.\n\nRain fell on the hills."
    rows = [{"id": "1", "document": text, "question": "Who has cats and cows?", "answers": ["Anna"]}]
    options: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "bm25", **selection}
    options |= {"strategy": f"route:rule=more,factor={factor}"}
    pipelines.run("qa", data=rows, model="extractive", out=tmp_path / "r", **options)
    (prediction,) = [json.loads(line) for line in (tmp_path / "r" / "predictions.jsonl").read_text().splitlines()]
    assert (prediction["notes"]["decision"], prediction["requests"]) == ("more", 2)
    shown = [text[start:end] for start, end in json.loads(prediction["notes"]["spans"])]
    assert shown == texts
