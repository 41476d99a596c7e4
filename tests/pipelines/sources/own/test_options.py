"""Options of a person's own rows: the reader is shown them, and letters and texts are both answers."""

import json
from collections.abc import Sequence
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


class Letter(Reader):
    """Answers with a letter."""

    supports = frozenset({Generate})

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return [Reply("B") for _ in requests]


def rows(folder: Path, **changed: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(ROW | changed) + "\n", encoding="utf-8")
    return path


def prompt_of(path: Path, **given: Any) -> str:
    plan = make_plan("qa", data=path, model="extractive", **given)
    return plan.template.render(next(iter(plan.data.examples())), (Part("document", "The mill …", 0, 10),)).text


def test_the_prompt_of_qa_lists_the_options_with_letters(tmp_path: Path) -> None:
    assert prompt_of(rows(tmp_path)) == "Where did the mill stand?\n(A) Oslo\n(B) Bergen\n(C) Bodø\n The mill …"


@pytest.mark.parametrize(
    ("given", "changed", "prompt"),
    [
        ("{document} Choose: {options}", {}, "The mill … Choose: (A) Oslo\n(B) Bergen\n(C) Bodø"),
        ("{query} {document}", {"options": []}, "Where did the mill stand? The mill …"),
        ("{query} {document}", {"question": "Oslo, Bergen or Bodø?"}, "Oslo, Bergen or Bodø? The mill …"),
    ],
)  # fmt: skip
def test_options_stand_in_a_prompt_once(tmp_path: Path, given: str, changed: Any, prompt: str) -> None:
    assert prompt_of(rows(tmp_path, **changed), prompt=given) == prompt


@pytest.mark.parametrize("answer", ["B", "(B)", "Bergen", ["Bergen"]])
def test_a_row_s_answer_is_an_option_s_letter_or_text(tmp_path: Path, answer: Any) -> None:
    example = next(iter(make_plan("qa", data=rows(tmp_path, answer=answer), model="extractive").data.examples()))
    assert example.references == ("Bergen",)


def test_an_option_that_is_a_letter_itself_is_no_letter_of_another(tmp_path: Path) -> None:
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
    result = run("qa", data=rows(tmp_path), model=Letter(), metrics="exact_match", out=tmp_path / "run")
    assert [one.prediction for one in result.predictions] == ["Bergen"]
    assert result.scores["exact_match"] == 100.0


@pytest.mark.parametrize(
    "changed",
    [
        {"options": {"A": "Oslo", "B": "Bergen", "C": "Bodø"}},
        {"options": None, "choices": ["Oslo", "Bergen", "Bodø"]},
        {"options": [], "choices": {"text": ["Oslo", "Bergen", "Bodø"], "label": ["A", "B", "C"]}},
        {"options": None, "A": "Oslo", "B": "Bergen", "C": "Bodø", "D": ""},
    ],
)
def test_options_are_read_in_the_ways_that_files_write_them(tmp_path: Path, changed: Any) -> None:
    (example,) = opened(rows(tmp_path, **changed))
    assert (example.options, example.references) == (("Oslo", "Bergen", "Bodø"), ("Bergen",))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"answer": 1},
            "rows.jsonl:1: the answer 1 is the number of an option: write the option's text, or its letter",
        ),
        ({"options": {"1": "Oslo", "2": "Bergen"}}, "rows.jsonl:1: options are 1, 2: call the options A, B, C …"),
        ({"options": {"text": ["Oslo"], "label": []}}, "rows.jsonl:1: options has 1 texts and 0 labels: give each"),
        ({"options": {"A": "Oslo", "C": "Bergen"}}, "rows.jsonl:1: options are A, C: call the options A, B, C …"),
        ({"options": {"A": "Oslo", "B": None}}, "rows.jsonl:1: the option B is empty"),
        ({"options": "", "A": "Oslo", "B": "Bergen", "D": "Bodø"}, "rows.jsonl:1: the columns are A, B, D: call"),
    ],
)
def test_options_that_no_letter_names_are_refused(tmp_path: Path, changed: Any, message: str) -> None:
    with pytest.raises(UserError) as refused:
        opened(rows(tmp_path, **changed))
    assert str(refused.value).startswith(message)


def test_an_answer_key_is_a_label_of_the_choices(tmp_path: Path) -> None:
    choices = {"text": ["Oslo", "Bergen", "Bodø"], "label": ["1", "2", "3"]}
    (example,) = opened(rows(tmp_path, options=None, choices=choices, answer=None, answerKey="2"))
    assert (example.options, example.references) == (("Oslo", "Bergen", "Bodø"), ("Bergen",))


def test_a_number_without_options_is_a_class(tmp_path: Path) -> None:
    (example,) = opened(rows(tmp_path, options=None, answer=0))
    assert example.references == ("0",)


def test_a_number_that_is_an_option_is_its_text(tmp_path: Path) -> None:
    (example,) = opened(rows(tmp_path, options=["3", "2", "1"], answer=1))
    assert example.references == ("1",)


def opened(path: Path) -> list[Example]:
    return list(make_plan("qa", data=path, model="extractive").data.examples())
