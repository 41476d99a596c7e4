"""Chunks judged by the gold evidence: what retrievers are trained on."""

import json

import pytest

from pipelines.engine.planning.plan import make_plan
from pipelines.engine.training_data import judged_documents

TEXT = "Anna lived here. Tom left.\n\nThe mill was sold."


@pytest.fixture
def judged(tmp_path):
    def make(*rows):
        lines = (json.dumps({"document": TEXT, "answer": "Anna", **row}) for row in rows)
        (tmp_path / "train.jsonl").write_text("\n".join(lines))
        plan = make_plan("qa", data=tmp_path, split="train", model="none", chunker="units:of=sentence")
        return list(judged_documents(plan))

    return make


def test_each_chunk_has_the_share_of_its_characters_that_is_evidence(judged):
    (document,) = judged({"question": "Who?", "evidence": [[0, 16], [17, 21], [28, 46]]})
    assert [chunk.text for chunk in document.chunks] == ["Anna lived here.", "Tom left.", "The mill was sold."]
    assert document.questions == ["Who?"]
    assert document.shares[0].tolist() == pytest.approx([1, 4 / 9, 1])


def test_questions_of_one_document_are_together_and_those_without_evidence_left_out(judged):
    (document,) = judged(
        {"question": "Who?", "evidence": [[0, 16]]},
        {"question": "What?"},
        {"question": "When?", "evidence": [[17, 26]]},
    )
    assert document.questions == ["Who?", "When?"]
    assert document.relevant.tolist() == [[True, False, False], [False, True, False]]


def test_without_evidence_there_is_no_document(judged):
    assert judged({"question": "Who?"}) == []
