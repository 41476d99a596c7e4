"""LongBench Pro's scores, one of six for each kind of task (github.com/caskcsg/longcontext, `modules/evaluation.py`).

An output counts from behind its last `[Answer]`, or `[答案]` where it has no such; its lines and the references are
compared in lower case, with single spaces.

- T1: NDCG over as many lines as there are references; the i-th of k references has the gain k - i, counted from 0. A
  line that comes twice has its last place, as in a dictionary.
- T2, T6.3: the pairs of references that the lines have in their order, of all pairs of lines.
- T3, T11: whether the first line is the first reference.
- T5, T6.2, T7, T9: F1 of the sets of lines and references.
- T6.1, T8, T10: the share of the references that are lines.
- T4, summaries: half ROUGE-L, half the similarity by an embedding model of 8 billion parameters. Not computed here;
  such rows are left out, and counted.

An empty output scores 0.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, log2

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.records import Example

MARKS = ("[Answer]", "[答案]")
_TASK = re.compile(r"T(\d+)(?:\.(\d+))?\b")


@dataclass(frozen=True)
class LongbenchPro(Metric):
    """The mean score of all rows but summaries, 0–100.

    The keys are "longbench_pro", and "longbench_pro_T1" to "longbench_pro_T11" of the tasks that occur, as
    `meta["secondary_task"]` says ("T3.2 …"); an example without it is scored by its first line. "not_scored" is the
    share of rows that are summaries, 0–100. Raises `UserError` for an example whose task is none of these.
    """

    needs_example = True
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "longbench_pro|answer:lines after the last [Answer] or [答案]|lower case, single spaces|T4:left out"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's score, over all and as its task's."""
        number, scorer = _scorer(example)
        lines = answer_lines(prediction)
        references = list(map(_normal, example.references))
        score = 100.0 * scorer(lines, references) if scorer and prediction else 0.0
        row = {"not_scored": 100.0 * (scorer is None), "scored": float(scorer is not None), "score": score}
        for task in TASKS:
            within = float(task == number and scorer is not None)
            row |= {f"is_T{task}": within, f"score_T{task}": within * score}
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means; a task without a row has none."""
        if not rows or not (count := fsum(row["scored"] for row in rows)):
            return {}
        scores = {"longbench_pro": fsum(row["score"] for row in rows) / count}
        for task in TASKS:
            if own_count := fsum(row[f"is_T{task}"] for row in rows):
                scores[f"longbench_pro_T{task}"] = fsum(row[f"score_T{task}"] for row in rows) / own_count
        return scores | {"not_scored": fsum(row["not_scored"] for row in rows) / len(rows)}


def answer_lines(output: str) -> list[str]:
    """The lines of an output's answer, in lower case with single spaces."""
    mark = next((mark for mark in MARKS if mark in output), None)
    text = output if mark is None else output.rpartition(mark)[2]
    return list(map(_normal, text.strip().split("\n")))


def ndcg(lines: Sequence[str], references: Sequence[str]) -> float:
    """NDCG at the number of references, whose gains fall by one from the first to the last."""
    count = len(references)
    gains = {reference: count - place for place, reference in enumerate(references)}
    places = {line: place for place, line in enumerate(lines)}
    ranked = sorted(places, key=places.__getitem__)[:count]
    best = sorted(gains.values(), reverse=True)
    return _discounted([gains.get(line, 0) for line in ranked]) / _discounted(best)


def pairwise_accuracy(lines: Sequence[str], references: Sequence[str]) -> float:
    """The ordered pairs of references that the lines order likewise, of all pairs of lines; 0 for fewer than two."""
    if len(lines) < 2 or len(references) < 2:
        return 0.0
    places = {line: place for place, line in enumerate(lines)}
    right = [
        first in places and second in places and places[first] < places[second]
        for first, second in combinations(references, 2)
    ]
    return sum(right) / (len(lines) * (len(lines) - 1) / 2)


def first_line(lines: Sequence[str], references: Sequence[str]) -> float:
    """Whether the first line is the first reference."""
    return float(lines[0] == references[0])


def set_f1(lines: Sequence[str], references: Sequence[str]) -> float:
    """F1 of the sets of lines and references."""
    line_set, reference_set = set(lines), set(references)
    return 2 * len(line_set & reference_set) / (len(line_set) + len(reference_set))


def share(lines: Sequence[str], references: Sequence[str]) -> float:
    """The share of the references that are lines."""
    return sum(reference in lines for reference in references) / len(references)


Scorer = Callable[[Sequence[str], Sequence[str]], float]
SCORERS: dict[str, Scorer | None] = {
    "1": ndcg, "2": pairwise_accuracy, "3": first_line, "4": None, "5": set_f1, "6.1": share, "6.2": set_f1,
    "6.3": pairwise_accuracy, "7": set_f1, "8": share, "9": set_f1, "10": share, "11": first_line,
}  # fmt: skip
TASKS = tuple(map(str, range(1, 12)))


def _scorer(example: Example) -> tuple[str, Scorer | None]:
    """The number of an example's task, and its score; no number where it has none. Raises `UserError` for another."""
    name = str(example.meta.get("secondary_task", ""))
    if not name:
        return "", first_line
    if match := _TASK.match(name):
        for key in (f"{match[1]}.{match[2]}", match[1]):
            if key in SCORERS:
                return match[1], SCORERS[key]
    raise UserError(
        f"example {example.id}: its secondary_task must be one of LongBench Pro's (T1.1 to T11.2), got {name!r}: fix "
        "the data"
    )


def _discounted(gains: Sequence[int]) -> float:
    return fsum(gain / log2(place + 2) for place, gain in enumerate(gains))


def _normal(text: str) -> str:
    return " ".join(text.lower().split())
