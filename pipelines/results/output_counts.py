"""What a user must know of a model's outputs: that they ended at their length, are empty, or were refused.

They are scored like all others, so a figure of such outputs says little of what the model can do.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from models.requests import Reply
from pipelines.records import Prediction

ENDED, EMPTY, REFUSED = "ended at length", "empty", "refused"
SAID = {
    ENDED: ("ended at its length (max_new_tokens), unfinished", "ended at their length (max_new_tokens), unfinished"),
    EMPTY: ("is empty", "are empty"),
    REFUSED: ("was refused by the model", "were refused by the model"),
}  # of one, of several
OF_REASON = {"length": ENDED, "refusal": REFUSED}

Counts = Mapping[str, Mapping[str, int]]


def generated(value: Any) -> bool:
    """Whether a reply's value is an output, or several."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(one, str) for one in value))


def kinds(reply: Reply) -> list[str]:
    """What there is to know of a reply; of one with several outputs, that all are empty."""
    if not generated(reply.value):
        return []
    texts = (reply.value,) if isinstance(reply.value, str) else reply.value
    found = [OF_REASON[reply.finish_reason]] if reply.finish_reason in OF_REASON else []
    return found if any(text.strip() for text in texts) else [*found, EMPTY]


def counted(predictions: Sequence[Prediction]) -> dict[str, dict[str, int]]:
    """For each kind that occurs the outputs that are so, and the examples that they belong to."""
    found = {}
    for kind in SAID:
        counts = [count for one in predictions if (count := one.outputs.get(kind, 0))]
        if counts:
            found[kind] = {"outputs": sum(counts), "examples": len(counts)}
    return found


def said(counts: Counts, requests: int, examples: int) -> list[str]:
    """A line for each kind: `3 of 3 outputs are empty`; where examples took several requests, in how many it was."""
    lines = []
    for kind, count in counts.items():
        number = count["outputs"]
        line = f"{number:,} of {requests:,} outputs {SAID[kind][number != 1]}"
        lines.append(line if requests == examples else f"{line}, in {count['examples']:,} of {examples:,} examples")
    return lines


def of(predictions: Sequence[Prediction]) -> list[str]:
    """The lines of predictions."""
    return said(counted(predictions), sum(one.requests for one in predictions), len(predictions))
