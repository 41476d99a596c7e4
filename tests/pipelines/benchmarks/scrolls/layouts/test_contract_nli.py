"""ContractNLI's file: one object of contracts and hypotheses, an example for each pair."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "contract_nli", {})
TEXT = "Agreement – “NDA”\nA shall keep it.\n \nB may tell."
ANNOTATIONS = {
    "nda-2": {"choice": "Contradiction", "spans": [3]},
    "nda-11": {"choice": "Entailment", "spans": [0, 1, 2]},
    "nda-5": {"choice": "NotMentioned", "spans": []},
}
FILE: dict[str, Any] = {
    "documents": [
        {
            "id": 3,
            "file_name": "a.pdf",
            "text": TEXT,
            "spans": [[0, 17], [18, 34], [35, 36], [37, 48]],
            "annotation_sets": [{"annotations": ANNOTATIONS}],
        },
        {"id": 7, "text": "Another.", "spans": []},
    ],
    "labels": {
        "nda-11": {"short_description": "Keep", "hypothesis": "A keeps it. "},
        "nda-2": {"short_description": "Tell", "hypothesis": "B must not tell."},
        "nda-5": {"short_description": "Pay", "hypothesis": "A pays."},
    },
}
OPTIONS = ("Entailment", "Contradiction", "Not mentioned")


def load(path: Path, file: dict[str, Any]) -> sources.Dataset:
    path.write_text(json.dumps(file, indent=1))
    return sources.load("t", DATASETS, path, "validation")


def test_every_hypothesis_is_asked_of_every_contract(tmp_path: Path) -> None:
    data = load(tmp_path / "dev.json", FILE)
    keep, tell, pay, *unlabelled = data.examples()
    assert keep.document is tell.document is pay.document
    assert (keep.document.text, keep.document.meta) == (TEXT, {"document_id": "3"})
    assert [one.id for one in (keep, tell, pay)] == ["3_nda-11", "3_nda-2", "3_nda-5"]
    assert [one.query for one in (keep, tell, pay)] == ["A keeps it.", "B must not tell.", "A pays."]
    assert [one.references for one in (keep, tell, pay)] == [("Entailment",), ("Contradiction",), ("Not mentioned",)]
    assert {one.options for one in (keep, *unlabelled)} == {OPTIONS}
    evidence = [[TEXT[start:end] for start, end in one.evidence] for one in (keep, tell, pay)]
    assert evidence == [["Agreement – “NDA”", "A shall keep it."], ["B may tell."], []]
    assert [(one.id, one.references, one.evidence) for one in unlabelled] == [
        ("7_nda-11", (), ()),
        ("7_nda-2", (), ()),
        ("7_nda-5", (), ()),
    ]
    assert data.warnings == [
        "spans of evidence left out, because they are blank: 1 (dev.json:1, document 1 (id 3), nda-11, span 2)"
    ]


def changed_file(place: list[Any], value: Any) -> dict[str, Any]:
    file = deepcopy(FILE)
    inner: Any = file
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return file


ANNOTATED = ["documents", 0, "annotation_sets", 0, "annotations"]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["documents", 0, "text"], None, "dev.json:1, document 1: a contract needs a text"),
        (
            ["documents", 0, "text"],
            "Short.",
            r"nda-11: span 0 must be .* 6 characters, got \[0, 17\]",
        ),
        (["documents", 0, "spans", 1], [34, 18], r"nda-11: span 1 must be \[start, end\]"),
        (["documents", 0, "annotation_sets"], ["x"], r"document 1 \(id 3\): annotation_sets must be a list of objects"),
        (
            [*ANNOTATED, "nda-2", "choice"],
            "Maybe",
            "choice must be one of Entailment, Contradiction",
        ),
        ([*ANNOTATED, "nda-2", "spans"], [9], "nda-2: the annotation names span 9, and the contract has 4"),
        ([*ANNOTATED, "nda-9"], {}, "the annotation nda-9 is not among the file's labels"),
        (["labels", "nda-2"], "x", r"dev.json:1 \(nda-2\): the label has no hypothesis"),
    ],
)
def test_malformed_fields_are_named(tmp_path: Path, place: list[Any], value: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(load(tmp_path / "dev.json", changed_file(place, value)).examples())


def test_a_malformed_second_object_is_named(tmp_path: Path) -> None:
    file = tmp_path / "dev.json"
    file.write_text(json.dumps(FILE) + '\n{"documents": 3}')
    with pytest.raises(UserError, match=r"dev.json:2: a file of contracts needs documents and labels; found documents"):
        list(sources.load("t", DATASETS, file, "validation").examples())


def test_the_real_contracts_of_the_development_split_are_read(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "contract_nli", "validation")
    examples = {one.id: one for one in data.examples()}
    file = json.loads((realdata / "contract_nli" / "dev.json").read_text(encoding="utf-8"))
    assert (len(examples), len({one.document.id for one in examples.values()})) == (61 * 17, 61)
    first = next(iter(examples.values()))
    assert (first.id, first.document.id, len(first.document.text)) == ("3_nda-11", "8d9cafe0b69428fd", 11_142)
    assert [warning.split(" (")[0] for warning in data.warnings] == [
        "spans of evidence left out, because they are blank: 1"
    ]
    counts = [sum(one.references == (label,) for one in examples.values()) for label in OPTIONS]
    assert counts == [519, 95, 423]
    for contract in file["documents"]:
        for label, annotation in contract["annotation_sets"][0]["annotations"].items():
            example = examples[f"{contract['id']}_{label}"]
            gold = [contract["text"][slice(*contract["spans"][number])] for number in annotation["spans"]]
            assert [example.document.text[a:b] for a, b in example.evidence] == [one for one in gold if one.strip()]
