"""LaRA's files of questions: documents by name, one file a run, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.lara.layouts.lara import LEVELS
from pipelines.benchmarks.lara.tasks import DATASET
from pipelines.records import Example


def row(**changes: Any) -> dict[str, Any]:
    fields = {"type": "book", "level": "location", "length": "32k", "file": "gull.txt", "context_order": 0}
    return {**fields, "question": "Who flew?", "answer": "A gull.", **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The questions of two levels, and a document beside them."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "gull.txt").write_text("A gull flew over the harbour at dawn.")
    write(tmp_path / "32k_book_location.jsonl", row(), row(context_order=1, question="When?", answer="At dawn."))
    comparison = row(level="comp", comp_parts=[0, 2], question="Which?")
    del comparison["context_order"]
    write(tmp_path / "32k_book_comp.jsonl", comparison)
    return tmp_path


def write(path: Path, *rows: Any) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))


def read(data: Path, task: str = "location") -> list[Example]:
    return list(sources.load(f"lara/{task}", DATASET, data).examples())


def test_a_folder_has_the_file_of_each_task_by_its_name(folder: Path) -> None:
    one, two = read(folder)
    assert (one.id, one.query, one.references) == ("gull:0", "Who flew?", ("A gull.",))
    assert (two.id, two.references) == ("gull:1", ("At dawn.",))
    assert one.document is two.document
    assert one.document.text == "A gull flew over the harbour at dawn."
    assert one.meta == {"type": "book", "level": "location", "length": "32k"}
    assert [example.id for example in read(folder, "comparison")] == ["gull:0-2"]


def test_documents_lie_as_in_the_repository_too(tmp_path: Path) -> None:
    (tmp_path / "datasets" / "32k" / "book").mkdir(parents=True)
    (tmp_path / "datasets" / "query").mkdir()
    (tmp_path / "datasets" / "32k" / "book" / "gull.txt").write_text("A gull.")
    write(tmp_path / "datasets" / "query" / "32k_book_location.jsonl", row())
    for path in (tmp_path, tmp_path / "datasets", tmp_path / "datasets" / "query"):
        assert [example.document.text for example in read(path)] == ["A gull."]


def test_several_lengths_or_types_are_chosen_by_their_path(folder: Path) -> None:
    write(folder / "128k_book_location.jsonl", row(length="128k"))
    with pytest.raises(UserError, match=r"has 2 files of lara/location.*128k_book_location.jsonl, 32k_book_location"):
        read(folder)
    assert len(read(folder / "32k_book_location.jsonl")) == 2


def test_the_file_of_another_task_is_refused_with_its_name(folder: Path) -> None:
    with pytest.raises(UserError, match="questions have level 'comp': use task lara/comparison"):
        read(folder / "32k_book_comp.jsonl")
    write(folder / "other.jsonl", row(level="guess"))
    with pytest.raises(UserError, match="level must be one of location, reasoning, comp, hallu, got 'guess'"):
        read(folder / "other.jsonl")


def test_a_document_that_is_missing_or_outside_is_named(folder: Path) -> None:
    write(folder / "32k_book_location.jsonl", row(file="whale.txt"))
    with pytest.raises(UserError, match=r"32k_book_location.jsonl:1: the document 'whale.txt' is missing in .*docume"):
        read(folder)
    for outside in ("../gull.txt", "", "/etc/hosts"):
        write(folder / "32k_book_location.jsonl", row(file=outside))
        with pytest.raises(UserError, match="`file` must be the name of a document"):
            read(folder)


def test_another_version_and_a_question_that_comes_twice_are_refused(folder: Path) -> None:
    older = {name: value for name, value in row().items() if name != "length"}
    write(folder / "32k_book_location.jsonl", older)
    with pytest.raises(UserError, match=r"its fields: type, level, file, context_order, question, answer"):
        read(folder)
    write(folder / "32k_book_location.jsonl", row(), older)
    with pytest.raises(UserError, match=r":2: expected LaRA's questions"):
        read(folder)
    write(folder / "32k_book_location.jsonl", row(), row())
    with pytest.raises(UserError, match=r":2: the question 'Who flew\?' on gull.txt comes twice"):
        read(folder)


def test_a_question_asked_of_two_parts_of_a_document_is_two_examples(folder: Path) -> None:
    write(folder / "32k_book_location.jsonl", row(), row(context_order=3))
    assert [example.id for example in read(folder)] == ["gull:0", "gull:3"]


@pytest.mark.parametrize("kind", ["book", "novel", "novelette", "novel_fake", "novelette_fake"])
def test_length_and_type_are_those_of_the_file_s_name_whatever_the_rows_call_a_book(tmp_path: Path, kind: str) -> None:
    (tmp_path / "datasets" / "32k" / "book").mkdir(parents=True)
    (tmp_path / "datasets" / "query").mkdir()
    (tmp_path / "datasets" / "32k" / "book" / "gull.txt").write_text("A gull.")
    for name, length in (("32k_book_location.jsonl", "free text"), ("mine.jsonl", "32k")):
        write(tmp_path / "datasets" / "query" / name, row(type=kind, length=length))
        (example,) = read(tmp_path / "datasets" / "query" / name)
        assert example.document.text == "A gull."
        assert example.meta == {"type": "book", "level": "location", "length": "32k"}


def test_two_questions_on_one_part_have_ids_of_their_own(folder: Path) -> None:
    write(folder / "32k_book_location.jsonl", row(), row(question="What flew?"))
    assert [example.id for example in read(folder)] == ["gull:0", "gull:0.2"]


def test_the_prompt_of_the_benchmark_is_that_of_the_type_of_document(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompt.py"
    file.write_text(
        'full_templates = {"book": "A book.\\n{context}\\nQ {question}", "paper": "Papers. {context} {question}"}\n'
        'rag_templates = {"book": "Pieces. {context} {question}"}\n'
    )
    for prompts_from, expected in (
        (str(file), "A book.\nA gull flew over the harbour at dawn.\nQ Who flew?"),
        (f"{file}::rag_templates", "Pieces. A gull flew over the harbour at dawn. Who flew?"),
    ):
        prompt = pipelines.prompt("lara/location", "gull:0", data=folder, model="copy", prompts_from=prompts_from)
        assert prompt.text == expected
    (folder / "32k_book_location.jsonl").rename(folder / "32k_poem_location.jsonl")
    with pytest.raises(UserError, match="unknown type of the benchmark's prompts 'poem'; known: book, paper"):
        pipelines.prompt("lara/location", "gull:0", data=folder, model="copy", prompts_from=file)


def test_the_whole_benchmark_is_found_in_a_folder(folder: Path) -> None:
    dry_run = pipelines.dry_run_tasks("lara", data=folder, model="extractive")
    assert [(name, one.examples) for name, one in dry_run.counts.items()] == [
        ("lara/location", 2), ("lara/comparison", 1),
    ]  # fmt: skip
    assert "no data of lara/reasoning" in dry_run.not_run["lara/reasoning"]


def test_of_the_financial_reports_at_hand_each_level_is_read(realdata: Path) -> None:
    counts = {one.name: len(read(realdata / "lara", one.name.partition("/")[2])) for one in tasks.group("lara")}
    assert counts == {"lara/location": 68, "lara/reasoning": 56, "lara/comparison": 41, "lara/hallucination": 54}


def test_the_published_files_of_books_are_read(realdata: Path) -> None:
    counts = {
        path.stem: len(read(path, LEVELS[path.stem.rpartition("_")[2]]))
        for path in sorted((realdata / "lara_books" / "datasets" / "query").glob("*_book_*.jsonl"))
    }
    assert counts == {
        "128k_book_comp": 3, "128k_book_hallu": 7, "128k_book_reasoning": 6,
        "32k_book_comp": 15, "32k_book_hallu": 19, "32k_book_location": 25, "32k_book_reasoning": 20,
    }  # fmt: skip
