"""A person's own rows: every way to write them, and every way to get them wrong."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from longdoc.links import follow_links
from pipelines import sources

OWN = sources.DatasetInfo("", {}, "rows", {})
NO_QUESTION = sources.DatasetInfo("", {}, "rows", {}, has_query=False)
BOOK, FILM = "Anna – «née» K. – came.", "Fade in. Hello."
ROWS: list[dict[str, Any]] = [
    {"document": BOOK, "question": "Who came?", "answers": ["Anna", "Anna K."], "id": "x", "title": "A"},
    {"document": FILM, "question": "What?", "answers": "Hello", "evidence": [[9, 14]], "options": ["Hello", "Bye"]},
    {"document": BOOK, "question": "How?", "answers": []},
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    kind = path.suffix
    if kind == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == ".json":
        path.write_text(json.dumps(rows, indent=1))
    elif kind == ".parquet":
        import pyarrow
        import pyarrow.parquet

        listed = [
            {**row, "answers": [row["answers"]] if isinstance(row["answers"], str) else row["answers"]} for row in rows
        ]
        columns = dict.fromkeys(key for row in rows for key in row)
        full = [{key: row.get(key) for key in columns} for row in listed]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(full), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            columns = dict.fromkeys(key for row in rows for key in row)
            writer = csv.DictWriter(file, list(columns), dialect="excel-tab" if kind == ".tsv" else "excel")
            writer.writeheader()
            cells = [
                {key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()}
                for row in rows
            ]
            writer.writerows(cells)
    return path


def load(data: Any, facts: sources.DatasetInfo = OWN) -> sources.Dataset:
    return sources.load("qa", facts, data)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
def test_every_format_gives_the_same_examples_put_together_by_document(tmp_path: Path, suffix: str) -> None:
    data = load(write(tmp_path / f"rows{suffix}", ROWS))
    first, second, third = data.examples()
    assert first.document is second.document
    assert (first.document.text, first.document.title) == (BOOK, "A")
    assert [one.id for one in (first, second, third)] == ["x", "test-3", "test-2"]
    assert [one.query for one in (first, second, third)] == ["Who came?", "How?", "What?"]
    assert [one.references for one in (first, second, third)] == [("Anna", "Anna K."), (), ("Hello",)]
    assert (third.options, third.evidence) == (("Hello", "Bye"), ((9, 14),))
    assert third.document.text[9:14] == "Hello"


@pytest.mark.parametrize("field", ["answers", "answer", "references", "output", "summary", "label"])
def test_references_may_have_any_of_their_field_names_and_numbers_become_text(tmp_path: Path, field: str) -> None:
    rows = [
        {"document": BOOK, "query": "When?", field: 1984},
        {"document": BOOK, "query": "Who?", field: ["a", "", "b"]},
    ]
    first, second = load(write(tmp_path / "a.jsonl", rows)).examples()
    assert (first.references, second.references) == (("1984",), ("a", "b"))


def test_text_that_looks_like_a_list_is_one_answer_in_json_and_in_csv_if_it_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"document": BOOK, "question": "Q", "answer": "[1]"}))
    (tmp_path / "a.csv").write_text("document,question,answer\nA text,Q,[laughs]\n")
    assert next(load(tmp_path / "a.jsonl").examples()).references == ("[1]",)
    assert next(load(tmp_path / "a.csv").examples()).references == ("[laughs]",)


def test_a_cell_may_hold_a_book_with_line_ends_and_quotes(tmp_path: Path) -> None:
    book = 'He said "no",\r\nand left.\n' * 20_000
    (example,) = load(write(tmp_path / "a.csv", [{"document": book, "question": "Who?", "answers": "he"}])).examples()
    assert example.document.text == book


@pytest.mark.parametrize("field", ["document_path", "story"])
def test_document_files_are_named_relative_to_the_rows_and_read_once(tmp_path: Path, field: str) -> None:
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories" / "a.txt").write_text(BOOK, encoding="utf-8")
    absolute = tmp_path / "b.txt"
    absolute.write_text(FILM)
    rows = [
        {field: "stories/a.txt", "question": "1", "answers": "x"},
        {field: str(absolute), "question": "2", "answers": "x"},
        {field: "stories/a.txt", "question": "3", "answers": "x"},
    ]
    data = load(write(tmp_path / "rows.jsonl", rows))
    examples = list(data.examples())
    assert [(one.query, one.document.text) for one in examples] == [("1", BOOK), ("3", BOOK), ("2", FILM)]
    assert examples[0].document is examples[1].document
    assert data.fingerprint["documents"]["files"] == 2
    before = data.fingerprint
    absolute.write_text(FILM + " Bye.")
    assert load(tmp_path / "rows.jsonl").fingerprint["documents"] != before["documents"]
    assert load(tmp_path / "rows.jsonl").fingerprint["files"] == before["files"]


@pytest.mark.parametrize("name", ["../secret.txt", "texts/../../secret.txt", "{outside}/secret.txt"])
def test_a_row_names_no_file_outside_its_folder_by_name_or_by_a_link(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "data"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text(FILM)
    row = {"document_path": name.format(outside=tmp_path), "question": "Q"}
    with pytest.raises(UserError, match=r"a.jsonl:1: the document '.*secret.txt' is outside .*data; put it below"):
        load(write(inside / "a.jsonl", [row]))
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    rows = write(inside / "a.jsonl", [{"document_path": "link.txt", "question": "Q"}])
    with pytest.raises(UserError, match=r"link.txt leads out of .*data by a link, to .*secret.txt: .*--follow-links"):
        load(rows)
    with follow_links():
        (example,) = load(rows).examples()
    assert example.document.text == FILM


def test_without_a_question_to_ask_a_document_is_enough(tmp_path: Path) -> None:
    (example,) = load(write(tmp_path / "a.jsonl", [{"document": BOOK, "summary": "She came."}]), NO_QUESTION).examples()
    assert (example.query, example.references) == ("", ("She came.",))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"document": BOOK, "answers": "x"}, "a.jsonl:2: the row needs a question; found document, answers"),
        (
            {"question": "Q"},
            r"a.jsonl:2: the row needs a document \(text\) or a document_path \(file\); found question",
        ),
        ({"document": "", "question": "Q"}, "a.jsonl:2: the document is empty"),
        ({"document": " \n", "question": "Q"}, "a.jsonl:2: the document is empty"),
        ({"document_path": "no.txt", "question": "Q"}, "a.jsonl:2: the document '.*no.txt' does not exist"),
        ({"story": "A long tale.\nIt ends.", "question": "Q"}, "a.jsonl:2: the document .* does not exist"),
        ({"story": "x" * 5_000, "question": "Q"}, "a.jsonl:2: the document .* does not exist"),
        ({"document": BOOK, "question": {"text": "Q"}}, "a.jsonl:2: question must be text, got dict"),
        ({"document": BOOK, "question": "Q", "answers": [["x"]]}, "a.jsonl:2: answers must be text, got list"),
        ({"document": BOOK, "question": "Q", "evidence": [1, 2]}, "a.jsonl:2: evidence must be a list of"),
        ({"document": BOOK, "question": "Q", "evidence": [[0, 999]]}, r"a.jsonl:2: evidence \[0, 999\] is not within"),
    ],
)
def test_an_unusable_row_is_named_with_what_is_missing(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    file = write(tmp_path / "a.jsonl", [{"document": BOOK, "question": "Q", "answers": "x"}, row])
    with pytest.raises(UserError, match=message):
        list(load(file).examples())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document,question\na,b,c\n", "a.csv:2: 3 cells, but the header has 2"),
        ('document,question\n"a\nb",c\n"a', "a.csv:4: not CSV: unexpected end of data"),
        ('document,question\n"a"b,c\n', "a.csv:2: not CSV"),
        ("document,question\n", "a.csv has no rows"),
        ("texts,question\na,b\n", "a.csv:2: the task qa cannot read this row; its fields: texts, q"),
    ],
)
def test_a_malformed_csv_file_is_refused_at_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(UserError, match=message):
        list(load(tmp_path / "a.csv").examples())


def test_halves_of_surrogate_pairs_become_replacement_characters(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        r'{"document": "A \ud83d tale \ud83d\ude00", "question": "\udc00?", "answer": "x"}'
    )
    (example,) = load(tmp_path / "a.jsonl").examples()
    assert (example.document.text, example.query) == ("A \ufffd tale \U0001f600", "\ufffd?")


def test_the_real_stories_give_78_examples_over_9_documents(realdata: Path) -> None:
    data = load(realdata / "narrativeqa")
    examples = list(data.examples())
    assert len(examples) == 78
    runs = [one.document for n, one in enumerate(examples) if n == 0 or one.document is not examples[n - 1].document]
    assert len(runs) == len({document.id for document in runs}) == 9
    text = (realdata / "narrativeqa" / "stories" / "16357.txt").read_bytes().decode()
    assert (examples[0].id, examples[0].document.text) == ("16357-1", text)
    assert examples[0].references == ("Mary was in love with Ann.",)
    assert (data.fingerprint["documents"]["files"], data.warnings) == (9, [])


def test_a_cell_with_a_number_in_brackets_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('document,question,answers\nSee [12].,Which?,[12]\nSee [12].,Who?,"[""Anna"", ""Ann""]"\n')
    examples = sources.load("own", OWN, path, "test").examples()
    assert [example.references for example in examples] == [("[12]",), ("Anna", "Ann")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": None}, "a question; its question is empty. Add a field `question`"),
        ({"question": " "}, "a question; its question is empty. Add a field `question`"),
        ({"document": None}, "a document (text) or a document_path (file); its document is empty"),
        ({"document": ["A"]}, "a document (text) or a document_path (file); its document is a list, not text"),
    ],
)
def test_a_field_that_is_present_and_empty_is_called_empty(tmp_path: Path, changes: Any, message: str) -> None:
    with pytest.raises(UserError) as refused:
        list(load(write(tmp_path / "rows.jsonl", [ROWS[0], ROWS[1] | changes])).examples())
    assert str(refused.value).startswith(f"rows.jsonl:2: the row needs {message}")


def test_fields_in_capitals_are_refused_with_the_names_to_write(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Document,Question,Answer\nA mill.,What?,mill\n")
    with pytest.raises(UserError, match=r"write their names in lower case \(document, question, answer\)"):
        list(load(tmp_path / "a.csv").examples())


def test_a_page_of_the_hubs_viewer_is_its_rows_and_a_cut_cell_is_refused(tmp_path: Path) -> None:
    items = [{"row_idx": n, "row": row, "truncated_cells": []} for n, row in enumerate(ROWS)]
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"features": [], "rows": items, "num_rows_total": 3}))
    examples = list(load(path).examples())
    assert [example.id for example in examples] == ["x", "test-3", "test-2"]
    path.write_text(json.dumps({"rows": [*items[:2], items[2] | {"truncated_cells": ["document"]}]}))
    with pytest.raises(UserError) as refused:
        list(load(path).examples())
    assert str(refused.value) == "page.json:1: the viewer cut the document of row 2; download the dataset's files"


def test_answers_in_a_column_that_nothing_reads_are_refused_before_a_request(tmp_path: Path) -> None:
    document = tmp_path / "a.txt"
    document.write_text(BOOK)
    fields = {"question": "Who came?", "ground_truth": "Anna", "id": "1", "answers": ""}
    forms: dict[str, dict[str, Any]] = {
        "own": {"document": BOOK, **fields}, "squad": {"context": BOOK, **fields}, "beside": fields
    }  # fmt: skip
    message = "no row has a reference, and nothing reads ground_truth; if that is the answer, rename it to `answers`"
    for name, row in forms.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(BOOK)
        for ending in (".jsonl",) if name == "beside" else (".jsonl", ".csv"):
            path = write(tmp_path / name / f"a{ending}", [row, {**row, "id": "2"}])
            with pytest.raises(UserError, match=re.escape(message)):
                load(path.with_suffix(".txt") if name == "beside" else path)
    with pytest.raises(UserError, match=re.escape(message)):
        load([{"document": BOOK, **fields}])
    for row in ({"answer": "Anna"}, {"evidence": [[0, 4]]}, {"ground_truth": None}, {"unanswerable": True}):
        assert list(load([{"document": BOOK, **fields, "id": "3"} | {"ground_truth": "x"} | row]).examples())


def test_true_and_false_are_written_as_texts(tmp_path: Path) -> None:
    with pytest.raises(UserError, match='answers is true, not a text; write it in quotes, "true"'):
        list(load([{"document": BOOK, "question": "Did Anna come?", "answers": True}]).examples())


def test_a_saved_dataset_is_refused_with_the_command_that_writes_rows(tmp_path: Path) -> None:
    for name, key in (("state.json", ""), ("dataset_dict.json", "['test']")):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        for file in (name, "data.arrow"):
            (folder / file).write_text("{}")
        command = f"datasets.load_from_disk('{folder}'){key}.to_json('rows.jsonl')"
        for path in (folder, folder / "data.arrow"):
            with pytest.raises(UserError, match=re.escape(command)):
                load(path)
