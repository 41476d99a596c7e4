"""MuLD's rows: where a question ends, which rows share a document, and what is read of a damaged file."""

import bz2
import json
import random
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.layouts import muld
from pipelines.benchmarks.muld.tasks import DATASETS
from pipelines.sources.boundary import boundary

NOVEL = "The Firm\n\n" + "".join(f"Line {n} of the novel, in the year of 1858.\n" for n in range(200)) + "The end."
SCRIPT = "\n\n   FADE IN\n\n" + "".join(f"  ANNA ({n})\n  Où est-il – ici?  \n" for n in range(300)) + "FADE OUT"
LICENCE = "".join(f"Paragraph {n} of the licence that ends every book.\n" for n in range(150))


def write(path: Path, rows: list[Any]) -> Path:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(bz2.compress(lines) if path.suffix == ".bz2" else lines)
    return path


def row(question: str, document: str, output: Any = "an answer") -> dict[str, Any]:
    return {"input": f"{question} {document}", "output": output, "metadata": ""}


def load(path: Path, task: str = "narrativeqa") -> sources.Dataset:
    return sources.load(task, DATASETS[task], path)


def pairs(path: Path) -> list[tuple[str, str]]:
    return [(example.query, example.document.text) for example in load(path).examples()]


def test_rows_of_one_document_share_it_and_take_their_ids_from_their_lines(tmp_path: Path) -> None:
    file = write(
        tmp_path / "test.json.bz2", [row("Who is Oscar?", NOVEL), row("How old is Dana?", NOVEL, ["6", "six"])]
    )
    first, second = load(file).examples()
    assert (first.id, second.id) == ("test-1", "test-2")
    assert first.document is second.document
    assert first.document.text == NOVEL
    assert (first.query, second.query) == ("Who is Oscar?", "How old is Dana?")
    assert (first.references, second.references) == (("an answer",), ("6", "six"))


def test_a_document_id_is_the_short_digest_of_its_text(tmp_path: Path) -> None:
    from hashlib import sha256

    (example,) = load(write(tmp_path / "test.json", [row("Who?", NOVEL)])).examples()
    assert example.document.id == sha256(NOVEL.encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "questions",
    [
        ("Who is Oscar?", "Where is Oscar?"),  # " is Oscar?" is shared
        ("What does Anna say to Oscar?", "What does Berta say to Oscar?"),
        ("Who did it?", "Name the man who did it."),
        ("Name the firm.", "Say where Anna lives."),
        ('What is "the end?"', "What is it?"),
        ("Who?", "Who?"),
        ("Is it A? Or B?", "Is it so?"),
    ],
)
def test_neighbours_are_split_by_their_common_ending_and_the_question_marks(
    tmp_path: Path, questions: tuple[str, ...]
) -> None:
    file = write(tmp_path / "test.json", [row(question, NOVEL) for question in questions])
    assert pairs(file) == [(question, NOVEL) for question in questions]


def test_questions_without_an_end_mark_end_with_the_word_in_which_the_common_ending_begins_with_a_warning(
    tmp_path: Path,
) -> None:
    file = write(tmp_path / "test.json", [row("tell me of Oscar", NOVEL), row("the age of Hector", NOVEL)])
    data = load(file)
    first, second = data.examples()
    assert (first.query, second.query) == ("tell me of Oscar", "the age of Hector")
    assert first.document.text == NOVEL
    assert data.warnings == ["documents told from their questions by the rows' common ending alone: 1 (test.json:1)"]


@pytest.mark.parametrize("mark", ["\ufeff", "\xef\xbb\xbf"])
@pytest.mark.parametrize("rows", [1, 2])
def test_a_byte_order_mark_begins_the_document_and_is_dropped(tmp_path: Path, mark: str, rows: int) -> None:
    questions = ["Name the man", "Tell of Dana"][:rows]
    data = load(write(tmp_path / "test.json", [row(question, mark + NOVEL) for question in questions]))
    assert [(one.query, one.document.text) for one in data.examples()] == [(question, NOVEL) for question in questions]
    mojibake = "documents began with a byte order mark read in the wrong encoding; it was dropped: 1 (test.json:1)"
    assert data.warnings == ([mojibake] if len(mark) == 3 else [])


def test_an_html_tag_begins_the_document(tmp_path: Path) -> None:
    html = "<HTML><body>What? Where?</body>" + NOVEL
    assert pairs(write(tmp_path / "test.json", [row("Name the man", html)])) == [("Name the man", html)]


HTML = "<html><body>" + NOVEL


@pytest.mark.parametrize(
    ("questions", "between", "document"),
    [
        (("Who is Oscar?",), "\n\n", HTML),
        (("Name the man",), "\n", HTML),
        (("Is it A? Or B?",), " ", HTML),
        (("Who is Oscar?",), " \ufeff", HTML),
        (("Who is Oscar?",), " \xef\xbb\xbf\n", HTML),
        (("Who is Oscar?",), " ", "A manual says: begin with <html> and go on.\n" + NOVEL),
        (("Who is Oscar?", "Where is Oscar?"), " ", HTML),
        (("Name the firm.", "Say where Anna lives."), "\n\n", HTML),
        (("Who is Oscar?", "Where is Oscar?"), " ", "A manual says: begin with <html> and go on.\n" + NOVEL),
        (("Name the firm.", "Say where Anna lives!"), " ", "A manual says: begin with <html> and go on.\n" + NOVEL),
        (("Name the man?", "Say who it is?"), " ", "The Firm\n\nA manual on <!DOCTYPE html>.\n" + NOVEL),
    ],
)
def test_an_html_tag_counts_right_behind_the_question_alone(
    tmp_path: Path, questions: tuple[str, ...], between: str, document: str
) -> None:
    rows = [{"input": question + between + document, "output": "x", "metadata": ""} for question in questions]
    examples = [(query, text.lstrip()) for query, text in pairs(write(tmp_path / "test.json", rows))]
    assert examples == [(question, document) for question in questions]


def test_a_tag_behind_more_than_a_line_tells_nothing(tmp_path: Path) -> None:
    assert boundary("Name the man.\nThe document.\n<html> is a tag.") is None
    assert boundary("Name the man. <html>The document.") == len("Name the man. ")


@pytest.mark.parametrize("mark", ["", "\ufeff", "\xef\xbb\xbf"])
@pytest.mark.parametrize("questions", [("Who is it?",), ("Who is Oscar?", "Where is Oscar?"), ("Who?", "Who?")])
def test_evidence_in_the_metadata_is_moved_to_the_document(
    tmp_path: Path, mark: str, questions: tuple[str, ...]
) -> None:
    rows = []
    for n, question in enumerate(questions):
        text = f"{question} {mark}{NOVEL}"
        start = text.index(f"Line {n} of")
        spans = [[start, start + 6], [start, start + 19]]
        rows.append({"input": text, "output": "x", "metadata": {"evidence": spans}})
    examples = list(load(write(tmp_path / "test.json", rows)).examples())
    evidence_texts = [[one.document.text[start:end] for start, end in one.evidence] for one in examples]
    assert evidence_texts == [[f"Line {n}", f"Line {n} of the novel"] for n in range(len(questions))]
    assert [one.meta["metadata"] for one in examples] == [row["metadata"] for row in rows]


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ([[0, 3]], r"test.json:1: evidence \[0, 3\] is not within the document, \[5, \d+\]"),
        ([[5, 10**6]], r"evidence \[5, 1000000\] is not within"),
        ([["a", 3]], r"test.json:1: evidence must be a list of \[start, end\]"),
        ("here", "evidence must be a list"),
    ],
)
def test_evidence_outside_the_document_is_refused(tmp_path: Path, evidence: Any, message: str) -> None:
    file = write(tmp_path / "test.json", [row("Who?", NOVEL) | {"metadata": {"evidence": evidence}}])
    with pytest.raises(UserError, match=message):
        list(load(file).examples())


def test_white_space_that_begins_a_document_is_kept_save_for_the_separator(tmp_path: Path) -> None:
    file = write(tmp_path / "test.json", [row("Who is Oscar?", SCRIPT), row("How is Anna?", SCRIPT)])
    assert pairs(file) == [("Who is Oscar?", SCRIPT), ("How is Anna?", SCRIPT)]


def test_a_later_row_of_a_document_is_split_as_its_first_rows_were(tmp_path: Path) -> None:
    rows = [row("Who is Oscar?", SCRIPT), row("How is Anna?", SCRIPT), row("Who?", NOVEL), row("Name the man.", SCRIPT)]
    examples = list(load(write(tmp_path / "test.json", rows)).examples())
    assert [example.query for example in examples] == ["Who is Oscar?", "How is Anna?", "Who?", "Name the man."]
    assert examples[3].document is examples[0].document


def test_a_later_row_is_split_before_a_byte_order_mark_as_well(tmp_path: Path) -> None:
    rows = [row("Who?", "\ufeff" + NOVEL), row("Who?", SCRIPT), row("Name the man", "\ufeff" + NOVEL)]
    assert [pair[0] for pair in pairs(write(tmp_path / "test.json", rows))] == ["Who?", "Who?", "Name the man"]


def test_books_that_end_in_the_same_licence_stay_apart(tmp_path: Path) -> None:
    books = [f"Book {n}\n" + NOVEL.replace("novel", f"novel {n}") + LICENCE for n in range(3)]
    questions = [("Who is A?", 0), ("Who is B?", 1), ("Who is C?", 1), ("Who is D?", 2), ("Who is E?", 0)]
    file = write(tmp_path / "test.json", [row(question, books[n]) for question, n in questions])
    assert pairs(file) == [(question, books[n]) for question, n in questions]


def test_short_documents_are_split_row_by_row(tmp_path: Path) -> None:
    rows = [row("Who?", "Anna lives in the house by the sea."), row("Who?", "Berta lives in the house by the sea.")]
    assert [pair[1][:5] for pair in pairs(write(tmp_path / "test.json", rows))] == ["Anna ", "Berta"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Who is it? The document.", "Who is it?"),
        ("Who is it?\n\nThe document.", "Who is it?"),
        ('Who said "why?" The document.', 'Who said "why?"'),
        ("Who is it?! The document.", "Who is it?!"),
        ("How many ? The document.", "How many ?"),
        ("Name the man. The document never asks.", None),
        ("Name the man.\nThe document. Does it ask? It does.", None),
        ("Name the man. " + "x" * 1_000 + "? It asks too late.", None),
    ],
)
def test_one_row_alone_is_split_at_its_first_question_mark_on_the_first_line(text: str, question: str | None) -> None:
    end = boundary(text)
    assert (None if end is None else text[:end]) == question


def test_a_row_that_nothing_splits_is_left_out_counted_and_named(tmp_path: Path) -> None:
    rows = [row("Name the man.", NOVEL), row("Who?", SCRIPT), {"input": "No document", "output": ""}]
    data = load(write(tmp_path / "test.json", rows))
    assert [example.id for example in data.examples()] == ["test-2"]
    assert data.warnings == [
        "rows left out, because nothing tells the question from the document: 2 (test.json:1, test.json:3)"
    ]
    assert [example.id for example in data.examples()] == ["test-2"]
    assert len(data.warnings) == 1  # a second pass does not warn again


def test_counts_are_reported_when_a_pass_is_stopped_early(tmp_path: Path) -> None:
    rows = [row("Name the man.", NOVEL), row("Who?", SCRIPT), row("Who?", NOVEL + "x")]
    data = load(write(tmp_path / "test.json", rows))
    reading = data.examples()
    next(reading)
    reading.close()  # type: ignore[attr-defined]
    assert data.warnings[0].startswith("rows left out")


def test_every_hotpotqa_row_has_its_own_document(tmp_path: Path) -> None:
    pages = ["Doctor Strange is a film.\n\nEd Wood was a director.", "Neil Peart (born 1952) is a drummer. Is he?"]
    rows = [row(f"Which one is {n}?", page, "yes") for n, page in enumerate(pages)]
    data = sources.load("hotpotqa", DATASETS["hotpotqa"], write(tmp_path / "x.json", rows), split="dev")
    assert [(one.id, one.query, one.document.text) for one in data.examples()] == [
        ("validation-1", "Which one is 0?", pages[0]),
        ("validation-2", "Which one is 1?", pages[1]),
    ]


def test_metadata_is_kept_and_rows_without_it_or_without_outputs_are_read(tmp_path: Path) -> None:
    rows = [{"input": "Who? A tale.", "output": None}, {"input": "Who? A tale.", "output": ["", "x"], "metadata": "m"}]
    first, second = load(write(tmp_path / "test.json", rows)).examples()
    assert (first.references, dict(first.meta)) == ((), {})
    assert (second.references, dict(second.meta)) == (("x",), {"metadata": "m"})


def test_without_a_question_the_whole_input_is_the_document(tmp_path: Path) -> None:
    facts = sources.DatasetInfo("x/y", {}, "muld", {}, has_query=False)
    file = write(tmp_path / "test.json", [{"input": "Is it so? A paper.", "output": "An abstract."}])
    (example,) = sources.load("vlsp", facts, file).examples()
    assert (example.query, example.document.text) == ("", "Is it so? A paper.")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"input": 3, "output": ""}, "test.json:2: a row of MuLD needs a text 'input'; found input, output"),
        ({"input": " ", "output": ""}, "test.json:2: the document is empty"),
        ({"input": "Who? ", "output": ""}, "test.json:2: the document is empty"),
        ({"input": "Who? A.", "output": {"a": 1}}, "test.json:2: output must be text, got dict"),
        (["Who?"], "test.json:2: the row is a list, not an object with fields"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_after_the_rows_before_it(tmp_path: Path, bad: Any, message: str) -> None:
    reading = load(write(tmp_path / "test.json", [row("Who?", NOVEL), bad])).examples()
    assert next(reading).id == "test-1"
    with pytest.raises(UserError, match=message):
        next(reading)


@pytest.fixture(scope="module")
def books() -> list[str]:
    """Texts that hardly compress, so that a small file has many blocks."""
    noise = random.Random(3)
    return ["".join(noise.choices("abcdefgh \n", k=60_000)) for _ in range(12)]


def blocks(books: list[str]) -> bytes:
    return bz2.compress("".join(json.dumps(row("Who?", book)) + "\n" for book in books).encode(), compresslevel=1)


def read_until(file: Path, message: str) -> list[str]:
    texts = []
    with pytest.raises(UserError, match=message):
        for example in load(file).examples():
            texts.append(example.document.text)
    return texts


def test_rows_before_the_place_where_a_compressed_file_was_cut_come_first(tmp_path: Path, books: list[str]) -> None:
    (tmp_path / "test.json.bz2").write_bytes(blocks(books)[:-100_000])
    texts = read_until(tmp_path / "test.json.bz2", "ends in the middle of its compressed data")
    assert len(texts) >= 5
    assert texts == books[: len(texts)]


def test_rows_before_damage_inside_a_compressed_file_come_first(tmp_path: Path, books: list[str]) -> None:
    whole = bytearray(blocks(books))
    whole[-100_000:-99_900] = bytes(100)
    (tmp_path / "test.json.bz2").write_bytes(whole)
    texts = read_until(tmp_path / "test.json.bz2", "cannot be read: Invalid data stream")
    assert len(texts) >= 5
    assert texts == books[: len(texts)]


def test_rows_before_the_place_where_a_plain_file_was_cut_come_first(tmp_path: Path, books: list[str]) -> None:
    file = write(tmp_path / "test.json", [row("Who?", book) for book in books])
    file.write_bytes(file.read_bytes()[:-30_000])
    texts = read_until(file, "test.json:12: the file ends in the middle of the row that begins here")
    assert texts == books[:11]


def test_a_whole_pass_holds_one_document_at_a_time(tmp_path: Path) -> None:
    import tracemalloc

    books = [f"Book {n}\n" + f"{n} words of a book. " * 40_000 for n in range(2)]
    questions = [f"Who is number {n}?" for n in range(30)]
    file = write(tmp_path / "test.json", [row(question, book) for book in books for question in questions])
    data = load(file)
    tracemalloc.start()
    assert sum(1 for _ in data.examples()) == 60
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15 * len(books[0])  # 60 rows as long are read


def test_the_layout_is_distinguished_from_others_with_the_same_fields() -> None:
    assert muld.recognizes({"input": "", "output": ""})
    assert not muld.recognizes({"id": "", "pid": "", "input": "", "output": ""})


def test_the_real_stories_in_muld_layout_are_split_as_they_were_joined(realdata: Path, tmp_path: Path) -> None:
    folder = realdata / "narrativeqa"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = {one["story"]: (folder / one["story"]).read_bytes().decode() for one in questions}
    rows = [row(one["question"], texts[one["story"]], one["answers"]) for one in questions]
    scattered = rows[::2] + rows[1::2]
    stories = [texts[one["story"]] for one in questions]
    expected = [(one["question"].strip(), text) for one, text in zip(questions, stories, strict=True)]
    assert pairs(write(tmp_path / "test.json", rows)) == expected
    assert pairs(write(tmp_path / "other.json", scattered)) == expected[::2] + expected[1::2]
