"""Rows like MRCR's: the number of equal requests is as set, and the answer is the one that the question names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.benchmarks.mrcr.builders.mrcr_like import ORDINALS


def rows(folder: Path, **fields: Any) -> list[dict[str, Any]]:
    arguments = {"length": 2500, "examples": 6, **fields}
    built = pipelines.build("mrcr_like", out=folder / "set", **arguments)
    return [json.loads(line) for line in (built.folder / "test.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("needles", [2, 4, 8])
def test_the_answer_is_the_one_of_the_number_that_the_last_message_names(needles: int, tmp_path: Path) -> None:
    places = set()
    for row in rows(tmp_path, needles=needles):
        messages = json.loads(row["prompt"])
        question = messages[-1]["content"]
        match = re.search(r"the (\w+) (.+) that you wrote above", question)
        assert match is not None
        request_numbers = [n for n, one in enumerate(messages) if one["content"] == f"Write a {match[2]}."]
        assert len(request_numbers) == needles == row["n_needles"]
        index = request_numbers[ORDINALS.index(match[1])] + 1
        assert row["desired_msg_index"] == index
        assert row["answer"] == row["random_string_to_prepend"] + messages[index]["content"]
        assert row["random_string_to_prepend"] in question
        assert [one["role"] for one in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
        assert len({one["content"] for one in messages[1::2]}) == len(messages) // 2
        assert row["total_messages"] == len(messages)
        assert row["n_chars"] == sum(len(one["content"]) for one in messages)
        transcript = "\n\n".join(f"{one['role'].capitalize()}: {one['content']}" for one in messages)
        assert row["tokens"] < len(f"{transcript} Assistant: {row['answer']}".split()) <= 2500
        assert row["tokens"] >= 0.94 * 2500
        places.add(match[1])
    assert len(places) > 1


def test_another_number_of_needles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="needles must be 2, 4 or 8, got 3: type --set needles=2"):
        rows(tmp_path, needles=3)


def test_a_reader_that_repeats_the_right_message_has_full_scores_in_its_bin(tmp_path: Path) -> None:
    answers = [row["answer"] for row in rows(tmp_path, length=5000)]

    def repeat_answer(prompt: str) -> str:
        (answer,) = [text for text in answers if text[:10] in prompt]
        return answer

    result = pipelines.run("mrcr", data=tmp_path / "set", model=repeat_answer, out=tmp_path / "run", report=False)
    assert {name: result.scores[name] for name in ("mrcr_ratio", "mrcr_ratio_2_needles", "mrcr_ratio_8192")} == {
        "mrcr_ratio": 100.0, "mrcr_ratio_2_needles": 100.0, "mrcr_ratio_8192": 100.0,
    }  # fmt: skip
    assert result.scores["evidence_recall"] == 100.0
