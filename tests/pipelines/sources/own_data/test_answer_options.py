"""Options of a person's own rows: the reader is shown them, and letters and texts are both answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Generate, Reply, Request
from pipelines import run
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Example, Part

ROW: dict[str, Any] = {
    "document": "The mill stood in Bergen until the fire.",
    "question": "Where did the mill stand?",
    "options": ["Oslo", "Bergen", "Bodø"],
    "answer": "B",
}


@dataclass
class ConstantReader(Reader):
    """Always replies with `text`."""

    text: str = "B"
    supports = frozenset({Generate})

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return [Reply(self.text) for _ in requests]


def rows(folder: Path, **changes: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(ROW | changes) + "\n", encoding="utf-8")
    return path


def prompt_of(path: Path, **arguments: Any) -> str:
    plan = make_plan("qa", data=path, model="extractive", **arguments)
    return plan.template.render(next(iter(plan.data.examples())), (Part("document", "The mill …", 0, 10),)).text


def test_the_prompt_of_qa_lists_the_options_with_letters(tmp_path: Path) -> None:
    assert prompt_of(rows(tmp_path)) == "Where did the mill stand?\n(A) Oslo\n(B) Bergen\n(C) Bodø\n The mill …"


@pytest.mark.parametrize(
    ("template", "changes", "prompt"),
    [
        ("{document} Choose: {options}", {}, "The mill … Choose: (A) Oslo\n(B) Bergen\n(C) Bodø"),
        ("{query} {document}", {"options": []}, "Where did the mill stand? The mill …"),
        ("{query} {document}", {"question": "Oslo, Bergen or Bodø?"}, "Oslo, Bergen or Bodø? The mill …"),
    ],
)  # fmt: skip
def test_options_stand_in_a_prompt_once(tmp_path: Path, template: str, changes: Any, prompt: str) -> None:
    assert prompt_of(rows(tmp_path, **changes), prompt=template) == prompt


@pytest.mark.parametrize("answer", ["B", "(B)", "Bergen", ["Bergen"]])
def test_a_row_s_answer_is_an_option_s_letter_or_text(tmp_path: Path, answer: Any) -> None:
    example = next(iter(make_plan("qa", data=rows(tmp_path, answer=answer), model="extractive").data.examples()))
    assert example.references == ("Bergen",)


def test_an_option_whose_text_is_a_letter_is_not_read_as_another_s_letter(tmp_path: Path) -> None:
    path = rows(tmp_path, options=["B", "A"], answer="B")
    assert next(iter(make_plan("qa", data=path, model="extractive").data.examples())).references == ("B",)


@pytest.mark.parametrize(
    ("output", "answer"),
    [("B", "Bergen"), ("(B)", "Bergen"), ("The answer is B.", "Bergen"), ("It stood in Bergen.", "Bergen"), ("?", "?")],
)
def test_an_output_s_answer_is_the_option_that_it_names(tmp_path: Path, output: str, answer: str) -> None:
    plan = make_plan("qa", data=rows(tmp_path), model="extractive")
    assert plan.template.answer(next(iter(plan.data.examples())), output) == answer


def test_a_reader_s_letter_is_scored_as_the_option(tmp_path: Path) -> None:
    result = run("qa", data=rows(tmp_path), model=ConstantReader(), metrics="exact_match", out=tmp_path / "run")
    assert [one.prediction for one in result.predictions] == ["Bergen"]
    assert result.scores["exact_match"] == 100.0


@pytest.mark.parametrize("output", ["B", "(B)", "B. Bergen", "bergen"])
@pytest.mark.parametrize("gold", ["B", "(B)", "Bergen"])
def test_letters_and_texts_are_read_as_gold_and_as_output(tmp_path: Path, gold: str, output: str) -> None:
    data = rows(tmp_path, answer=gold)
    result = run("qa", data=data, model=ConstantReader(output), out=tmp_path / "run", report=False)
    assert [one.references for one in result.predictions] == [("Bergen",)]
    assert (result.scores["exact_match"], result.scores["f1"]) == (100.0, 100.0)


@pytest.mark.parametrize("output", ["A", "Oslo", "C. Bodø"])
def test_another_option_s_letter_or_text_is_wrong(tmp_path: Path, output: str) -> None:
    result = run("qa", data=rows(tmp_path), model=ConstantReader(output), out=tmp_path / "run", report=False)
    assert result.scores["exact_match"] == 0.0


def test_readers_without_weights_answer_every_one_of_quality_s_rows(tmp_path: Path, realdata: Path) -> None:
    file = realdata / "quality" / "quality_dev_50.json"
    published = json.loads(file.read_text(encoding="utf-8"))[:12]
    scores = {}
    for kind in ("letters", "texts"):
        data = tmp_path / f"{kind}.jsonl"
        data.write_text("".join(json.dumps(quality_row(row, kind)) + "\n" for row in published), encoding="utf-8")
        for model in ("extractive", "choices"):
            result = run("qa", data=data, model=model, out=tmp_path / kind / model, report=False)
            assert all(one.prediction for one in result.predictions)
            scores[kind, model] = result.scores
        assert {one.prediction for one in result.predictions} <= {text for row in published for text in row["options"]}
    assert scores["letters", "extractive"] == scores["texts", "extractive"]
    assert scores["letters", "choices"] == scores["texts", "choices"]


def quality_row(row: dict[str, Any], gold: str) -> dict[str, Any]:
    """One of QuALITY's rows as a row of one's own, its gold as one of the letters or of the texts."""
    right = int(row["gold_label"]) - 1
    fields = {"document": row["article"], "question": row["question"], "options": row["options"]}
    return fields | {"answer": "ABCD"[right] if gold == "letters" else row["options"][right]}


def several_rows(folder: Path, *changes: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(ROW | changed) + "\n" for changed in changes), encoding="utf-8")
    return path


def test_exact_match_leads_where_rows_have_options(tmp_path: Path) -> None:
    result = run("qa", data=rows(tmp_path), model=ConstantReader(), out=tmp_path / "run", report=False)
    assert next(iter(result.scores.items())) == ("exact_match", 100.0)
    assert not [line for line in result.warnings if "options" in line]


def test_f1_leads_where_no_row_has_options_and_given_metrics_stay_as_they_are(tmp_path: Path) -> None:
    without_options = make_plan("qa", data=rows(tmp_path, options=[]), model="extractive")
    assert next(iter(without_options.metrics)) == "f1:unicode"
    with_metrics = make_plan("qa", data=rows(tmp_path), model="extractive", metrics=["f1", "exact_match"])
    assert list(with_metrics.metrics) == ["f1", "exact_match"]


def test_for_a_mixed_file_a_warning_says_how_many_rows_have_options(tmp_path: Path) -> None:
    path = several_rows(tmp_path, {"options": []}, {}, {"options": None, "answer": "Bergen"})
    plan = make_plan("qa", data=path, model="extractive")
    list(plan.data.examples())
    assert next(iter(plan.metrics)) == "exact_match:unicode"
    warning = (
        "1 of 3 rows have options, so exact_match over all rows comes first; f1 scores the free answers of the other "
        "rows"
    )
    assert plan.data.warnings == [warning]


def test_an_answer_that_is_not_among_the_options_is_reported(tmp_path: Path) -> None:
    data = make_plan(
        "qa", data=several_rows(tmp_path, {}, {"answer": "Bern"}, {"answer": "Bergn"}), model="extractive"
    ).data
    assert [example.references for example in data.examples()] == [("Bergen",), ("Bern",), ("Bergn",)]
    assert data.warnings == [
        "rows whose answer is not one of their options (write its letter or its text): 2 (rows.jsonl:2, rows.jsonl:3)"
    ]


def test_options_in_a_table_s_cells_and_in_a_folder_of_questions_count(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text('document,question,answer,options\nAnna keeps bees.,Who?,A,"[""Anna"", ""Bert""]"\n', "utf-8")
    assert make_plan("qa", data=table, model="extractive").data.row_counts() == (1, 1, 0)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "bees.txt").write_text("Anna keeps bees.", encoding="utf-8")
    (folder / "bees.jsonl").write_text('{"question": "Who?", "answer": "A", "options": ["Anna", "Bert"]}\n', "utf-8")
    assert next(iter(make_plan("qa", data=folder, model="extractive").metrics)) == "exact_match:unicode"


def test_an_unreadable_row_is_an_error_when_the_examples_are_read(tmp_path: Path) -> None:
    (tmp_path / "bees.txt").write_text("Anna keeps bees.", encoding="utf-8")
    good = '{"question": "Who?", "answer": "A", "options": ["Anna", "Bert"]}'
    (tmp_path / "bees.jsonl").write_text(f"{good}\n{{broken\n", encoding="utf-8")
    plan = make_plan("qa", data=tmp_path, model="extractive")
    assert plan.data.row_counts() == (1, 1, 0)
    with pytest.raises(UserError, match=r"bees\.jsonl:2"):
        list(plan.data.examples())


@pytest.mark.parametrize(
    "changed",
    [
        {"options": {"A": "Oslo", "B": "Bergen", "C": "Bodø"}},
        {"options": None, "choices": ["Oslo", "Bergen", "Bodø"]},
        {"options": [], "choices": {"text": ["Oslo", "Bergen", "Bodø"], "label": ["A", "B", "C"]}},
        {"options": None, "A": "Oslo", "B": "Bergen", "C": "Bodø", "D": ""},
    ],
)
def test_options_are_read_in_every_way_that_files_write_them(tmp_path: Path, changed: Any) -> None:
    (example,) = read(rows(tmp_path, **changed))
    assert (example.options, example.references) == (("Oslo", "Bergen", "Bodø"), ("Bergen",))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"answer": 1},
            "rows.jsonl:1: the answer 1 is the number of an option; write the option's text, or its letter",
        ),
        ({"options": {"1": "Oslo", "2": "Bergen"}}, "rows.jsonl:1: options are 1, 2; call the options A, B, C …"),
        ({"options": {"text": ["Oslo"], "label": []}}, "rows.jsonl:1: options has 1 texts and 0 labels; give each"),
        ({"options": {"A": "Oslo", "C": "Bergen"}}, "rows.jsonl:1: options are A, C; call the options A, B, C …"),
        ({"options": {"A": "Oslo", "B": None}}, "rows.jsonl:1: the option B is empty"),
        ({"options": "", "A": "Oslo", "B": "Bergen", "D": "Bodø"}, "rows.jsonl:1: the columns are A, B, D; call"),
    ],
)
def test_options_without_proper_letters_are_refused(tmp_path: Path, changed: Any, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read(rows(tmp_path, **changed))
    assert str(refused.value).startswith(message)


def test_an_answer_key_is_a_label_of_the_choices(tmp_path: Path) -> None:
    choices = {"text": ["Oslo", "Bergen", "Bodø"], "label": ["1", "2", "3"]}
    (example,) = read(rows(tmp_path, options=None, choices=choices, answer=None, answerKey="2"))
    assert (example.options, example.references) == (("Oslo", "Bergen", "Bodø"), ("Bergen",))


def test_a_number_without_options_is_a_class(tmp_path: Path) -> None:
    (example,) = read(rows(tmp_path, options=None, answer=0))
    assert example.references == ("0",)


def test_a_number_that_is_an_option_is_its_text(tmp_path: Path) -> None:
    (example,) = read(rows(tmp_path, options=["3", "2", "1"], answer=1))
    assert example.references == ("1",)


def read(path: Path) -> list[Example]:
    return list(make_plan("qa", data=path, model="extractive").data.examples())
