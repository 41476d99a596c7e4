"""Rows like Graphwalks': the answers are those of another search, and the evidence is the edges that it follows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks


def rows(folder: Path, **fields: Any) -> list[dict[str, Any]]:
    arguments = {"length": 1200, "examples": 8, **fields}
    built = pipelines.build("graphwalks_like", out=folder / "set", **arguments)
    return [json.loads(line) for line in (built.folder / "test.jsonl").read_text().splitlines()]


def edges_of(row: dict[str, Any]) -> list[tuple[str, str]]:
    text = row["prompt"][row["document_start_index"] : row["document_end_index"]]
    return [(start, end) for start, end in (line.split(" -> ") for line in text.splitlines())]


def at_depth(edges: list[tuple[str, str]], node: str, depth: int) -> set[str]:
    """The nodes at a distance, by distances from one node to every other."""
    distance = {node: 0}
    for step in range(1, depth + 1):
        for start, end in edges:
            if distance.get(start) == step - 1:
                distance.setdefault(end, step)
    return {name for name, steps in distance.items() if steps == depth}


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_answers_are_those_of_another_search(depth: int, tmp_path: Path) -> None:
    built_rows = rows(tmp_path, depth=depth)
    assert [row["problem_type"] for row in built_rows] == ["bfs", "parents"] * 4
    for row in built_rows:
        edges = edges_of(row)
        query = row["prompt"][row["query_start_index"] : row["query_end_index"]]
        (node,) = re.findall(r"\b[0-9a-f]{10}\b", query)
        parents = {start for start, end in edges if end == node}
        right = at_depth(edges, node, depth) if row["problem_type"] == "bfs" else parents
        assert row["answer_nodes"] == sorted(right)
        assert len(edges) == len(set(edges))
        assert all(start != end for start, end in edges)


def test_prompts_have_the_length_and_are_read_with_and_without_their_spans(tmp_path: Path) -> None:
    for row in rows(tmp_path):
        assert 0.97 * 1200 <= len(row["prompt"].split()) <= 1200
        assert row["prompt_chars"] == len(row["prompt"])
        bare = {name: row[name] for name in ("prompt", "answer_nodes", "problem_type")}
        both = [row, bare]
        from_places, from_form = (
            next(iter(sources.load("graphwalks", tasks.get("graphwalks").dataset, [one]).examples())) for one in both
        )
        assert (from_places.document.text, from_places.query) == (from_form.document.text, from_form.query)
        evidence = [from_places.document.text[start:end] for start, end in from_places.evidence]
        assert all(re.fullmatch(r"[0-9a-f]{10} -> [0-9a-f]{10}", edge) for edge in evidence)
        assert {edge.split(" -> ")[row["problem_type"] == "bfs"] for edge in evidence} >= set(row["answer_nodes"])


def test_a_search_without_a_step_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="depth must be at least 1, got 0"):
        rows(tmp_path, depth=0)


def test_a_reader_that_follows_the_edges_has_full_scores(tmp_path: Path) -> None:
    answers = {row["prompt"]: row["answer_nodes"] for row in rows(tmp_path)}

    def follow(prompt: str) -> str:
        return f"I follow the edges.\nFinal Answer: [{', '.join(answers[prompt])}]"

    result = pipelines.run("graphwalks", data=tmp_path / "set", model=follow, out=tmp_path / "run", report=False)
    assert (result.scores["graphwalks_f1"], result.scores["no_final_answer"]) == (100.0, 0.0)
    assert "prompt:own" in result.signatures["graphwalks_f1"]
