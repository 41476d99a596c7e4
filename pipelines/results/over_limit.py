"""What retrieval's encoders met that was longer than their limit: of one example, and of many together.

Of one example, by retriever (`dense`):

    {"limit": 256, "long": "windows", "passages": 980, "over": 412, "tokens": 251000, "beyond": 30100,
     "queries": 1, "queries_over": 0, "queries_beyond": 0}

`tokens` are the encoder's own, `beyond` those over the limit: with `long` "windows" they were read in further windows,
with "cut" never. `per_query` is there, true, where the document was split for this example alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.records import OF_PASSAGES, OF_QUERIES, Prediction


def together(predictions: Iterable[Prediction]) -> dict[str, dict[str, Any]]:
    """The counts of several examples: a document's passages once, however many questions it has; queries each."""
    found: dict[str, dict[str, Any]] = {}
    known: set[tuple[str, str]] = set()
    for prediction in predictions:
        for name, counts in prediction.passages.items():
            fresh = {key: counts[key] for key in ("limit", "long")} | dict.fromkeys((*OF_PASSAGES, *OF_QUERIES), 0)
            total = found.setdefault(name, fresh)
            _add(total, counts, OF_QUERIES)
            if counts.get("per_query") or (name, prediction.document) not in known:
                known.add((name, prediction.document))
                _add(total, counts, OF_PASSAGES)
    return found


def told(counts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for what was longer than a limit, by retriever; nothing where all was within."""
    lines = []
    for name, found in counts.items():
        if found["over"]:
            lines.append(f"{name}: {_passages(found)}")
        if found["queries_over"]:
            lines.append(
                f"{name}: {found['queries_over']:,} of {found['queries']:,} queries were longer than the encoder's "
                f"{found['limit']:,} tokens: cut, {found['queries_beyond']:,} of their tokens were never read"
            )
    return lines


def _passages(found: Mapping[str, Any]) -> str:
    said = (
        f"{found['over']:,} of {found['passages']:,} passages were longer than the encoder's {found['limit']:,} tokens"
    )
    if found["long"] == "windows":
        return f"{said}: encoded in windows, the best counts"
    share = 100 * found["beyond"] / found["tokens"]
    return f"{said}: cut, {share:.1f}% of all passages' tokens were never read"


def _add(total: dict[str, Any], counts: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        total[name] += counts[name]
