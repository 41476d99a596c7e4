"""LooGLE's rows: a document with its questions, or a question with its document."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks

TEXT = 'The ship left "at dawn". Nothing happened. It came back in May.'
PAIRS = [
    {"Q": "When did it leave? ", "A": "At dawn.", "S": "The ship left 'at dawn'.[6]"},
    {"Q": "When was it back?", "A": "In May.", "S": ["The ship left at dawn. It came back in May.", "An owl woke."]},
]


def load(path: Path, *rows: dict[str, Any]) -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("qa", tasks.get("qa").dataset, path)


@pytest.mark.parametrize("pairs", [PAIRS, str(PAIRS), json.dumps(PAIRS)])
def test_a_row_is_a_document_with_questions_answers_and_evidence(tmp_path: Path, pairs: Any) -> None:
    dataset = load(tmp_path / "a.jsonl", {"input": TEXT, "title": "Ships", "qa_pairs": pairs, "output": "none"})
    one, two = dataset.examples()
    assert (one.id, one.query, one.references) == ("test-1-1", "When did it leave?", ("At dawn.",))
    assert [TEXT[start:end] for start, end in one.evidence] == ['The ship left "at dawn".']
    assert [TEXT[start:end] for start, end in two.evidence] == ['The ship left "at dawn".', "It came back in May."]
    assert (one.meta, two.meta) == ({}, {"evidence_missing": 1})
    assert one.document is two.document
    assert dataset.warnings == ["evidence not found in the document: 1 of 3 (a.jsonl:1, question 2)"]


def test_a_row_may_be_one_question(tmp_path: Path) -> None:
    row = {"context": TEXT, "question": "When?", "answer": "In May.", "evidence": "['It came back in May.']"}
    one, two = load(tmp_path / "a.jsonl", row, {**row, "evidence": ["Nothing happened."]}).examples()
    assert [TEXT[slice(*span)] for span in one.evidence + two.evidence] == ["It came back in May.", "Nothing happened."]
    assert (one.references, one.document is two.document) == (("In May.",), True)


@pytest.mark.parametrize("pairs", ["none", "[{'Q': 1 +", [{"A": "x"}], "[__import__('os')]"])
def test_a_row_without_questions_is_refused(tmp_path: Path, pairs: Any) -> None:
    with pytest.raises(UserError, match=r"a.jsonl:1: qa_pairs must be a list of objects with Q, A and S"):
        list(load(tmp_path / "a.jsonl", {"input": TEXT, "qa_pairs": pairs}).examples())


def test_a_row_for_summaries_is_a_document_and_its_summary(tmp_path: Path) -> None:
    rows = [{"input": TEXT, "title": "1", "qa_pairs": "none", "output": "A ship left."}]
    (tmp_path / "summarization.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    info = tasks.get("loogle/longdep_summarization").dataset
    (one,) = sources.load("loogle/longdep_summarization", info, tmp_path).examples()
    assert (one.id, one.query, one.references, one.document.text) == ("test-1", "", ("A ship left.",), TEXT)
    with pytest.raises(UserError, match="rows with summaries: loogle/longdep_summarization"):
        list(load(tmp_path / "a.jsonl", *rows).examples())


def test_a_row_with_questions_is_no_summary(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"input": TEXT, "qa_pairs": PAIRS, "output": "none"}))
    info = tasks.get("loogle/longdep_summarization").dataset
    with pytest.raises(UserError, match="this row has questions, not a summary"):
        list(sources.load("loogle/longdep_summarization", info, path).examples())


@pytest.mark.parametrize("write_pairs", [str, json.dumps, lambda pairs: pairs])
def test_the_answers_of_a_cloze_are_a_dictionary_and_its_passage_is_no_evidence(
    tmp_path: Path, write_pairs: Any
) -> None:
    pairs = [{"Q": "<mask-0> left.", "A": {"<mask-0>": "The ship"}, "S": "The ship left."}]
    dataset = load(tmp_path / "a.jsonl", {"input": TEXT, "qa_pairs": write_pairs(pairs), "output": "none"})
    (one,) = dataset.examples()
    assert (one.query, one.references) == ("<mask-0> left.", ('{"<mask-0>": "The ship"}',))
    assert (one.evidence, one.meta, dataset.warnings) == ((), {}, [])


def test_a_cloze_in_a_row_of_its_own_is_read_too(tmp_path: Path) -> None:
    row = {"context": TEXT, "question": "<mask-0> left.", "answer": "{'<mask-0>': 'Ada'}", "evidence": "Ada left."}
    (one,) = load(tmp_path / "a.jsonl", row).examples()
    assert (one.references, one.meta) == (('{"<mask-0>": "Ada"}',), {})


def test_the_file_of_a_task_is_found_in_a_folder_with_those_of_others(tmp_path: Path) -> None:
    row = {"input": TEXT, "qa_pairs": PAIRS, "output": "none"}
    (tmp_path / "shortdep_qa.jsonl").write_text(json.dumps(row))
    (tmp_path / "longdep_summarization.jsonl").write_text(
        json.dumps({"input": TEXT, "qa_pairs": "none", "output": "A ship left."})
    )
    for name, count in (("shortdep_qa", 2), ("longdep_summarization", 1)):
        task = tasks.get(f"loogle/{name}")
        assert len(list(sources.load(task.name, task.dataset, tmp_path).examples())) == count


def test_nearly_all_evidence_of_the_real_documents_is_found(realdata: Path) -> None:
    task = tasks.get("loogle/shortdep_qa")
    dataset = sources.load(task.name, task.dataset, realdata / "loogle")
    examples = list(dataset.examples())
    assert (len(examples), len({one.document.id for one in examples})) == (80, 5)
    near, missing = sorted(dataset.warnings)
    assert near.startswith(
        "evidence found approximately, by 85% of its words in order: 3 of 80 (shortdep_qa.jsonl:2, q"
    )
    assert missing == "evidence not found in the document: 1 of 80 (shortdep_qa.jsonl:5, question 2)"
