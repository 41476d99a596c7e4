"""QASPER's layouts: the same paper, answers and evidence from the release and from the hub's rows."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "qasper", {})
FIRST, SECOND = "Mills grind – “slowly” – grain.", "The wheel turns.\nIt turns."


def answer(**more: Any) -> dict[str, Any]:
    fields = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "", "evidence": []}
    return {"answer": {**fields, **more}, "annotation_id": "a", "worker_id": "w"}


PAPER: dict[str, Any] = {
    "title": "On Mills",
    "abstract": "We grind.",
    "full_text": [
        {"section_name": None, "paragraphs": ["A word before."]},
        {"section_name": " ::: ", "paragraphs": []},
        {"section_name": "Data", "paragraphs": [FIRST, "", SECOND]},
        {"section_name": "Data ::: Wheels", "paragraphs": [FIRST]},
    ],
    "qas": [
        {
            "question": "What grinds? ",
            "question_id": "q1",
            "answers": [
                answer(extractive_spans=["Mills", "wheels"], evidence=[SECOND, FIRST, "FLOAT SELECTED: Table 1"]),
                answer(free_form_answer=" Stones ", evidence=[FIRST, "Data ::: Wheels", "wheel turns", "We grind."]),
                answer(unanswerable=True, evidence=[""]),
                answer(yes_no=True),
                answer(yes_no=False, evidence=["Nowhere said."]),
                answer(),
            ],
        },
        {"question": "Why?", "question_id": "q2", "answers": []},
    ],
}
TEXT = f"On Mills\n\nWe grind.\n\nA word before.\n\nData\n{FIRST}\n{SECOND}\n\nData ::: Wheels\n{FIRST}"


def columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {key: [one[key] for one in records] for key in records[0]} if records else {}


def hub(name: str, paper: dict[str, Any]) -> dict[str, Any]:
    qas = columns(paper["qas"])
    qas["answers"] = [columns(answers) for answers in qas["answers"]]
    return {"id": name, **paper, "full_text": columns(paper["full_text"]), "qas": qas}


def load(path: Path, papers: dict[str, Any]) -> sources.Dataset:
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([hub(*one) for one in papers.items()]), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(hub(*one)) + "\n" for one in papers.items()))
    else:
        path.write_text(json.dumps(papers, indent=1))
    return sources.load("t", DATASETS, path, "validation")


@pytest.mark.parametrize("name", ["qasper-dev-v0.3.json", "validation.parquet", "dev.jsonl"])
def test_every_layout_gives_the_same_paper_answers_and_evidence(tmp_path: Path, name: str) -> None:
    data = load(tmp_path / name, {"1909.1": PAPER})
    what, why = data.examples()
    assert what.document is why.document
    assert (what.document.text, what.document.title) == (TEXT, "On Mills")
    assert [(one.id, one.query) for one in (what, why)] == [("q1", "What grinds?"), ("q2", "Why?")]
    assert what.references == ("Mills, wheels", "Stones", "Unanswerable", "Yes", "No")
    spans = [TEXT[start:end] for start, end in what.evidence]
    assert spans == ["We grind.", FIRST, SECOND, "wheel turns", "Data ::: Wheels"]
    assert what.evidence[1][0] == TEXT.index(FIRST)
    assert (why.references, why.evidence) == ((), ())
    where = f"{name}:1 (1909.1)" if "json" in name else f"{name}, row 1 (1909.1)"
    assert data.warnings == [
        f"answers left out, because they say nothing: 1 ({where}, question 1)",
        f"figures and tables left out of the evidence, because the text does not have them: 1 ({where})",
        f"evidence left out, because the paper has no such paragraph: 1 ({where} ('Nowhere said.'))",
    ]


def test_the_release_s_object_over_lines_has_many_papers(tmp_path: Path) -> None:
    other = deepcopy(PAPER)
    other["qas"] = [{"question": "How?", "answers": [answer(yes_no=False)]}]
    examples = list(load(tmp_path / "dev.json", {"1909.1": PAPER, "1909.2": other}).examples())
    assert [one.id for one in examples] == ["q1", "q2", "1909.2-1"]
    assert [one.document.meta["paper"] for one in examples] == ["1909.1", "1909.1", "1909.2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"full_text": {"section_name": ["x"], "paragraphs": []}}, "the lists of full_text are not equally long"),
        ({"full_text": "x"}, "full_text must be a list of objects, or an object of lists"),
        ({"full_text": ["x"]}, "full_text must be an object with fields, got str"),
        ({"full_text": [], "title": "", "abstract": None}, "the document is empty"),
        ({"qas": [{"question": " "}]}, "question 1 is empty"),
        ({"qas": [{"question": "x", "answers": [{"answer": None}]}]}, "answer must be an object with fields"),
        ({"qas": [{"question": "x", "answers": [answer(evidence=[3, [4]])]}]}, "evidence must be text, got list"),
    ],
)
def test_a_malformed_paper_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    reading = load(tmp_path / "dev.json", {"1": PAPER, "2": {**PAPER, **change}}).examples()
    next(reading), next(reading)
    with pytest.raises(UserError, match=rf"dev.json:1 \(2\): {message}"):
        next(reading)


def test_an_entry_that_is_no_paper_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"dev.json:1 \(2\): a paper needs full_text and qas"):
        list(load(tmp_path / "dev.json", {"1": PAPER, "2": {"title": "x"}}).examples())


def test_the_evidence_of_the_real_papers_is_the_annotators_choice(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "qasper", "validation")
    examples = list(data.examples())
    papers = json.loads((realdata / "qasper" / "qasper_5_papers.json").read_text(encoding="utf-8"))
    assert (len(examples), len({one.document.id for one in examples})) == (33, 5)
    assert (examples[0].document.id, len(examples[0].document.text)) == ("c9c07c478bce543c", 17_324)
    assert [warning.split(" (")[0] for warning in data.warnings] == [
        "figures and tables left out of the evidence, because the text does not have them: 8"
    ]
    assert sum(len(one.references) for one in examples) == 44
    by_id = {one.id: one for one in examples}
    for paper in papers.values():
        for name, answers in zip(paper["qas"]["question_id"], paper["qas"]["answers"], strict=True):
            example = by_id.pop(name)
            chosen = {one for record in answers["answer"] for one in record["evidence"]}
            spans = [example.document.text[start:end] for start, end in example.evidence]
            assert set(spans) == {one for one in chosen if not one.startswith("FLOAT SELECTED")}
            assert len(spans) == len(set(spans))
    assert by_id == {}
