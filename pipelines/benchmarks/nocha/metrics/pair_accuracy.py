r"""Accuracy of true and false claims in pairs: NoCha (Karpinska et al. 2024, section 3).

A pair counts as right if both of its claims are judged rightly. The paper divides by the pairs that a model processed,
so a model that skips long books is compared on fewer pairs; here the share of all pairs, and the coverage, stand beside
it. An answer is what stands behind `<answer>`, or, without that tag, what the output begins with, an `<explanation>`
aside ("True.", "The statement is FALSE because"); where it is neither TRUE nor FALSE, or both are tagged, the claim is
unanswered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.records import Example

ANSWERS = ("TRUE", "FALSE")
NO_ANSWER = "neither TRUE nor FALSE"
NO_PAIR = "in pairs without both answers"
UNPAIRED = -1.0  # stands for the number of the pair where a claim has none

_REASONS = re.compile(r"<explanation>.*?</explanation>", re.IGNORECASE | re.DOTALL)
_TAGGED = re.compile(r"<answer>([^<]*)", re.IGNORECASE)
_BEGINS = re.compile(
    r"\W*(?:(?:it|(?:(?:the|this)\s+)?(?:above\s+|given\s+)?(?:statement|claim|answer))(?:\s+is|:)?\W*)?"
    r"\b(true|false)\b"
    r"(?!\s*(?:or|/)\s*(?:true|false))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PairAccuracy(Metric):
    """Shares of pairs and of claims, 0–100.

    - "pair_accuracy": right pairs of those that have both answers, as published; "pair_accuracy_all": of all pairs.
    - "pair_coverage": the share of all pairs that have both answers.
    - "claim_accuracy": right claims of those that have an answer; "unanswered": the share of claims that have none.

    The pair of a claim is in the example's meta ("pair"); claims without one count as claims only. An example that a
    system refused counts as unanswered.
    """

    needs_example = True
    counts_refused = True
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "pair_accuracy|answer:in <answer>, else how the output begins|other:unanswered|pairs:both answered"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The number of the pair, whether the claim is true (1), judged rightly (100), and answered (1).

        Raises `UserError` for a reference that is neither TRUE nor FALSE.
        """
        label = example.references[0].strip().upper()
        if label not in ANSWERS:
            raise UserError(
                f"example {example.id}: the reference {example.references[0]!r} must be TRUE or FALSE: fix the data"
            )
        verdict = answer(prediction)
        return {
            "pair": _number(str(example.meta["pair"])) if "pair" in example.meta else UNPAIRED,
            "label": float(label == "TRUE"),
            "claim_accuracy": 100.0 * (verdict == label),
            "answered": float(verdict is not None),
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The shares; those whose denominator is zero are left out."""
        if not rows:
            return {}
        counts = self.summable(rows)
        sums = {name: fsum(row[name] for row in counts) for name in counts[0]}
        shares = {
            "pair_accuracy": ("pairs_right", "pairs_answered"),
            "pair_coverage": ("pairs_answered", "pairs"),
            "pair_accuracy_all": ("pairs_right", "pairs"),
            "claim_accuracy": ("claims_right", "claims_answered"),
            "unanswered": ("claims_unanswered", "claims"),
        }
        return {name: 100 * sums[part] / sums[whole] for name, (part, whole) in shares.items() if sums[whole]}

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """Why each claim does not count in a score: it has no answer, or its pair lacks one."""
        if score == "claim_accuracy":
            return ["" if row["answered"] else NO_ANSWER for row in rows]
        if score != "pair_accuracy":
            return super().left_out(score, rows)
        pairs = _pairs(rows)
        return ["" if _is_answered(pairs[row["pair"]]) else NO_PAIR for row in rows]

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Counts of claims and pairs; those of a pair are in the row of its first claim."""
        if not rows or "pair" not in rows[0]:
            return rows
        pairs = _pairs(rows)
        return [_counts(row, pairs.get(row["pair"], [])) for row in rows]


def answer(output: str) -> str | None:
    """TRUE or FALSE where an output says so, else None."""
    tagged = _TAGGED.findall(output)
    verdicts = {match[1].upper() for text in tagged or [_REASONS.sub("", output)] if (match := _BEGINS.match(text))}
    return verdicts.pop() if len(verdicts) == 1 else None


def _pairs(rows: Sequence[Row]) -> dict[float, list[Row]]:
    """The claims of each pair by its number."""
    pairs: dict[float, list[Row]] = {}
    for row in rows:
        pairs.setdefault(row["pair"], []).append(row)
    return pairs


def _is_whole(members: Sequence[Row]) -> bool:
    """Whether the claims are a pair, one of them true and one false."""
    return members[0]["pair"] != UNPAIRED and len({member["label"] for member in members}) == len(ANSWERS)


def _is_answered(members: Sequence[Row]) -> bool:
    return _is_whole(members) and all(member["answered"] for member in members)


def _counts(row: Row, members: Sequence[Row]) -> Row:
    """The counts of a claim, and of its pair if it is the first of it; `members` are the claims of the pair."""
    is_first = bool(members) and members[0] is row
    is_whole = is_first and _is_whole(members)
    is_answered = is_first and _is_answered(members)
    return {
        "claims": 1.0,
        "claims_answered": row["answered"],
        "claims_unanswered": 1 - row["answered"],
        "claims_right": row["claim_accuracy"] / 100,
        "pairs": float(is_whole),
        "pairs_answered": float(is_answered),
        "pairs_right": float(is_answered and all(member["claim_accuracy"] for member in members)),
    }


def _number(pair: str) -> float:
    """A whole number below 2^48 that identifies a pair, since statistics are numbers."""
    return float(int.from_bytes(sha256(pair.encode("utf-8", "surrogatepass")).digest()[:6]))
