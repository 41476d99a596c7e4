"""Prompts in a notebook: read from its code cells by the conditions around them, and never run."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.tasks import notebook_prompts

CODE = """%%capture
!pip install everything
def answer(mode, question, context):
    if mode == "closedBook":
        prompt = f"Q {question}?"
    elif mode in ["inContext", "inContext_reverse"]:
        context = context[:10]
        if mode == "inContext":
            prompt = f"Q {question} {{braced}} T {context}"
        else:
            prompt = f"T {context}\\nQ {question}"
        return ask(prompt)
    elif mode == "store" or mode == "shared":
        prompt = f"{question}"
    else:
        prompt = f"{question} for all others {context}"
"""


def notebook(path: Path, *cells: Any) -> Path:
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]}))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one question on a filing, and its notebook."""
    for name in ("data", "texts"):
        (tmp_path / name).mkdir()
    (tmp_path / "texts" / "MILL.txt").write_text("Revenue: 1200")
    row = {"financebench_id": "f1", "doc_name": "MILL", "question": "What was it?", "answer": "1200", "evidence": []}
    (tmp_path / "data" / "financebench_open_source.jsonl").write_text(json.dumps(row) + "\n")
    notebook(tmp_path / "evaluation_playground.ipynb", "not python at all", CODE.splitlines(keepends=True))
    return tmp_path


def prompt(folder: Path, prompts_from: Any, **arguments: Any) -> str:
    return pipelines.prompt(
        "financebench", "f1", data=folder, model="copy", prompts_from=prompts_from, **arguments
    ).text


def test_a_prompt_has_the_name_that_its_conditions_leave() -> None:
    cells = json.dumps({"cells": [{"cell_type": "code", "source": CODE}, {"cell_type": "markdown", "source": "f''"}]})
    assert notebook_prompts.read(cells, Path("a.ipynb")) == {
        "closedBook": "Q {question}?",
        "inContext": "Q {question} {{braced}} T {context}",
        "inContext_reverse": "T {context}\nQ {question}",
    }


def test_the_filing_is_first_and_the_other_order_is_chosen_by_its_name(folder: Path) -> None:
    for place in (folder, folder / "evaluation_playground.ipynb"):
        assert prompt(folder, place) == "T Revenue: 1200\nQ What was it?"
    file = folder / "evaluation_playground.ipynb"
    assert prompt(folder, f"{file}::inContext") == "Q What was it? {braced} T Revenue: 1200"
    assert prompt(folder, file, retriever="none") == "Q What was it??"
    assert prompt(folder, file, chunker="lines", retriever="first", k=1) == "T Revenue: 1200\nQ What was it?"


def test_a_name_that_the_notebook_does_not_have_is_answered_with_those_that_it_has(folder: Path) -> None:
    with pytest.raises(UserError, match=r"unknown prompt in evaluation_playground.ipynb 'inContxt'.*inContext"):
        prompt(folder, f"{folder / 'evaluation_playground.ipynb'}::inContxt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "cannot be read as a notebook"),
        ("[]", "has no prompt under a condition"),
        ('{"cells": [{"cell_type": "code", "source": ["x = 1"]}, 3]}', "has no prompt under a condition"),
    ],
)
def test_another_file_is_refused(folder: Path, content: str, message: str) -> None:
    (folder / "evaluation_playground.ipynb").write_text(content)
    with pytest.raises(UserError, match=message):
        prompt(folder, folder)
    with pytest.raises(UserError, match=r"expected evaluation_playground\.ipynb of the benchmark's repository"):
        prompt(folder, folder / "texts" / "MILL.txt")


def test_a_cell_that_is_nested_without_end_has_no_prompts(folder: Path) -> None:
    sums, branches = "x = " + "1 + " * 3_000 + "1", "if x == 1:\n    y = 1\n" + "elif x == 1:\n    y = 1\n" * 2_000
    notebook(folder / "evaluation_playground.ipynb", sums, branches, "x = " + "(" * 5_000, "\0", CODE)
    assert prompt(folder, folder).startswith("T Revenue")


def test_a_notebook_is_read_and_not_run(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    notebook(folder / "evaluation_playground.ipynb", f"open({str(mark)!r}, 'w')\n", CODE)
    assert prompt(folder, folder).startswith("T Revenue")
    assert not mark.exists()


def test_the_order_alone_differs_in_words_of_our_own(folder: Path) -> None:
    prompts = {
        name: pipelines.prompt("financebench", "f1", data=folder, model="copy", prompt=name).text
        for name in ("document_first", "question_first")
    }
    assert prompts == {
        "document_first": "Revenue: 1200\n\nQuestion about the text above: What was it?\n\nAnswer:",
        "question_first": "Question about the text below: What was it?\n\nRevenue: 1200\n\nAnswer:",
    }
