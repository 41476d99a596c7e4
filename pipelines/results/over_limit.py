"""Passages and queries longer than the input limit of retrieval's encoders: for one example, and summed over many.

For one example, by retriever (`dense`):

    {"limit": 256, "long": "windows", "passages": 980, "over": 412, "tokens": 251000, "beyond": 30100,
     "queries": 1, "queries_over": 0, "queries_beyond": 0}

`tokens` are the encoder's own, `beyond` those over the limit: with `long` "windows" they are read in further windows,
with "cut" they are dropped. `per_query` is present, and true, where the document was split for this example alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.records import PASSAGES_NAMES, QUERIES_NAMES, Prediction


def total(predictions: Iterable[Prediction]) -> dict[str, dict[str, Any]]:
    """The counts summed over examples: a document's passages once, however many questions it has; every query."""
    totals: dict[str, dict[str, Any]] = {}
    counted_documents: set[tuple[str, str]] = set()
    for prediction in predictions:
        for name, counts in prediction.passages.items():
            empty_counts = {key: counts[key] for key in ("limit", "long")} | dict.fromkeys(
                (*PASSAGES_NAMES, *QUERIES_NAMES), 0
            )
            sums = totals.setdefault(name, empty_counts)
            _add(sums, counts, QUERIES_NAMES)
            if counts.get("per_query") or (name, prediction.document) not in counted_documents:
                counted_documents.add((name, prediction.document))
                _add(sums, counts, PASSAGES_NAMES)
    return totals


def messages(totals: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each retriever that has passages or queries over its encoder's limit."""
    lines = []
    for name, counts in totals.items():
        if counts["over"]:
            lines.append(f"{name}: {_passages(counts)}")
        if counts["queries_over"]:
            lines.append(
                f"{name}: {counts['queries_over']:,} of {counts['queries']:,} queries were longer than the encoder's "
                f"{counts['limit']:,} tokens: cut, {counts['queries_beyond']:,} of their tokens were never read"
            )
    return lines


def _passages(counts: Mapping[str, Any]) -> str:
    over, limit = f"{counts['over']:,} of {counts['passages']:,}", f"{counts['limit']:,}"
    line = f"{over} passages were longer than the encoder's {limit} tokens"
    if counts["long"] == "windows":
        return f"{line}: encoded in windows, the best counts"
    share = 100 * counts["beyond"] / counts["tokens"]
    return f"{line}: cut, {share:.1f}% of all passages' tokens were never read"


def _add(sums: dict[str, Any], counts: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        sums[name] += counts[name]
