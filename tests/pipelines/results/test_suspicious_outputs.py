"""Outputs of a wrong prompt or template have a line in the run, its report and comparisons; honest ones have none."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines import sources, tasks
from pipelines.records import NO_ANSWER, Document, Example, Prediction
from pipelines.results.reports import content
from pipelines.results.suspicious_outputs import SuspiciousOutputs
from tests.turns import for_each

NAMES = ["Anna", "Boris", "Clara", "David", "Elena", "Fritz", "Greta", "Hans", "Ines", "Jakob", "Karl", "Lena"]


def prediction(number: int, output: str, *references: str, **fields: Any) -> Prediction:
    return Prediction(
        id=f"q{number}", document="d", query="Who?", references=references, prediction=output, selected=(),
        shown_spans=(), requests=1, tokens_in=1, tokens_out=1, truncated_tokens=0, **fields,
    )  # fmt: skip


def messages(rows: Iterable[tuple[Any, ...]], **fields: Any) -> list[str]:
    return SuspiciousOutputs.from_predictions(
        prediction(number, *row, **fields) for number, row in enumerate(rows)
    ).messages()


def names(count: int) -> list[str]:
    return [f"{NAMES[number % 12]} {number}" for number in range(count)]


def test_the_same_answer_to_all_questions_is_one_line() -> None:
    references = ["No", "yes.", *names(38)]
    outputs = ["Yes"] * 20 + ["yes."] * 20
    assert messages(zip(outputs, references, strict=True)) == ['40 of 40 outputs are "Yes"; 1 of 40 references is']
    outputs = ["Yes."] * 27 + ["no"] * 13
    assert messages(zip(outputs, references, strict=True)) == [
        '40 of 40 outputs are "Yes." or "No"; 2 of 40 references are'
    ]


def test_long_outputs_and_outputs_of_several_lines_have_no_line() -> None:
    for output in ("Yes, he did so on the next day.", "Yes\nBecause he said so.", "[1]\n[2]"):
        assert messages((output, name) for name in names(40)) == []


def test_one_long_text_for_several_documents_is_one_line() -> None:
    output = "Об этом в тексте ничего не сказано. 我不知道。"
    rows = [
        replace(prediction(number, output, name), document=f"d{number % 3}") for number, name in enumerate(names(12))
    ]
    line = '12 of 12 outputs are the same text: "Об этом в тексте нич…о не сказано. 我不知道。"'
    assert SuspiciousOutputs.from_predictions(rows).messages() == [line]
    honest = [replace(row, prediction=row.references[0]) for row in rows[:3]]
    assert SuspiciousOutputs.from_predictions([*honest, *rows[3:]]).messages() == []
    right = [replace(row, references=(output,)) for row in rows]
    assert SuspiciousOutputs.from_predictions(right).messages() == []


def test_examples_without_references_have_no_line() -> None:
    assert messages([("Yes",)] * 40) == []


def test_letters_are_compared_however_they_are_written() -> None:
    references = ["(A) the mill", "(B) the town", "(C) the sea", "(D) nobody"] * 5
    outputs = ["B", "(B) the town", "B.", "B) since he said so"] * 4 + ["A", "C", "D", "A"]
    assert messages(zip(outputs, references, strict=True)) == ['16 of 20 outputs are "B"; 5 of 20 references are']


def test_the_place_of_an_option_has_a_line_where_its_text_is_the_answer() -> None:
    rows = [prediction(number, f"text {number}", f"other {number}", choice={"chosen": 2, "right": number % 4 + 1})
            for number in range(20)]  # fmt: skip
    assert SuspiciousOutputs.from_predictions(rows).messages() == [
        "20 of 20 outputs are option B; 5 of 20 references are"
    ]


def test_letters_whose_options_are_known_are_compared_with_the_right_ones() -> None:
    rows = [prediction(number, "C", f"text {number}", choice={"chosen": 3, "right": number % 4 + 1})
            for number in range(20)]  # fmt: skip
    assert SuspiciousOutputs.from_predictions(rows).messages() == [
        "20 of 20 outputs are option C; 5 of 20 references are"
    ]


def test_one_refusal_in_place_of_all_answers_is_one_line() -> None:
    assert messages(("I don't know.", name) for name in names(40)) == [
        "40 of 40 outputs abstain; every question has an answer"
    ]


def test_refusals_of_questions_that_have_an_answer_are_one_line() -> None:
    outputs = ["unanswerable", "The text does not say who it was.", "This question is unanswerable."]
    rows = [(outputs[number % 3] if number < 8 else f"the {name}", name) for number, name in enumerate(names(30))]
    assert messages(rows) == ["8 of 30 outputs abstain; every question has an answer"]
    unanswerable = [("unanswerable", *NO_ANSWER), ("unanswerable", "Unanswerable")] * 5
    assert messages([*rows, *unanswerable]) == [
        "8 of 30 questions that have an answer are answered by an output that abstains"
    ]


def test_as_many_refusals_as_in_honest_runs_and_right_ones_have_no_line() -> None:
    rows = [("unanswerable" if number < 4 else f"the {name}", name) for number, name in enumerate(names(30))]
    assert messages(rows) == []
    assert messages([("The report does not say so.", "It does not say so.")] * 30) == []
    assert messages(("", name) for name in names(30)) == []  # they are counted as empty


def test_a_refusal_that_is_a_label_is_a_label() -> None:
    references = ["Entailment", "Not mentioned", "Contradiction"] * 10
    outputs = ["Not mentioned"] * 15 + references[15:]
    assert messages(zip(outputs, references, strict=True)) == []


def test_refusals_without_the_evidence_have_no_line() -> None:
    rows = [("unanswerable", name) for name in names(30)]
    missed = {"characters": 50, "shown": 20}
    assert messages(rows, evidence=missed) == []
    assert messages(rows, evidence=missed | {"shown": 50}) == ["30 of 30 outputs abstain; every question has an answer"]


def test_refusals_without_requests_have_no_line() -> None:
    rows = [replace(prediction(number, "unanswerable", name), requests=0) for number, name in enumerate(names(30))]
    assert SuspiciousOutputs.from_predictions(rows).messages() == []


def test_special_tokens_have_a_line_unless_the_references_have_them() -> None:
    rows = [(f"{name}<|im_end|>" if number < 5 else name, name) for number, name in enumerate(names(12))]
    assert messages(rows) == [
        "5 of 12 outputs contain special tokens such as <|im_end|>, which are scored as words: "
        "check the model's chat template"
    ]
    assert messages(rows[:1]) == [
        "1 of 1 output contains special tokens such as <|im_end|>, which are scored as words: "
        "check the model's chat template"
    ]
    assert messages(("a</s>" if number < 1 else name, name) for number, name in enumerate(names(100))) == []
    assert messages((f"{name}</s>", f"{name}</s>") for name in names(12)) == []


def rows_of(count: int) -> list[Example]:
    return [Example(f"q{number}", Document(f"d{number}", f"{name} left."), f"Who left {number}?", (name,))
            for number, name in enumerate(names(count))]  # fmt: skip


def run(folder: Path, model: Any, **options: Any) -> Any:
    options = {"data": rows_of(12), "metrics": ["f1"], "retriever": "all", **options}
    return pipelines.run("narrativeqa", out=folder, model=model, **options)


def test_a_run_its_report_and_comparisons_have_the_line(tmp_path: Path) -> None:
    result = run(tmp_path / "yes", lambda prompt: "Yes")
    line = '12 of 12 outputs are "Yes"; 0 of 12 references are'
    assert result.warnings == (line,)
    assert f"  warning: {line}" in str(result).splitlines()
    assert content.gather(tmp_path / "yes").runs[0].warnings == (line,)
    assert "12 of 12 outputs are" in (tmp_path / "yes" / "report.html").read_text(encoding="utf-8")
    assert run(tmp_path / "names", lambda prompt: prompt.split(" left.")[0].rpartition("\n")[2]).warnings == ()
    comparison = pipelines.compare(tmp_path / "names", tmp_path / "yes")
    assert [warning for warning in comparison.warnings if "outputs are" in warning] == [f"{tmp_path / 'yes'}: {line}"]


def test_a_run_keeps_which_option_was_chosen_and_which_is_right(tmp_path: Path) -> None:
    options = ("the mill", "the town", "the sea")
    rows = [Example(f"q{number}", Document(f"d{number}", "It is."), "What is it?", (options[number % 3],), options)
            for number in range(12)]  # fmt: skip
    result = pipelines.run(
        "scrolls/quality", data=rows, out=tmp_path / "run", model=lambda prompt: "(B)", metrics=["exact_match"]
    )
    records = [json.loads(line) for line in (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()]
    assert [record["choice"] for record in records] == [{"chosen": 2, "right": number % 3 + 1} for number in range(12)]
    assert result.warnings == ('12 of 12 outputs are "the town"; 4 of 12 references are',)
    assert pipelines.verify(tmp_path / "run", data=rows).agrees


def test_a_reader_that_says_yes_to_real_questions_gets_one_line(realdata: Path, tmp_path: Path) -> None:
    file = realdata / "hotpotqa" / "hotpot_distractor_80.jsonl"
    result = pipelines.run("hotpotqa", data=file, limit=40, model=lambda prompt: "Yes", out=tmp_path, metrics=["f1"])
    assert result.warnings == ('40 of 40 outputs are "Yes"; 1 of 40 references is',)


SOURCES = {
    "narrativeqa": "narrativeqa",
    "hotpotqa": "hotpotqa/hotpot_distractor_80.jsonl",
    "scrolls/qasper": "qasper",
    "scrolls/quality": "quality",
    "scrolls/contract_nli": "contract_nli/dev.json",
    "scrolls/qmsum": "qmsum/val.jsonl",
    "zero_scrolls/musique": "musique/musique_80.jsonl",
    "zero_scrolls/quality": "zero_scrolls_published/quality.jsonl",
    "character_types": "character_archetype",
    "style_change": "style_change/pan23_hard",
    "longbench_v2": "longbench_v2/data.jsonl",
    "nocha": "nocha",
    "loogle/shortdep_qa": "loogle/shortdep_qa.jsonl",
    "lara/location": "lara",
    "lara/hallucination": "lara",
    "leval/tpo": "leval/LEval-data/Closed-ended-tasks/tpo.jsonl",
    "leval/coursera": "leval/LEval-data/Closed-ended-tasks/coursera.jsonl",
    "leval/sci_fi": "leval/LEval-data/Closed-ended-tasks/sci_fi.jsonl",
    "leval/legal_contract_qa": "leval/LEval-data/Open-ended-tasks/legal_contract_qa.jsonl",
}


def gold(examples: Iterable[Example]) -> list[Prediction]:
    return [prediction(number, example.references[0], *example.references)
            for number, example in enumerate(examples) if example.references]  # fmt: skip


def windows(rows: Sequence[Prediction]) -> Iterable[Sequence[Prediction]]:
    """All rows, and neighbours as `limit` would take them."""
    yield rows
    for size in (10, 16, 30):
        for start in range(0, max(0, len(rows) - size), max(1, len(rows) // 20)):
            yield rows[start : start + size]


@for_each("name", SOURCES)
def test_the_gold_answers_of_real_questions_have_no_line(name: str, realdata: Path) -> None:
    task = tasks.get(name)
    split = {"quality": "validation", "qasper": "validation", "qmsum": "validation", "contract_nli": "validation",
             "hotpotqa": "validation"}.get(name.rpartition("/")[2], task.split)  # fmt: skip
    rows = gold(sources.load(name, task.dataset, realdata / SOURCES[name], split).examples())
    assert rows
    assert [line for part in windows(rows) for line in SuspiciousOutputs.from_predictions(part).messages()] == []


def test_the_gold_answers_of_the_sample_and_of_few_places_have_no_line() -> None:
    task = tasks.get("qa")
    assert SuspiciousOutputs.from_predictions(
        gold(sources.load("qa", task.dataset, "sample", task.split).examples())
    ).messages() == []  # fmt: skip
    places = ["kitchen", "office", "kitchen", "garden", "hallway", "kitchen", "bedroom", "bathroom"] * 5
    assert messages((place, place) for place in places) == []


PUBLISHED = {
    "literaryqa": "literaryqa/predictions/meta-llama--Llama-3.1-8B-Instruct.jsonl",
    "infinitebench/en_mc": "infinitebench/yi-34b-200k/preds_longbook_choice_eng.jsonl",
    "leval/tpo": "leval/Predictions/exam_eval/turbo-16k-0613/tpo.pred.jsonl",
    "leval/quality": "leval/Predictions/exam_eval/turbo-16k-0613/quality.pred.jsonl",
    "lara/location": "lara/predictions/llama-3.1-8b/full_32k_financial_location.jsonl",
    "lara/comparison": "lara/predictions/llama-3.1-8b/rag_32k_financial_comp.jsonl",
    "financebench": "financebench/results/gpt-4-1106-preview_inContext_reverse.jsonl",
}


@pytest.mark.parametrize("task", PUBLISHED)
def test_the_published_outputs_of_honest_models_have_no_line(task: str, realdata: Path) -> None:
    rows = pipelines.score_predictions(task, realdata / PUBLISHED[task]).predictions
    rows = [replace(row, requests=1) for row in rows]  # as if a run had made them
    assert [line for part in windows(rows) for line in SuspiciousOutputs.from_predictions(part).messages()] == []
