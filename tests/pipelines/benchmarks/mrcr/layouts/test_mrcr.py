"""MRCR's rows: the conversation is the text, its last message the query, and the requested message the evidence."""

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
    defaults = {"prompt": json.dumps(MESSAGES), "answer": "qX7The gull is loud.", "random_string_to_prepend": "qX7"}
    return {**defaults, "n_needles": 2, "desired_msg_index": 3, "total_messages": 5, "n_chars": 120, **fields}


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


def test_a_file_is_run_and_scored(tmp_path: Path) -> None:
    examples(tmp_path, row(), row(answer="qX7The gull is grey.", id="b"))
    arguments = {"data": tmp_path / "rows.jsonl", "report": False}

    def loud_gull(prompt: str) -> str:
        return "qX7The gull is loud."

    repeated = pipelines.run("mrcr", model=loud_gull, out=tmp_path / "told", **arguments)
    assert repeated.scores["mrcr_ratio"] == pytest.approx((100 + 100 * 28 / 34) / 2, abs=3)
    assert repeated.scores["evidence_recall"] == 100.0
    extracted = pipelines.run("mrcr", model="extractive", out=tmp_path / "read", retriever="bm25", k=1,
                         chunker="paragraphs:size=10", **arguments)  # fmt: skip
    assert (extracted.examples, extracted.scores["no_prefix"]) == (2, 100.0)
