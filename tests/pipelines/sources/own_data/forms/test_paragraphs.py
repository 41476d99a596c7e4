"""HotpotQA's and MuSiQue's own rows, read by the task for one's own questions."""

from collections.abc import Callable
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.records import NO_ANSWER, Example

Rows = Callable[..., list[Example]]
SENTENCES = ["Ed – «née» Edda – was born in Ulm.", " He sang."]
HOTPOTQA: dict[str, Any] = {
    "_id": "5a8b57f25542995d1e6f1371",
    "question": "Where was the singer born?",
    "answer": "Ulm",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Ed", 0], ["Ulm", 0]],
    "context": [["Ed", SENTENCES], ["Ulm", ["Ulm is a town."]], ["Rome", ["Rome is old."]]],
}
HUB = {
    **{name: value for name, value in HOTPOTQA.items() if name != "_id"},
    "id": HOTPOTQA["_id"],
    "supporting_facts": {"title": ["Ed", "Ulm"], "sent_id": [0, 0]},
    "context": {"title": ["Ed", "Ulm", "Rome"], "sentences": [SENTENCES, ["Ulm is a town."], ["Rome is old."]]},
}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Where was he born?",
    "question_decomposition": [{"id": 1, "question": "Who?", "answer": "Ed", "paragraph_support_idx": 0}],
    "answer": "Köln",
    "answer_aliases": ["Cologne"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Ed", "paragraph_text": "Ed was born in Köln.", "is_supporting": True},
        {"idx": 1, "title": "Rome", "paragraph_text": "Rome is old.", "is_supporting": False},
    ],
}


def evidence(example: Example) -> list[str]:
    return [example.document.text[start:end] for start, end in example.evidence]


@pytest.mark.parametrize("row", [HOTPOTQA, HUB])
def test_hotpotqa_s_supporting_facts_are_the_evidence(read: Rows, row: dict[str, Any]) -> None:
    (example,) = read(row)
    assert (example.id, example.query, example.references) == (HOTPOTQA["_id"], "Where was the singer born?", ("Ulm",))
    assert example.document.text == f"Ed\n{''.join(SENTENCES)}\n\nUlm\nUlm is a town.\n\nRome\nRome is old."
    assert evidence(example) == [SENTENCES[0], "Ulm is a town."]


def test_a_supporting_fact_without_its_sentence_is_counted_as_missing(read: Rows) -> None:
    (example,) = read({**HOTPOTQA, "supporting_facts": [["Ed", 9], ["Ulm", 0]]})
    assert (evidence(example), dict(example.meta)) == (["Ulm is a town."], {"evidence_missing": 1})


def test_a_context_of_another_kind_is_refused(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: `context` must be pairs of a title and a list of sentences"):
        read({**HOTPOTQA, "context": ["Ed was born in Ulm."]})


def test_musique_s_supporting_paragraphs_are_the_evidence_and_its_aliases_references(read: Rows) -> None:
    first, second = read(MUSIQUE, {**MUSIQUE, "answerable": False, "paragraphs": MUSIQUE["paragraphs"][1:]})
    assert (first.id, first.references) == ("2hop__1_2", ("Köln", "Cologne"))
    assert first.document.text == "Ed\nEd was born in Köln.\n\nRome\nRome is old."
    assert evidence(first) == ["Ed was born in Köln."]
    assert (second.id, second.references, second.evidence) == ("2hop__1_2-unanswerable", NO_ANSWER, ())


def test_a_paragraph_without_its_text_is_refused(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: each of `paragraphs` needs a `paragraph_text`"):
        read({**MUSIQUE, "paragraphs": [{"title": "Ed"}]})
