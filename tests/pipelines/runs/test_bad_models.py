"""Models that answer every prompt with something useless: each example is scored, counted and kept as it is."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import pipelines

PAGES = "\n\n".join(" ".join(f"word{i}" for i in range(400)) for _ in range(10))
REPLIES = {
    "one word": "yes",
    "nothing": "",
    "another language": "Об этом в тексте ничего не сказано. 我不知道。",
    "ten pages": PAGES,
    "marks": "<|im_end|>",
    "half an object": '{"label": "',
    "the prompt": None,
}
NAMES = list(REPLIES)
TEXT = "\n\n".join(f"[model {{0}}] Paragraph {i} of the text says little." for i in range(3))


def model(prompt: str) -> str:
    """The model whose number is in the prompt."""
    reply = REPLIES[NAMES[int(prompt.partition("[model ")[2][0])]]
    return prompt if reply is None else reply


def rows(**fields: Any) -> list[dict[str, Any]]:
    return [
        {"id": name, "document": TEXT.format(i), "question": "What is said?", "answer": "little"} | fields
        for i, name in enumerate(NAMES)
    ]


OPTIONS = {"options": ["little", "much", "all"], "answer": "A"}
AUTHORS = [{"input": TEXT.format(i).replace("\n\n", "\n"), "output": "1,1,2"} for i in range(len(NAMES))]
RUNS: dict[str, tuple[str, list[dict[str, Any]], dict[str, Any]]] = {
    "label": ("qa", rows(**OPTIONS), {"strategy": "label:by=generation"}),
    "label in two orders": ("qa", rows(**OPTIONS), {"strategy": "label:by=generation,orders=2"}),
    "stuff": ("qa", rows(**OPTIONS), {"strategy": "stuff"}),
    "stuff in two orders": ("qa", rows(**OPTIONS), {"strategy": "stuff:orders=2"}),
    "vote": ("qa", rows(**OPTIONS), {"strategy": "vote"}),
    "map:count": ("qa", rows(answer="3"), {"strategy": "map:count"}),
    "refine": ("qa", rows(), {"strategy": "refine"}),
    "numbered_lines": ("qa", rows(), {"strategy": "numbered_lines", "metrics": ["f1"]}),
    "authors": ("style_change", AUTHORS, {"strategy": "authors"}),
}


LENGTH = "ended at length"
NO_LABEL = {"no label": 1}
NO_AUTHOR = {"no author": 1}
WITHOUT_LABEL = dict.fromkeys(("one word", "another language", "marks", "half an object"), NO_LABEL)
COUNTS: dict[str, dict[str, dict[str, int]]] = {
    "label": WITHOUT_LABEL | {"nothing": {"empty": 1}, "ten pages": {LENGTH: 1} | NO_LABEL, "the prompt": {LENGTH: 1}},
    "label in two orders": {name: {"no label": 2} for name in WITHOUT_LABEL}
    | {"nothing": {"empty": 2}, "ten pages": {LENGTH: 2, "no label": 2}, "the prompt": {LENGTH: 2}},
    "stuff": WITHOUT_LABEL
    | {"nothing": {"empty": 1}}
    | dict.fromkeys(("ten pages", "the prompt"), {LENGTH: 1} | NO_LABEL),
    "stuff in two orders": WITHOUT_LABEL
    | {"nothing": {"empty": 2}}
    | dict.fromkeys(("ten pages", "the prompt"), {LENGTH: 2} | NO_LABEL),
    "vote": WITHOUT_LABEL | {"nothing": {"empty": 3}, "ten pages": {LENGTH: 3} | NO_LABEL, "the prompt": NO_LABEL},
    "map:count": {name: {"no count": 3} for name in WITHOUT_LABEL}
    | {"nothing": {"empty": 3, "no count": 3}, "ten pages": {LENGTH: 3, "no count": 3}},
    "refine": {"nothing": {"empty": 3}, "ten pages": {LENGTH: 3}, "the prompt": {LENGTH: 2}},
    "numbered_lines": {
        "nothing": {"empty": 5, "lines lost": 3},
        "ten pages": {LENGTH: 5},
        "the prompt": {LENGTH: 1},
    },
    "authors": dict.fromkeys(WITHOUT_LABEL, NO_AUTHOR)
    | {"nothing": {"empty": 1}, "ten pages": {LENGTH: 1} | NO_AUTHOR, "the prompt": NO_AUTHOR},
}

ECHOES = {
    "label": 1, "label in two orders": 2, "stuff": 1, "stuff in two orders": 2, "vote": 3, "map:count": 3, "refine": 3,
    "numbered_lines": 1, "authors": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_any_reply_of_a_model_is_scored_counted_and_kept(name: str, tmp_path: Path) -> None:
    task, examples, options = RUNS[name]
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in examples), encoding="utf-8")
    chunks = {} if task == "style_change" else {"chunker": "paragraphs:size=12", "retriever": "bm25", "k": 3}
    if name == "numbered_lines":
        chunks = {"chunker": "lines", "retriever": "all"}
    arguments = {"data": data, "model": model, "prompt": "chat", "out": tmp_path / "run", "report": False}
    result = pipelines.run(task, **arguments, **chunks, **options)
    assert (result.failures, len(result.predictions)) == ({}, len(NAMES))
    assert result.scores and all(map(math.isfinite, result.scores.values()))
    logged = [json.loads(line)["value"] for line in (tmp_path / "run" / "requests.jsonl").open(encoding="utf-8")]
    assert {reply for reply in REPLIES.values() if reply not in (None, PAGES)} < set(logged)
    assert any(value and PAGES.startswith(value) for value in logged)  # as much of it as an output may have
    counts = zip(NAMES, (prediction.outputs for prediction in result.predictions), strict=True)
    echoes = {"the prompt": COUNTS[name].get("the prompt", {}) | {"repeats the prompt": ECHOES[name]}}
    assert {reply: dict(outputs) for reply, outputs in counts if outputs} == COUNTS[name] | echoes
