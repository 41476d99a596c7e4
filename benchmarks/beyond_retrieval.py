"""What retrieval finds, and what it cannot: rows of `ruler_like`, `graphwalks_like` and `mrcr_like` at 16,000 words.

Passages of 60 words by BM25 fill a budget of words. Where the evidence is known, the score is the share of questions
that have all of it among the passages. The most frequent words stand in no passage: there it is the share of the right
words that a reader names who counts the passages without a mistake. Run: python -m benchmarks.beyond_retrieval.
"""

import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import INTERVALS_NOTE, interval, publish, table

LENGTH, EXAMPLES = 16_000, 20
BUDGETS = (250, 1000, 4000)
CHUNKER, RETRIEVER = "tokens:size=60", "bm25"


@dataclass(frozen=True, slots=True)
class Case:
    """A builder with its fields, the task that reads its rows, and a description of what is asked."""

    builder: str
    task: str
    description: str
    fields: dict[str, Any] = field(default_factory=dict)


def _ruler(task: str, description: str) -> Case:
    return Case("ruler_like", f"ruler/{task}", description, {"task": task})


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
WORDS_ASKED_FOR = {"ruler/cwe": 10, "ruler/fwe": 3}  # by the tasks that ask for frequent words


def counting_reader(task: str) -> Any:
    """A reader that counts what it is shown: the words of the list, or those between the dots."""

    def answer(prompt: str) -> str:
        text = prompt.rpartition("\n\nQuestion:")[0].partition("\n\n")[2]
        words = re.findall(r"\d+\. ([a-z]+)", text) or re.findall(r"\b[a-z]{6}\b", text)
        return ", ".join(word for word, _ in Counter(words).most_common(WORDS_ASKED_FOR[task]))

    return answer


def score_of(case: Case, data: Path, folder: Path, **selection: Any) -> str:
    """The score of a run with this selection, with its interval."""
    is_counted = case.task in WORDS_ASKED_FOR
    score = "string_match_all" if is_counted else "full_evidence"
    model = counting_reader(case.task) if is_counted else "none"
    split = "validation" if case.builder == "ruler_like" else "test"
    result = pipelines.run(
        case.task, data=data, split=split, model=model, out=folder, report=False, metrics=[score], **selection
    )
    return f"{result.scores[score]:.1f} {interval(result.scores.intervals.get(score))}"


def row(case: Case, folder: Path, length: int = LENGTH, examples: int = EXAMPLES) -> list[str]:
    """A task's row: what is asked, and the score at each budget and with the whole document."""
    data = folder / "set"
    pipelines.build(case.builder, out=data, length=length, examples=examples, **case.fields)
    budgets = [
        score_of(case, data, folder / f"{budget}", chunker=CHUNKER, retriever=RETRIEVER, budget=f"{budget} words")
        for budget in BUDGETS
    ]
    whole = score_of(case, data, folder / "whole", chunker="whole", retriever="all")
    score = "words named" if case.task in WORDS_ASKED_FOR else "all evidence"
    return [f"`{case.task}`", case.description, score, *budgets, whole]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(case, Path(folder) / case.task.replace("/", "-")) for case in CASES]
    head = ["task", "asked for", "score", *(f"{budget:,} words" for budget in BUDGETS), f"all {LENGTH:,}"]
    note = f"{EXAMPLES} rows a task in our own words, `{RETRIEVER}` over `{CHUNKER}`."
    publish("beyond_retrieval", f"{note}\n\n{table(head, rows)}\n\n{INTERVALS_NOTE}", title="What retrieval cannot do")


if __name__ == "__main__":
    main()
