"""Evidence over chunkers, retrievers, budgets and tasks, on documents whose numbers can be counted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.records import Document, Example

FILLER = "Rain fell on it. " * 45  # 4 words a sentence
KEY = "The key lies under the stone. "  # 6 words
LAMP = "A lamp hangs above the door. "  # 6 words
TEXT = KEY + FILLER + LAMP
BOTH_FACTS = ((0, len(KEY) - 1), (len(TEXT) - len(LAMP), len(TEXT) - 1))


def examples(copies: int = 1) -> list[Example]:
    """For each document a question of two facts, and one without evidence whose answer is in the text."""
    examples = []
    for number in range(copies):
        document = Document(f"d{number}", TEXT)
        examples += [
            Example(f"a{number}", document, "Where is the key?", ("under the stone",), evidence=BOTH_FACTS),
            Example(f"b{number}", document, "Where is the lamp?", ("above the door",)),
        ]
    return examples


def measure(**more: Any) -> Any:
    options = {"data": examples(), "chunker": "units:of=sentence", "budget": "6 words", "retriever": "bm25"} | more
    return pipelines.evidence("qa", **options)


def test_a_row_has_the_scores_of_the_examples_with_evidence_and_answers_of_the_others() -> None:
    (row,) = measure().rows
    shares = 100 * (len(KEY) - 1) / (len(KEY) + len(LAMP) - 2)
    assert row.scores == {
        "answer_recall:unicode".partition(":")[0]: 100.0,
        "evidence_recall": pytest.approx(shares),
        "full_evidence": 0.0,
        "evidence_precision": 100.0,
        "evidence_iou": pytest.approx(shares),
    }
    assert (row.examples, row.with_evidence, row.documents, row.words) == (2, 1, 1, 6.0)
    assert (row.task, row.chunker, row.retriever, row.budget) == ("qa", "units:of=sentence", "bm25", "6 words")


def test_recall_by_tenth_of_the_document_is_none_where_there_is_no_evidence() -> None:
    (row,) = measure().rows
    assert row.places == [100.0, *[None] * 8, 0.0]


def test_the_oracle_shows_the_ceiling_of_a_chunker() -> None:
    table = measure(retriever=["first", "oracle:of=evidence"], budget=["6 words", "12 words"])
    full_evidence = {(row.retriever, row.budget): row.scores["full_evidence"] for row in table.rows}
    assert full_evidence == {
        ("first", "6 words"): 0,
        ("first", "12 words"): 0,
        ("oracle:of=evidence", "6 words"): 0,
        ("oracle:of=evidence", "12 words"): 100,
    }
    assert [row.oracle for row in table.rows] == [False, True, False, True]


def test_the_numbers_are_those_of_a_run_without_a_reader(tmp_path: Path) -> None:
    data = examples(3)
    only = [example for example in data if example.evidence]
    run = pipelines.run(
        "qa",
        data=only,
        chunker="tokens:size=9",
        retriever="tfidf",
        budget="20 words",
        model="none",
        out=tmp_path / "run",
    )
    (row,) = measure(data=data, chunker="tokens:size=9", retriever="tfidf", budget="20 words").rows
    assert {name: row.scores[name] for name in EVIDENCE_NAMES} == {name: run.scores[name] for name in EVIDENCE_NAMES}


def test_by_default_retrievers_are_measured_with_three_chunkers_unless_they_bring_their_own() -> None:
    table = pipelines.evidence(
        "qa", data=examples(), budget="6 words", retriever=["first", "evidence:general,encoder=none"]
    )
    assert [(row.chunker, row.retriever, row.own_chunker) for row in table.rows] == [
        ("tokens:size=100", "first", False),
        ("units:of=sentence", "first", False),
        ("units:of=paragraph", "first", False),
        ("units:of=sentence", "evidence:general,encoder=none", True),
    ]


def test_several_tasks_have_their_own_data_and_a_mean_over_both() -> None:
    data = {"qa": examples(), "hotpotqa": [example for example in examples() if example.evidence]}
    options = {"retriever": "oracle:of=evidence", "chunker": "units:of=sentence", "budget": ["6 words", "12 words"]}
    table = pipelines.evidence(["qa", "hotpotqa"], data=data, **options)
    assert [(row.task, row.budget) for row in table.rows] == [
        ("qa", "6 words"), ("qa", "12 words"), ("hotpotqa", "6 words"), ("hotpotqa", "12 words")
    ]  # fmt: skip
    assert [(row.task, row.budget, row.scores["full_evidence"]) for row in table.means] == [
        ("mean of 2 tasks", "6 words", 0),
        ("mean of 2 tasks", "12 words", 100),
    ]
    assert "answer_recall" not in table.means[0].scores, "one of the two has no such examples"
    assert measure().means == []


def test_a_table_is_text_json_csv_markdown_and_a_frame(tmp_path: Path) -> None:
    table = measure(data=examples(5), budget=["6 words", "12 words"], out=tmp_path / "out")
    first, second = str(table).splitlines()[:2]
    assert first == (
        "qa, test: 10 examples over 5 documents, 5 with evidence, chunker=units:of=sentence, retriever=bm25"
    )
    settings, scores = second.split()[:2], second.split()[2:]
    assert settings == ["budget", "words"]
    assert scores == ["evidence_recall", "full_evidence", "precision", "IoU", "answer_recall"]
    saved = json.loads((tmp_path / "out" / "evidence.json").read_text())
    assert [row["scores"] for row in saved["rows"]] == [dict(row.scores) for row in table.rows]
    header, *lines = (tmp_path / "out" / "evidence.csv").read_text().splitlines()
    assert header.startswith("task,chunker,retriever,budget,examples,with_evidence,documents,words,")
    assert len(lines) == 2
    assert (tmp_path / "out" / "evidence.md").read_text().startswith("**qa, test: 10 examples")
    assert list(table.to_frame()["budget"]) == ["6 words", "12 words"]
    assert table.rows[0].scores.intervals["evidence_recall"].units == 5


def test_rows_in_the_folder_are_not_measured_again_and_a_longer_list_adds_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.engine.engines import local

    budgets = []
    prepare = local.prepare

    def prepare_and_note_budget(plan: Any, *more: Any) -> Any:
        budgets.append(plan.selection.words)
        return prepare(plan, *more)

    monkeypatch.setattr(local, "prepare", prepare_and_note_budget)
    one = measure(out=tmp_path / "out", budget=["6 words"])
    two = measure(out=tmp_path / "out", budget=["6 words", "12 words"])
    assert budgets == [6, 12]
    assert two.rows[0] == one.rows[0]
    for damage in (
        lambda text: text[:40],
        lambda text: text.replace("1", "2", 1),
        lambda text: text.partition("\n")[2],
    ):
        for file in (tmp_path / "out" / "cells").iterdir():
            file.write_text(damage(file.read_text()))
        assert measure(out=tmp_path / "out", budget=["6 words"]).rows == one.rows, "a damaged file is measured again"


def test_few_documents_have_no_interval_and_the_reason_is_printed() -> None:
    table = measure(data=examples(4))
    assert table.rows[0].scores.intervals.keys() & {"evidence_recall"} == set()
    assert "  4 documents: no interval; at least 5 are needed" in str(table).splitlines()


def test_data_without_evidence_are_measured_by_their_answers_and_this_is_reported() -> None:
    table = measure(data=[example for example in examples() if not example.evidence])
    assert table.rows[0].scores == {"answer_recall": 100}
    assert table.warnings == ("qa: no example has gold evidence",)
    assert "evidence_recall" not in str(table)


def test_a_task_without_evidence_and_without_answers_in_its_documents_is_refused() -> None:
    data = [example for example in examples() if not example.evidence]
    with pytest.raises(UserError, match="no example of zero_scrolls/squality has gold evidence; tasks with gold"):
        pipelines.evidence("zero_scrolls/squality", data=data, retriever="first", budget="6 words")
    with pytest.raises(UserError, match="scrolls/gov_report asks no question, so it has no evidence to find; tasks"):
        pipelines.evidence("scrolls/gov_report", data=data)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"budget": []}, "budget=\\[\\] has no value"),
        ({"retriever": "all"}, "selects every chunk"),
        ({"budget": "many"}, "budget must be like"),
        ({"retriever": "bm52"}, "bm25"),
        ({"data": []}, "data= has no examples"),
        ({"engine": "batch:files"}, "batch files hold a model's requests, and here none is asked: leave engine="),
        ({"engine": "batch"}, "batch needs a folder for its files: engine='batch:FOLDER'"),
    ],
)
def test_invalid_arguments_are_refused_with_what_to_type(more: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        measure(**more)


def test_data_of_no_task_and_tasks_given_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no data of qa; expected a folder qa"):
        pipelines.evidence(["qa", "hotpotqa"], data=tmp_path)
    with pytest.raises(UserError, match="twice"):
        pipelines.evidence(["qa", "qa"], data="sample")
    with pytest.raises(UserError, match="has an entry for narrativeqa, which is not one of the tasks qa"):
        pipelines.evidence(["qa"], data={"narrativeqa": "x"})


def test_the_folder_of_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(UserError, match="holds a run or an ablation"):
        measure(out=tmp_path)


def test_curves_are_drawn_over_budgets_and_over_places(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = measure(
        budget=["6 words", "12 words", "60 words"], retriever=["bm25", "oracle:of=evidence"], out=tmp_path / "out"
    )
    curves, places = ((tmp_path / "out" / f"{name}-qa.svg").read_text() for name in ("curves", "places"))
    assert "oracle:of=evidence" in curves
    assert "words selected, at most" in curves
    assert "tenth of the document that the evidence is in (budget=60 words)" in places
    with pytest.raises(UserError, match="axis of a plot"):
        table.plot(tmp_path / "x.svg", against="selct")
    with pytest.raises(UserError, match="no task 'hotpotqa'"):
        table.plot(tmp_path / "x.svg", "hotpotqa")
