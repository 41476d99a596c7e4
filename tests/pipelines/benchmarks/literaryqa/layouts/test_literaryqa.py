"""LiteraryQA's books with their questions, and the texts of the books."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks

START, END = "*** START OF THE PROJECT GUTENBERG EBOOK GULLS ***", "*** END OF THE PROJECT GUTENBERG EBOOK GULLS ***"
TASK = tasks.get("literaryqa")


def book(name: str = "a1", *questions: tuple[str, list[str]], **more: Any) -> dict[str, Any]:
    pairs = [{"question": question, "answers": answers} for question, answers in questions or [("Who?", ["Anna"])]]
    return {
        "document_id": name,
        "gutenberg_id": f"9{name}",
        "split": "test",
        "title": f"Book {name}",
        "qas": pairs,
        **more,
    }


def load(folder: Path, *books: Any, split: str = "test", **texts: str) -> sources.Dataset:
    (folder / "annotations").mkdir()
    (folder / "books_raw").mkdir()
    rows = "".join(json.dumps(row) + "\n" for row in books)
    (folder / "annotations" / "test.jsonl").write_text(rows)
    for name, text in texts.items():
        (folder / "books_raw" / f"{name}.txt").write_text(text)
    return sources.load("literaryqa", TASK.dataset, folder, split)


def test_a_book_is_the_work_between_gutenberg_s_marks_with_its_questions(tmp_path: Path) -> None:
    questions = ("Who woke? ", ["Anna", "anna"]), ("When?", ["At dawn"])
    dataset = load(tmp_path, book("a1", *questions), a1=f"Licence\n{START}\n\nAnna woke at dawn.\n\n{END}\nLicence")
    first, second = dataset.examples()
    assert (first.id, first.query, first.references) == ("a1-1", "Who woke?", ("Anna", "anna"))
    assert (second.id, second.query, second.references) == ("a1-2", "When?", ("At dawn",))
    assert first.document is second.document
    assert (first.document.text, first.document.title) == ("Anna woke at dawn.", "Book a1")
    assert dataset.warnings == []
    assert dataset.fingerprint["documents"]["files"] == 1


def test_a_file_without_marks_is_read_whole_with_a_warning(tmp_path: Path) -> None:
    dataset = load(tmp_path, book(), a1="Anna woke.")
    (example,) = dataset.examples()
    assert example.document.text == "Anna woke."
    assert dataset.warnings == [
        "Gutenberg's files without its marks, read whole, licence included where there is one: 1 (a1.txt)"
    ]


def test_questions_of_books_without_a_text_are_left_out_with_a_warning(tmp_path: Path) -> None:
    two = ("Who?", ["Anna"]), ("When?", ["At dawn"])
    dataset = load(tmp_path, book("a1"), book("b2", *two), a1=f"{START}\nAnna woke.\n{END}")
    assert [example.id for example in dataset.examples()] == ["a1-1"]
    assert dataset.warnings == ["questions left out, because the text of their book is absent: 2 of 3 (Book b2)"]


def test_where_no_book_has_a_text_the_folder_for_them_is_named(tmp_path: Path) -> None:
    dataset = load(tmp_path, book("a1"), book("b2"))
    with pytest.raises(UserError, match=r"the texts of all 2 books are missing, a1 first: put them into books_raw"):
        list(dataset.examples())


def test_a_text_in_the_row_and_a_cleaned_file_are_read_as_they_are(tmp_path: Path) -> None:
    cleaned = tmp_path / "test" / "9b2.cleaned.txt"
    cleaned.parent.mkdir()
    cleaned.write_text("Ben slept.")
    dataset = load(tmp_path, book("a1", text="Anna woke."), book("b2"))
    assert [example.document.text for example in dataset.examples()] == ["Anna woke.", "Ben slept."]
    assert dataset.warnings == []


def test_an_older_encoding_is_reported(tmp_path: Path) -> None:
    dataset = load(tmp_path, book(), a1="")
    (tmp_path / "books_raw" / "a1.txt").write_bytes(f"{START}\nÅse woke.\n{END}".encode("cp1252"))
    (example,) = dataset.examples()
    assert example.document.text == "Åse woke."
    assert dataset.warnings == ["texts are not UTF-8 and were read as cp1252: 1 (a1.txt)"]


def test_text_that_was_encoded_twice_is_read_as_it_was(tmp_path: Path) -> None:
    dataset = load(tmp_path, book("a1"), book("b2"), a1="", b2="")
    twice = f"\ufeffLicence\n{START}\nÅse woke.\n{END}".encode().decode("latin-1")
    (tmp_path / "books_raw" / "a1.txt").write_text(twice, encoding="utf-8")
    (tmp_path / "books_raw" / "b2.txt").write_text(f"ï»¿{START}\nÅse slept – €.\n{END}", encoding="utf-8")
    assert [example.document.text for example in dataset.examples()] == ["Åse woke.", "Åse slept – €."]
    assert dataset.warnings == ["texts whose UTF-8 had been taken for Latin-1, and was read as UTF-8: 1 (a1.txt)"]


def test_the_credits_of_the_file_are_left_out_of_the_work(tmp_path: Path) -> None:
    credit = "Produced by A. Nna and the\nProofreading Team at\nhttp://a.example\n\nE-text prepared by B. En\n\n\n"
    dataset = load(tmp_path, book(), a1=f"{START}\n\n{credit}THE GULLS\n\nProduced by no one.\n{END}")
    (example,) = dataset.examples()
    assert example.document.text == "THE GULLS\n\nProduced by no one."


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (book(qas=["Who?"]), r"test.jsonl:1, question 1: a question must be an object with question and answers"),
        (book("a1", ("", ["Anna"])), r"question 1: expected a question and at least one answer; found question, ans"),
        (book("a1", ("Who?", [])), r"question 1: expected a question and at least one answer"),
        (book("../a1"), "must be plain names"),
    ],
)  # fmt: skip
def test_malformed_books_are_refused_with_their_line(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(load(tmp_path, row, a1="Anna woke.").examples())


def test_the_real_book_loses_its_licence_and_keeps_its_questions(realdata: Path) -> None:
    dataset = sources.load("literaryqa", TASK.dataset, realdata / "literaryqa")
    examples = list(dataset.examples())
    assert len(examples) == 28
    assert {example.document.title for example in examples} == {"Felix Holt, the Radical"}
    text = examples[0].document.text
    assert text.startswith("    [Illustration: ESTHER LYON.]")
    assert "Ã" not in text
    assert text.count("é") == 14
    assert "START OF THIS PROJECT" not in text
    assert "END OF THIS PROJECT" not in text
    warning, repaired = dataset.warnings
    assert repaired.startswith("texts whose UTF-8 had been taken for Latin-1, and was read as UTF-8: 1 (ced259f8")
    assert warning.startswith(
        "questions left out, because the text of their book is absent: 1,755 of 1,783 (Père Goriot,"
    )


def test_questions_are_answered_from_the_file_to_the_score_without_a_model(tmp_path: Path) -> None:
    text = f"Licence\n{START}\nThe mill stood by the river. Anna left the mill at noon.\n{END}"
    load(tmp_path, book("a1", ("When did Anna leave the mill?", ["Anna left the mill at noon"])), a1=text)
    result = pipelines.run("literaryqa", data=tmp_path, model="extractive", out=tmp_path / "run")
    assert result.predictions[0].prediction == "Anna left the mill at noon."
    assert [result.scores[name] for name in ("exact_match", "f1_hotpotqa", "rougeL")] == [100.0, 100.0, 100.0]
