"""Graphwalks' score (OpenAI 2025; read in lm-evaluation-harness, `graphwalks/utils.py`): F1 of two sets of nodes.

The answer is the list in "Final Answer: [a, b]" of an output's last line, line ends behind it aside, without white
space and quotes around nodes; an output without it names no node. Where no node is right (the reference is empty), an
output that names none scores 0 by the harness's code, and by a newer card of the data 100 (`empty_is_right`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

_ANSWER = re.compile(r"Final Answer:\s*\[(.*)\]")


@dataclass(frozen=True)
class GraphwalksF1(Metric):
    """The mean F1 of the named and the right nodes, 0–100; all references are right.

    The keys are "graphwalks_f1", of the last line, "graphwalks_f1_any_line", of the last line that has an answer, and
    "no_final_answer", the share of outputs whose last line has none. `empty_is_right`: whether naming no node is
    right where none is, in an output that has an answer.
    """

    scores_unanswerable = True
    bootstrap_on = "means"

    empty_is_right: bool = False

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        empty = 100 * self.empty_is_right
        return f"graphwalks_f1|answer:Final Answer: [a, b] in the last line|empty against empty:{empty}"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's F1 by both rules, and whether the last line has no answer."""
        right = {reference for reference in example.references if reference}
        lines = prediction.rstrip("\n").split("\n")
        strict = answer(lines[-1])
        flexible = next((nodes for line in reversed(lines) if (nodes := answer(line)) is not None), None)
        return {
            "graphwalks_f1": self._f1(strict, right),
            "graphwalks_f1_any_line": self._f1(flexible, right),
            "no_final_answer": 100.0 * (strict is None),
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return {name: value for key in rows[0] for name, value in mean(rows, key).items()} if rows else {}

    def _f1(self, predicted: set[str] | None, right: set[str]) -> float:
        if predicted is None:
            return 0.0
        if not predicted and not right:
            return 100.0 * self.empty_is_right
        return 200.0 * len(predicted & right) / (len(predicted) + len(right))


def answer(line: str) -> set[str] | None:
    """The nodes of the answer in a line, None where there is no answer."""
    if (match := _ANSWER.search(line)) is None:
        return None
    return {node.strip().strip("'\"") for node in match[1].split(",") if node.strip()}
