"""What retrieval finds, and what it cannot: rows of `ruler_like`, `graphwalks_like` and `mrcr_like` at 16,000 words.

Passages of 60 words by BM25 fill a budget of words. Of tasks whose evidence is known there stands how many questions
have all of it among the passages; of the frequent words, which no passages hold, how many of the right words a reader
names that counts without a mistake what it is shown. Run: python -m benchmarks.beyond_retrieval.
"""

import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import FEWER, interval, publish, table

LENGTH, EXAMPLES = 16_000, 20
BUDGETS = (250, 1000, 4000)
CHUNKER, RETRIEVER = "tokens:size=60", "bm25"


@dataclass(frozen=True, slots=True)
class Case:
    """A builder with its fields, the task that reads its rows, and what is asked."""

    builder: str
    task: str
    asked: str
    fields: dict[str, Any] = field(default_factory=dict)


def _ruler(task: str, asked: str) -> Case:
    return Case("ruler_like", f"ruler/{task}", asked, {"task": task})


CASES = (
    _ruler("niah_single_2", "one entry of a register, in sentences"),
    _ruler("niah_multikey_2", "one entry among nothing but entries"),
    _ruler("niah_multivalue", "the four entries of one name"),
    _ruler("niah_multiquery", "the entries of four names"),
    _ruler("vt", "a chain of five variables"),
    Case("graphwalks_like", "graphwalks", "a search of two steps, or parents, in a graph"),
    Case("mrcr_like", "mrcr", "one of four like answers in a conversation", {"needles": 4}),
    _ruler("cwe", "the ten most common words of a list"),
    _ruler("fwe", "the three most frequent invented words"),
)
COUNTED = {"ruler/cwe": 10, "ruler/fwe": 3}  # words that are asked for


def counting_reader(task: str) -> Any:
    """A reader that counts what it is shown: the words of the list, or those between the dots."""

    def answer(prompt: str) -> str:
        text = prompt.rpartition("\n\nQuestion:")[0].partition("\n\n")[2]
        words = re.findall(r"\d+\. ([a-z]+)", text) or re.findall(r"\b[a-z]{6}\b", text)
        return ", ".join(word for word, _ in Counter(words).most_common(COUNTED[task]))

    return answer


def measured(case: Case, data: Path, folder: Path, **selection: Any) -> str:
    """The score of a selection, with its interval."""
    counts = case.task in COUNTED
    score = "string_match_all" if counts else "full_evidence"
    model = counting_reader(case.task) if counts else "none"
    split = "validation" if case.builder == "ruler_like" else "test"
    result = pipelines.run(
        case.task, data=data, split=split, model=model, out=folder, report=False, metrics=[score], **selection
    )
    return f"{result.scores[score]:.1f} {interval(result.scores.intervals.get(score))}"


def row(case: Case, folder: Path, length: int = LENGTH, examples: int = EXAMPLES) -> list[str]:
    """A task's line: what is asked, and the score at each budget and of the whole document."""
    data = folder / "set"
    pipelines.build(case.builder, out=data, length=length, examples=examples, **case.fields)
    budgets = [
        measured(case, data, folder / f"{budget}", chunker=CHUNKER, retriever=RETRIEVER, budget=f"{budget} words")
        for budget in BUDGETS
    ]
    whole = measured(case, data, folder / "whole", chunker="whole", retriever="all")
    return [f"`{case.task}`", case.asked, "words named" if case.task in COUNTED else "all evidence", *budgets, whole]


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        rows = [row(case, Path(place) / case.task.replace("/", "-")) for case in CASES]
    head = ["task", "asked for", "score", *(f"{budget:,} words" for budget in BUDGETS), f"all {LENGTH:,}"]
    note = f"{EXAMPLES} rows a task in our own words, `{RETRIEVER}` over `{CHUNKER}`."
    publish("beyond_retrieval", f"{note}\n\n{table(head, rows)}\n\n{FEWER}", title="What retrieval cannot do")


if __name__ == "__main__":
    main()
