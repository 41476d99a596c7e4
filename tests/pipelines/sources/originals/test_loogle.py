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


def opened(path: Path, *rows: dict[str, Any]) -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("qa", tasks.get("qa").dataset, path)


@pytest.mark.parametrize("pairs", [PAIRS, str(PAIRS), json.dumps(PAIRS)])
def test_a_row_is_a_document_with_questions_answers_and_evidence(tmp_path: Path, pairs: Any) -> None:
    dataset = opened(tmp_path / "a.jsonl", {"input": TEXT, "title": "Ships", "qa_pairs": pairs, "output": "none"})
    one, two = dataset.examples()
    assert (one.id, one.query, one.references) == ("test-1-1", "When did it leave?", ("At dawn.",))
    assert [TEXT[start:end] for start, end in one.evidence] == ['The ship left "at dawn".']
    assert [TEXT[start:end] for start, end in two.evidence] == ['The ship left "at dawn".', "It came back in May."]
    assert (one.meta, two.meta) == ({}, {"evidence_missing": 1})
    assert one.document is two.document
    assert dataset.warnings == ["evidence not found in the document: 1 of 3 (a.jsonl:1, question 2)"]


def test_a_row_may_be_one_question(tmp_path: Path) -> None:
    row = {"context": TEXT, "question": "When?", "answer": "In May.", "evidence": "['It came back in May.']"}
    one, two = opened(tmp_path / "a.jsonl", row, {**row, "evidence": ["Nothing happened."]}).examples()
    assert [TEXT[slice(*span)] for span in one.evidence + two.evidence] == ["It came back in May.", "Nothing happened."]
    assert (one.references, one.document is two.document) == (("In May.",), True)


@pytest.mark.parametrize("pairs", ["none", "[{'Q': 1 +", [{"A": "x"}], "[__import__('os')]"])
def test_a_row_without_questions_is_refused(tmp_path: Path, pairs: Any) -> None:
    with pytest.raises(UserError, match=r"a.jsonl:1: qa_pairs must be a list of objects with Q, A and S"):
        list(opened(tmp_path / "a.jsonl", {"input": TEXT, "qa_pairs": pairs}).examples())
