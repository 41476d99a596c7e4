"""LongBench Pro's rows, and runs on them."""

import json
from pathlib import Path
from typing import Any

import pipelines
from pipelines import sources, tasks


def row(name: str, task: str, *answer: str) -> dict[str, Any]:
    question = {"question_nonthinking": "Who sat? Write [Answer] and names.", "question_thinking": "Think: who sat?"}
    groups = {"language": "English", "token_length": "8k", "primary_task": "T3. x", "contextual_requirement": "Full"}
    return {"id": name, "context": "A gull sat.", **question, **groups, "secondary_task": task, "answer": list(answer),
            "difficulty": "Easy"}  # fmt: skip


def test_rows_are_read_and_scored_by_the_kind_of_task(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        row("a", "T3.2 Single-Hop Fact QA", "gull"),
        row("b", "T4.1 y", "A summary."),
        row("c", "T8.1 z", "x", "gull"),
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    first, *_, last = sources.load("longbench_pro", tasks.get("longbench_pro").dataset, file).examples()
    assert (first.query, first.references) == ("Who sat? Write [Answer] and names.", ("gull",))
    assert (last.references, last.meta["secondary_task"]) == (("x", "gull"), "T8.1 z")
    answered = pipelines.run("longbench_pro", data=file, model=lambda prompt: "[Answer]\nGull", out=tmp_path / "run",
                          report=False)  # fmt: skip
    assert answered.scores == {
        "longbench_pro": 75.0, "longbench_pro_T3": 100.0, "longbench_pro_T8": 50.0, "not_scored": 100 / 3,
    }  # fmt: skip
    extracted = pipelines.run("longbench_pro", data=file, model="extractive", out=tmp_path / "read", report=False,
                         chunker="sentences:size=5", retriever="bm25", k=1)  # fmt: skip
    assert extracted.examples == 3
