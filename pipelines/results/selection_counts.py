"""How many passages a run selected for an example, and how many of them the model read.

A passage counts as read where any part of it was in a prompt after truncation.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from pipelines.records import Prediction

Selection = Mapping[str, float]  # "selected", "read" and, where known, "words" shown; means over examples


def count(predictions: Sequence[Prediction]) -> dict[str, float]:
    """The means; empty where it is not known what was read, as with pairs of paragraphs."""
    if not any(one.shown_spans for one in predictions):
        return {}
    selected = sum(len(one.selected) for one in predictions)
    found = {"selected": selected / len(predictions), "read": sum(map(_read, predictions)) / len(predictions)}
    words = [one.shown_words for one in predictions if one.shown_words is not None]
    return found | ({"words": sum(words) / len(words)} if words else {})


def describe(selection: Selection) -> str:
    """`10.0 selected, 2.1 read by the model, on average`; empty for one passage an example, all of them read."""
    if not selection or (selection["selected"] == selection["read"] and selection["selected"] <= 1):
        return ""
    return f"{selection['selected']:.1f} selected, {selection['read']:.1f} read by the model, on average"


def _read(prediction: Prediction) -> int:
    shown = sorted(prediction.shown_spans)
    starts = [start for start, _ in shown]
    return sum(
        any(span_end <= end for _, span_end in shown[bisect_left(starts, start) : bisect_left(starts, end)])
        for start, end, _ in prediction.selected
    )
