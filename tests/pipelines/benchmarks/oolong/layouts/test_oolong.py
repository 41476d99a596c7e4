"""OOLONG's rows of both parts, and runs on them."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks

WINDOW = "Date: Mar 5, 2024 || User: 4 || Instance: Buy now!\nDate: Mar 6, 2024 || User: 7 || Instance: See you."


def synth(name: str, answer: str, kind: str) -> dict[str, Any]:
    fields = {"dataset": "spam", "context_len": 1024, "task_group": "counting", "task": "x", "input_subset": "False"}
    window = {"context_window_text": WINDOW, "context_window_text_with_labels": WINDOW, "context_window_id": 3}
    return {
        "id": name,
        "question": "How many?",
        "answer": answer,
        "answer_type": f"ANSWER_TYPE.{kind}",
        **fields,
        **window,
    }


def examples(folder: Path, *rows: dict[str, Any]) -> list[Any]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return list(sources.load("oolong/synth", tasks.get("oolong/synth").dataset, folder / "rows.jsonl").examples())


def test_the_first_item_of_a_written_list_is_the_reference(tmp_path: Path) -> None:
    rows = [synth("a", "[17]", "NUMERIC"), synth("b", "['spam', 'ham']", "LABEL"),
            synth("c", "[datetime.date(2024, 3, 5)]", "DATE")]  # fmt: skip
    read_examples = examples(tmp_path, *rows)
    assert [example.references for example in read_examples] == [("17",), ("spam",), ("2024-03-05",)]
    assert [example.document is read_examples[0].document for example in read_examples] == [True] * 3
    assert read_examples[0].meta == {
        "answer_type": "ANSWER_TYPE.NUMERIC", "task_group": "counting", "task": "x", "context_len": "1024",
    }  # fmt: skip


@pytest.mark.parametrize("answer", ["17", "[]", "[open('x')]", "[datetime.date(2024, 13, 5)]", "['a'"])
def test_answers_in_another_form_are_refused_and_never_run(answer: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"rows\.jsonl:1: the answer must be a list"):
        examples(tmp_path, synth("a", answer, "NUMERIC"))


def test_answers_of_the_part_from_transcripts_are_texts(tmp_path: Path) -> None:
    row = {"id": "a", "context_window_id": "w", "context_window_text": WINDOW, "question": "Who?", "answer": "Ada, Bo",
           "question_type": "multi", "episodes": "[1]", "campaign": "c1"}  # fmt: skip
    (example,) = examples(tmp_path, row)
    assert (example.references, example.meta) == (("Ada, Bo",), {"question_type": "multi", "campaign": "c1"})
    arguments = {"data": tmp_path / "rows.jsonl", "report": False}
    prompts: list[str] = []

    def bo_and_cy(prompt: str) -> str:
        prompts.append(prompt)
        return r"\boxed{Bo, Cy}"

    result = pipelines.run("oolong/real", model=bo_and_cy, out=tmp_path / "run", **arguments)
    assert result.scores == {"oolong_real": 50.0}
    assert WINDOW in prompts[0]
    assert prompts[0].endswith(r"in this form: \boxed{…}.")
    prompt = pipelines.prompt("oolong/real", "a", data=arguments["data"], model="lead").text
    assert prompt == f"{WINDOW}\n\nWho?\nEnd with the answer alone, in this form: \\boxed{{…}}.\n"


def test_a_file_is_run_and_scored(tmp_path: Path) -> None:
    examples(tmp_path, synth("a", "[17]", "NUMERIC"), synth("b", "['spam']", "LABEL"))
    arguments = {"data": tmp_path / "rows.jsonl", "report": False}
    result = pipelines.run("oolong/synth", model=lambda prompt: "Answer: 18", out=tmp_path / "told", **arguments)
    assert result.scores == {"oolong_synth": 37.5}
    extracted = pipelines.run("oolong/synth", model="extractive", out=tmp_path / "read", retriever="bm25", k=1,
                         chunker="lines:size=10", **arguments)  # fmt: skip
    assert extracted.examples == 2
