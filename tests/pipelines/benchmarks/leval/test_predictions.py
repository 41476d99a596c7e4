"""L-Eval's files of predictions: the figures of its scorer, their system, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

EXAMS = {  # of the documents of these files, in the order of TASKS
    "gpt4-32k": ("84.29", "86.61", "79.59", "94.67"),
    "Claude-100k": ("87.86", "79.46", "64.80", "68.00"),
    "turbo-16k-0613": ("78.57", "62.50", "65.56", "82.67"),
}
TASKS = ("tpo", "quality", "coursera", "topic_retrieval_longchat")
TURBO = {
    "financial_qa": ("41.60",),
    "legal_contract_qa": ("26.64",),
    "multidoc_qa": ("29.93",),
    "news_summ": ("33.62", "7.47", "15.60"),
    "patent_summ": ("44.10", "20.23", "29.00"),
    "tv_show_summ": ("32.12", "7.16", "16.26"),
}


def row(query: str = "Who left?", gt: str = "A", output: Any = "A", **more: Any) -> dict[str, Any]:
    return {"query": query, "gt": gt, "gpt-x_pred": output, "prompt": "Read.", "evaluation": "exam", **more}


def write(folder: Path, *rows: Any, name: str = "tpo.pred.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(fields) + "\n" for fields in rows))
    return path


@pytest.mark.parametrize("system", EXAMS)
def test_exams_have_the_figures_of_its_scorer(realdata: Path, system: str) -> None:
    for task, figure in zip(TASKS, EXAMS[system], strict=True):
        file = realdata / "leval" / "Predictions" / "exam_eval" / system / f"{task}.pred.jsonl"
        scores = pipelines.score_predictions(f"leval/{task}", file)
        assert f"{next(iter(scores.scores.values())):.2f}" == figure, task
        assert scores.warnings == ()


@pytest.mark.parametrize("task", TURBO)
def test_open_tasks_have_the_figures_of_its_scorer(realdata: Path, task: str) -> None:
    file = realdata / "leval" / "Predictions" / "ngram_eval" / "turbo-16k-0613" / f"{task}.pred.jsonl"
    scores = pipelines.score_predictions(f"leval/{task}", file)
    assert tuple(f"{value:.2f}" for value in scores.scores.values())[:3] == TURBO[task]
    assert scores.system == "turbo-16k-0613"


def test_with_the_data_predictions_belong_to_documents(realdata: Path) -> None:
    folder = realdata / "leval"
    file = folder / "Predictions" / "exam_eval" / "turbo-16k-0613" / "quality.pred.jsonl"
    scores = pipelines.score_predictions("leval/quality", file, data=folder / "LEval-data")
    assert f"{scores.scores['choice_leval']:.2f}" == "62.50"
    assert len({prediction.document for prediction in scores.predictions}) == 8
    assert scores.warnings == ()


def test_the_model_is_the_name_before_the_first_key_with_pred(tmp_path: Path) -> None:
    path = write(tmp_path, {"query": "Who?", "gt": "B", "m-1_pred": "B", "m-2_pred": "A"})
    scores = pipelines.score_predictions("leval/tpo", path)
    assert (scores.system, scores.scores["choice_leval"], scores.expected) == ("m-1", 100.0, 269)


def test_rows_for_people_or_a_judge_are_left_out_with_a_warning(tmp_path: Path) -> None:
    rows = [row(evaluation="f1", gt="Anna", output="Anna"), row(evaluation="human"), row(evaluation="LLM")]
    scores = pipelines.score_predictions("leval/financial_qa", write(tmp_path, *rows, name="financial_qa.pred.jsonl"))
    assert (len(scores.predictions), scores.scores["f1"]) == (1, 100.0)
    assert scores.warnings == ("2 of the rows are for people or a judge (evaluation): they are left out",)


def test_a_query_with_the_worked_examples_before_it_is_the_same_question(tmp_path: Path) -> None:
    document = {"instructions": ["How many gulls?"], "outputs": ["4"], "input": "Worked problems."}
    data = write(tmp_path, document, name="gsm100.jsonl")
    with_examples = row("Question: 2 + 2?\nThe answer is 4.\n\nHow many gulls?", "4", "The answer is 4.")
    path = write(tmp_path, with_examples, name="gsm100.pred.jsonl")
    scores = pipelines.score_predictions("leval/gsm100", path, data=data)
    assert (scores.scores["number_leval"], scores.warnings) == (100.0, ())
    other = write(tmp_path, row("How many owls?", "4", "The answer is 4."), name="gsm100.pred.jsonl")
    (warning,) = pipelines.score_predictions("leval/gsm100", other, data=data).warnings
    assert warning.startswith("1 of 1 questions in the file differ from the data's")


def test_predictions_in_another_order_or_number_are_refused(tmp_path: Path) -> None:
    document = {"instructions": ["Who?", "When?"], "outputs": ["A", "B"], "input": "Anna left.", "evaluation": "exam"}
    data = write(tmp_path, document, name="tpo.jsonl")
    reversed_rows = row("When?", "B", "B"), row("Who?", "A", "A")
    with pytest.raises(UserError, match=r"2 of 2 labels in the file differ from those of "):
        pipelines.score_predictions("leval/tpo", write(tmp_path, *reversed_rows), data=data)
    with pytest.raises(UserError, match=r"1 prediction without ids for 2 examples"):
        pipelines.score_predictions("leval/tpo", write(tmp_path, row("Who?", "A")), data=data)


def test_white_space_at_the_end_of_an_output_is_one_of_its_last_words(tmp_path: Path) -> None:
    rows = row(gt="7", output="It prints 7 at the end"), row(gt="7", output="It prints 7 at the end\n")
    scores = pipelines.score_predictions("leval/codeU", write(tmp_path, *rows, name="codeU.pred.jsonl"))
    assert [prediction.statistics["code_leval"]["code_leval"] for prediction in scores.predictions] == [100.0, 0.0]


def test_a_missing_output_is_counted_and_an_empty_one_is_wrong(tmp_path: Path) -> None:
    scores = pipelines.score_predictions("leval/tpo", write(tmp_path, row(output=None), row(output=""), row()))
    assert scores.refused == {"without an answer": 1}
    assert scores.scores["choice_leval"] == 50.0


@pytest.mark.parametrize(
    ("rows", "name", "message"),
    [
        ([row()], "quality.pred.jsonl", r"is named as the predictions for leval/quality: longdoc score leval/quality"),
        ([row(), {**row(), "a_pred": "A"}], "tpo.jsonl", None),
        (
            [row(), {"query": "Who?", "gt": "A", "a_pred": "A"}],
            "tpo.jsonl",
            r"tpo.jsonl:2: predictions under 'a_pred'",
        ),
        ([row(), {"query": "Who?"}], "tpo.jsonl", r"tpo.jsonl:2: expected L-Eval's predictions .*; found query"),
        ([row(gt="")], "tpo.jsonl", r"tpo.jsonl:1: gt has no answer"),
        ([row(output=["A"])], "tpo.jsonl", r"tpo.jsonl:1: gpt-x_pred must be text, got list"),
        ([row(evaluation="human")], "tpo.jsonl", r"holds no predictions for leval/tpo"),
        ([], "tpo.jsonl", r"is empty"),
    ],
)
def test_other_rows_are_refused_with_their_line(tmp_path: Path, rows: Any, name: str, message: str | None) -> None:
    path = write(tmp_path, *rows, name=name)
    if message is None:
        assert len(pipelines.score_predictions("leval/tpo", path).predictions) == 2
        return
    with pytest.raises(UserError, match=message):
        pipelines.score_predictions("leval/tpo", path)
