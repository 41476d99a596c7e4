"""Graphwalks' rows, and runs on them."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import NO_ANSWER

EXAMPLE = "Here is a small graph:\nx -> y\ny -> z\nOperation: from x two steps. Final Answer: [z]\n\n"
EDGES = "a1 -> b2\nb2 -> c3\na1 -> d4"
PROMPT = f"Rules.\n{EXAMPLE}Now this one:\nThe edges:\n{EDGES}\n\nOperation:\nWhich nodes have an edge to b2?\n\nBegin."


def examples(folder: Path, *rows: dict[str, Any]) -> list[Any]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(sources.load("graphwalks", tasks.get("graphwalks").dataset, folder / "rows.jsonl").examples())


def row(**fields: Any) -> dict[str, Any]:
    return {"prompt": PROMPT, "answer_nodes": ["a1"], "prompt_chars": len(PROMPT), "problem_type": "parents", **fields}


def test_the_last_edges_are_the_document_and_the_operation_is_the_query(tmp_path: Path) -> None:
    first, second = examples(tmp_path, row(), row(answer_nodes=[]))
    assert (first.document.text, first.query) == (EDGES, "Which nodes have an edge to b2?")
    assert first.meta["before"] + EDGES + first.meta["after"] == PROMPT
    assert (first.id, first.references, second.references) == ("test-1", ("a1",), NO_ANSWER)
    assert first.meta["problem_type"] == "parents"
    assert second.document is first.document


def test_older_rows_and_prompts_without_edges_are_read(tmp_path: Path) -> None:
    (example,) = examples(tmp_path, {"prompt": "No graph.", "answer": ["b2"], "problem_type": "bfs"})
    assert (example.document.text, example.query, example.references) == ("No graph.", "", ("b2",))
    with pytest.raises(UserError, match="the task graphwalks cannot read this row"):
        examples(tmp_path, {"prompt": "No graph.", "problem_type": "bfs"})


def test_a_file_is_run_and_scored_with_and_without_retrieval(tmp_path: Path) -> None:
    examples(tmp_path, row(), row(answer_nodes=[]))
    arguments = {"data": tmp_path / "rows.jsonl", "report": False}
    assert pipelines.prompt("graphwalks", "test-1", data=arguments["data"], model="lead").text == PROMPT
    prompt = pipelines.prompt("graphwalks", "test-1", data=arguments["data"], model="lead", retriever="bm25", k=1,
                             chunker="lines:size=3")  # fmt: skip
    assert "b2 -> c3\na1" not in prompt.text
    extracted = pipelines.run("graphwalks", model="extractive", out=tmp_path / "run", **arguments)
    assert (extracted.examples, extracted.scores["no_final_answer"]) == (2, 100.0)

    def answer_a1(prompt: str) -> str:
        return "I see.\nFinal Answer: [a1]"

    answered = pipelines.run("graphwalks", model=answer_a1, out=tmp_path / "told", **arguments)
    assert answered.scores["graphwalks_f1"] == 50.0
