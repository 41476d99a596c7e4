"""Which words after `longdoc ask` are files, and which is the question."""

import pytest

from longdoc.errors import UserError
from pipelines.plugins.ask.cli.words import files_and_question


@pytest.fixture(autouse=True)
def folder_with_files(tmp_path, monkeypatch):
    (tmp_path / "notes").mkdir()
    for name in ("book.epub", "notes/a.md", "my book.epub"):
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "files", "question"),
    [
        (["book.epub"], ["book.epub"], None),
        (["book.epub", "notes"], ["book.epub", "notes"], None),
        (["book.epub", "notes/", "Who is Anna?"], ["book.epub", "notes/"], "Who is Anna?"),
        (["book.epub", "Anna"], ["book.epub"], "Anna"),
        (["book.epub", "Who?"], ["book.epub"], "Who?"),
        (["book.epub", "-"], ["book.epub"], "-"),
        (["book.epub", "What is in notes/b.md?"], ["book.epub"], "What is in notes/b.md?"),
        (["book.epub", "What does and/or mean in a contract"], ["book.epub"], "What does and/or mean in a contract"),
        (["book.epub", "Summarize book.epub"], ["book.epub"], "Summarize book.epub"),
        (["book.epub", "nots?"], ["book.epub"], "nots?"),
        (["book.epub", "x" * 5000], ["book.epub"], "x" * 5000),
    ],
)
def test_a_last_word_that_is_no_path_is_the_question(words, files, question):
    assert files_and_question(words) == (files, question)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["book.epub", "notes/b.md"], "there is no file or folder notes/b.md; did you mean notes/a.md?"),
        (["book.epub", "elsewhere/x"], r"there is no file or folder elsewhere/x \(if it is the question"),
        (["book.epub", "report.pdf"], r"there is no file or folder report.pdf \(if it is the question"),
        (["book.epub", "nots"], "there is no file or folder nots; did you mean notes?"),
        (["notes", "my bok.epub"], "there is no file or folder my bok.epub; did you mean my book.epub?"),
        (["bok.epub", "Who is Anna?"], "there is no 'bok.epub' in .; did you mean book.epub"),
        (["Who is Anna?", "book.epub"], "the question comes last: longdoc ask book.epub 'Who is Anna?'"),
        (["Who is Anna?"], "there is no document to ask: longdoc ask FILE-OR-FOLDER 'Who is Anna?'"),
        (["book.epub", " "], "the question is empty"),
        (["", "Who is Anna?"], "the name of a file is empty"),
        (["-"], "there is no document to ask: longdoc ask FILE-OR-FOLDER 'QUESTION'"),
    ],
)
def test_a_mistyped_path_is_not_taken_for_a_question(words, message):
    with pytest.raises(UserError, match=message.replace("?", r"\?")):
        files_and_question(words)
