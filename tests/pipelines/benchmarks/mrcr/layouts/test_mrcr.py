"""MRCR's rows: a conversation as a text, the last message as the query, the message asked for as evidence."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks

MESSAGES = [
    {"role": "user", "content": "Write a poem about a gull."},
    {"role": "assistant", "content": "The gull is grey."},
    {"role": "user", "content": "Write a poem about a gull."},
    {"role": "assistant", "content": "The gull is loud."},
    {"role": "user", "content": "Write qX7 and then the second poem about a gull."},
]


def row(**fields: Any) -> dict[str, Any]:
    given = {"prompt": json.dumps(MESSAGES), "answer": "qX7The gull is loud.", "random_string_to_prepend": "qX7"}
    return {**given, "n_needles": 2, "desired_msg_index": 3, "total_messages": 5, "n_chars": 120, **fields}


def examples(folder: Path, *rows: dict[str, Any]) -> list[Any]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return list(sources.load("mrcr", tasks.get("mrcr").dataset, folder / "rows.jsonl").examples())


def test_a_conversation_is_a_text_and_its_last_message_the_query(tmp_path: Path) -> None:
    (example,) = examples(tmp_path, row(tokens=5000))
    assert example.document.text == (
        "User: Write a poem about a gull.\n\nAssistant: The gull is grey.\n\n"
        "User: Write a poem about a gull.\n\nAssistant: The gull is loud."
    )
    assert (example.query, example.references) == (MESSAGES[-1]["content"], ("qX7The gull is loud.",))
    assert [example.document.text[start:end] for start, end in example.evidence] == ["The gull is loud."]
    assert example.meta == {"prefix": "qX7", "needles": 2, "tokens": 5000}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"prompt": "Write."}, "the prompt must be the JSON of a conversation"),
        ({"prompt": json.dumps(MESSAGES[:1])}, "two messages or more with role and content"),
        ({"prompt": json.dumps([1, 2])}, "two messages or more with role and content"),
        ({"answer": "The gull is loud."}, "an answer that begins with its random string 'qX7'"),
    ],
)
def test_other_rows_are_refused(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        examples(tmp_path, row(**fields))


def test_from_file_to_score(tmp_path: Path) -> None:
    examples(tmp_path, row(), row(answer="qX7The gull is grey.", id="b"))
    given = {"data": tmp_path / "rows.jsonl", "report": False}

    def told(prompt: str) -> str:
        return "qX7The gull is loud."

    found = pipelines.run("mrcr", model=told, out=tmp_path / "told", **given)
    assert found.scores["mrcr_ratio"] == pytest.approx((100 + 100 * 28 / 34) / 2, abs=3)
    assert found.scores["evidence_recall"] == 100.0
    read = pipelines.run("mrcr", model="extractive", out=tmp_path / "read", retriever="bm25", k=1,
                         chunker="paragraphs:size=10", **given)  # fmt: skip
    assert (read.examples, read.scores["no_prefix"]) == (2, 100.0)
