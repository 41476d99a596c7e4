"""The evidence of a user's own rows: places, quotations, or both, as chunking evaluations have them."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import Example
from pipelines.sources import Dataset

TEXT = "Anna – «née» K. – came.\nThe ship left  at dawn. Nobody saw it."
SHIP = (TEXT.index("The ship"), TEXT.index(" Nobody"))


def load(path: Path) -> Dataset:
    return sources.load("qa", tasks.get("qa").dataset, path)


def read_with_evidence(path: Path, *evidence: Any) -> tuple[list[Example], list[str]]:
    lines = [{"document": TEXT, "question": "When?", "answers": ["at dawn"], "evidence": one} for one in evidence]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    dataset = load(path)
    return list(dataset.examples()), dataset.warnings


@pytest.mark.parametrize(
    "evidence",
    [
        [list(SHIP)],
        "The ship left at dawn.",
        ["The ship left at dawn."],
        [{"content": "The ship left at dawn."}],
        [{"content": "The ship left at dawn.", "start_index": SHIP[0], "end_index": SHIP[1]}],
        [{"content": "The ship left at dawn.", "start_index": 3, "end_index": 9_999}],
        [{"text": "The ship left at dawn.", "start": 0, "end": 5}],
        [{"start": SHIP[0], "end": SHIP[1]}],
    ],
)
def test_places_texts_and_both_give_the_same_span(tmp_path: Path, evidence: Any) -> None:
    (example,), warnings = read_with_evidence(tmp_path / "a.jsonl", evidence)
    assert (example.evidence, example.meta, warnings) == ((SHIP,), {}, [])


def test_evidence_missing_from_the_document_is_counted_in_a_warning_and_its_example(tmp_path: Path) -> None:
    evidence = ["The ship left at dawn.", ["An owl woke.", "Nobody saw it.", "It rained."], ["Anna - 'née' K. - came"]]
    (one, two, three), warnings = read_with_evidence(tmp_path / "a.jsonl", *evidence)
    assert warnings == ["evidence not found in the document: 2 of 5 (a.jsonl:2)"]
    assert [example.meta for example in (one, two, three)] == [{}, {"evidence_missing": 2}, {}]
    assert [TEXT[start:end] for start, end in two.evidence + three.evidence] == ["Nobody saw it.", TEXT[:22]]


def test_a_text_that_differs_in_a_word_is_placed_approximately_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    text = "It rained. 3 The old ship left the northern harbour [12] at dawn on Monday. Nobody saw it."
    quotations = [
        "1. The old ship left the nothern harbour at dawn on Monday",
        "The new ship left no harbour on Sunday",
    ]
    lines = [{"document": text, "question": "When?", "answers": ["dawn"], "evidence": one} for one in quotations]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    dataset = load(path)
    near, missing = dataset.examples()
    assert [text[slice(*span)] for span in near.evidence] == [text[13 : text.index(". Nobody")]]
    assert (near.meta, missing.meta, missing.evidence) == ({"evidence_approximate": 1}, {"evidence_missing": 1}, ())
    assert sorted(dataset.warnings) == [
        "evidence found approximately, by 85% of its words in order: 1 of 2 (a.jsonl:1)",
        "evidence not found in the document: 1 of 2 (a.jsonl:2)",
    ]


def test_empty_spans_are_left_out_and_counted_and_empty_texts_are_no_evidence(tmp_path: Path) -> None:
    (one, two), warnings = read_with_evidence(tmp_path / "a.jsonl", [[3, 3], [0, 4]], ["", " "])
    assert (one.evidence, two.evidence) == (((0, 4),), ())
    assert warnings == ["empty spans of evidence left out: 1 (a.jsonl:1)"]


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ([1, 2], "evidence must be a list of"),
        ([{"page": 3}], "evidence must be a list of"),
        (7, "evidence must be a list of"),
        ([[0, 999]], r"evidence \[0, 999\] is not within the document's 62 characters"),
        ([[5, 2]], r"evidence \[5, 2\] is not within"),
    ],
)
def test_invalid_evidence_is_refused(tmp_path: Path, evidence: Any, message: str) -> None:
    with pytest.raises(UserError, match=f"a.jsonl:1: {message}"):
        read_with_evidence(tmp_path / "a.jsonl", evidence)


def test_the_cell_of_a_csv_file_may_be_a_text_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    cell = json.dumps(["Nobody saw it.", "The ship left at dawn."]).replace('"', '""')
    path.write_text(f'document,question,evidence\n"{TEXT}",When?,Nobody saw it.\n"{TEXT}",Who?,"{cell}"\n')
    one, two = load(path).examples()
    assert (len(one.evidence), two.evidence) == (1, (*one.evidence, SHIP))


def test_in_a_folder_of_a_chunking_evaluation_references_are_the_evidence(
    tmp_path: Path,
) -> None:
    (tmp_path / "chats.md").write_text(TEXT)
    content = {"content": TEXT[slice(*SHIP)], "start_index": SHIP[0], "end_index": SHIP[1]}
    lines = [{"question": "When?", "references": [content]}, {"question": "Who?", "references": ["Anna"]}]
    (tmp_path / "chats.questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    one, two = load(tmp_path).examples()
    assert (one.id, one.document.title, one.references, one.evidence) == ("chats-1", "chats", (), (SHIP,))
    assert (two.references, two.evidence) == (("Anna",), ())
