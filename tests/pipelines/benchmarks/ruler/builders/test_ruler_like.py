"""Rows like RULER's: with RULER's numbers of needles, words of our own, and evidence at the places given."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.benchmarks.ruler.builders.ruler_like import TASKS
from pipelines.benchmarks.ruler.layouts.ruler import spans_of
from pipelines.benchmarks.ruler.prompts import WORDING


def rows(folder: Path, task: str, **fields: Any) -> list[dict[str, Any]]:
    arguments = {"length": 4096, "examples": 6, **fields}
    built = pipelines.build("ruler_like", out=folder / f"{task}-{len(list(folder.iterdir()))}", task=task, **arguments)
    return [json.loads(line) for line in (built.folder / "validation.jsonl").read_text().splitlines()]


def document(row: dict[str, Any]) -> str:
    return str(row["input"][row["document_start_index"] : row["document_end_index"]])


def evidence(row: dict[str, Any]) -> list[str]:
    return [row["input"][start:end] for start, end in row["evidence"]]


@pytest.mark.parametrize("task", TASKS)
def test_prompts_have_the_length_that_is_set_and_our_words(task: str, tmp_path: Path) -> None:
    for row in rows(tmp_path, task):
        assert 0.98 * 4096 <= row["length"] <= 4096
        assert len(row["input"].split()) + pipelines.tasks.get(f"ruler/{task}").max_new_tokens == row["length"]
        assert row["input"].startswith(WORDING[task].instruction)
        question = row["input"][row["query_start_index"] : row["query_end_index"]]
        assert question.endswith(("?", "count."))
        assert not any(output in question for output in row["outputs"])
        assert all(output in document(row) for output in row["outputs"])


def test_tokens_are_those_of_any_tokenizer(tmp_path: Path, tiny_t5: Path) -> None:
    for row in rows(tmp_path, "vt", unit=str(tiny_t5), examples=2):
        assert 0.95 * 4096 <= row["length"] <= 4096


@pytest.mark.parametrize(
    ("task", "needles", "answers"),
    [
        ("niah_single_1", 1, 1),
        ("niah_single_2", 1, 1),
        ("niah_single_3", 1, 1),
        ("niah_multikey_1", 4, 1),
        ("niah_multivalue", 4, 4),
        ("niah_multiquery", 4, 4),
    ],
)
def test_as_many_needles_are_hidden_and_queried_as_in_ruler(
    task: str, needles: int, answers: int, tmp_path: Path
) -> None:
    places = []
    for row in rows(tmp_path, task, examples=30):
        assert document(row).count("Entry of the register") == needles
        assert len(row["outputs"]) == len(set(row["outputs"])) == answers == len(row["evidence"])
        assert sorted(re.findall(r"is (\S+)\.", " ".join(evidence(row)))) == sorted(row["outputs"])
        places += [(start - row["document_start_index"]) / len(document(row)) for start, _ in row["evidence"]]
    assert min(places) < 0.15
    assert max(places) > 0.85
    assert 0.35 < sum(places) / len(places) < 0.65


@pytest.mark.parametrize("task", ["niah_multikey_2", "niah_multikey_3"])
def test_the_hay_is_made_of_needles_with_names_of_their_own(task: str, tmp_path: Path) -> None:
    for row in rows(tmp_path, task):
        lines = document(row).splitlines()
        matches = [re.fullmatch(r"Entry of the register: the code of (\S+) is (\S+)\.", line) for line in lines]
        assert (
            len({match[1] for match in matches if match}) == len({match[2] for match in matches if match}) == len(lines)
        )
        assert [line for line in lines if row["outputs"][0] in line] == evidence(row)


def test_a_chain_hands_the_number_on_in_the_order_of_the_text(tmp_path: Path) -> None:
    for row in rows(tmp_path, "vt"):
        statements = evidence(row)
        number = re.search(r"value (\d{5})\?", row["input"])
        assert number is not None
        assert statements[0] == f"Variable {row['outputs'][0]} is set to {number[1]}."
        pairs = zip(row["outputs"], row["outputs"][1:], strict=False)
        assert statements[1:] == [f"Variable {name} is set to variable {other}." for other, name in pairs]
        assert document(row).count("Variable") == 5


def frequencies(row: dict[str, Any], text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+\. (\S+)", text) or text.split())


def test_the_structure_is_that_of_the_rows_of_ruler_s_own_generator(realdata: Path, tmp_path: Path) -> None:
    for task in ("niah_single_1", "niah_multikey_2", "niah_multikey_3", "vt", "cwe", "fwe"):
        file = realdata / "ruler" / "4096" / task / "validation.jsonl"
        published = [json.loads(line) for line in file.read_text().splitlines()]
        own_rows = rows(tmp_path, task, length=4 * 4096, unit="characters")
        assert {len(row["outputs"]) for row in own_rows} == {len(row["outputs"]) for row in published}
        assert all(0.9 <= row["length"] / 4096 <= 1 for row in published)
        assert all(0.98 <= row["length"] / (4 * 4096) <= 1 for row in own_rows)
        for row in published:
            theirs = str(row["input"][slice(*spans_of(row["input"]).document)])
            if task == "cwe":
                counts, mine = (
                    set(frequencies(one, text).values())
                    for one, text in ((row, theirs), (own_rows[0], document(own_rows[0])))
                )
                assert counts == mine == {3, 30}
            if task == "fwe":
                for one, text in ((row, theirs), (own_rows[0], document(own_rows[0]))):
                    word_counts = frequencies(one, text)
                    dots = word_counts.pop("...")
                    assert [count for _, count in word_counts.most_common(9)] == [
                        dots // rank**2 for rank in range(2, 11)
                    ]
                    assert [name for name, _ in word_counts.most_common(3)] == one["outputs"]
            if task == "vt":
                assert theirs.count("VAR") == 9 == document(own_rows[0]).lower().count("variable")
            if task.startswith("niah"):
                needle_lines = [line for line in theirs.splitlines() if row["outputs"][0] in line]
                assert len(needle_lines) == 1 == len(evidence(own_rows[0]))
        if task.startswith("niah_multikey"):
            assert len({len(line.split()) for line in theirs.splitlines()}) == 1


def test_an_unknown_task_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown task of ruler_like 'niah_single'; did you mean niah_single_3"):
        rows(tmp_path, "niah_single")
    with pytest.raises(UserError, match="unknown task of ruler_like 'qa_1'"):
        rows(tmp_path, "qa_1")


def test_retrieval_finds_the_needle_and_its_evidence_is_counted(tmp_path: Path) -> None:
    built = pipelines.build("ruler_like", out=tmp_path / "set", task="niah_single_2", length=2000, examples=3)
    selection = {"chunker": "sentences:size=40", "retriever": "bm25", "k": 1, "model": "copy"}
    result = pipelines.run("ruler/niah_single_2", data=built.folder, out=tmp_path / "run", report=False, **selection)
    assert result.scores["string_match_all"] == 100.0
    assert result.scores["evidence_recall"] == 100.0
    assert "prompt:own" in result.signatures["string_match_all"]
