"""Whether a reader can distinguish authors at all: the area under its ROC curve over pairs of paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.style_documents import examples, paragraphs
from models import Compare, TrainingExample
from models.author_pairs import SampledPairs, sampled_pairs
from pipelines.display.numbers import FEW_MARK
from pipelines.metrics import Metric, Row
from pipelines.plugins.study.statistics.separation import auc
from pipelines.statistics.bootstrap import intervals

CHANCE = 50.0


@dataclass(frozen=True, slots=True)
class Auc(Metric):
    """The area under the ROC curve, 0–100, of rows with a pair's "value" and whether it is the "same" author."""

    @property
    def signature(self) -> str:
        """Ties count half."""
        return "auc|ties:half"

    def statistics(self, prediction: str, example: Any) -> Row:
        """Not supported, since the rows are pairs, not examples. Always raises `TypeError`."""
        raise TypeError("auc measures pairs of paragraphs, not outputs: give its rows to `aggregate`")

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The share of (same, different) pairs in order, ties as halves; empty if one class is missing."""
        area = auc(*([row["value"] for row in rows if bool(row["same"]) == is_same] for is_same in (True, False)))
        return {} if area is None else {"auc": 100 * area}


def separation(reader: Any, data: Path) -> str:
    """The AUC, with its interval, over pairs of test paragraphs, as many by one author as by two."""
    sampled = pairs_of(data, "test")
    rows, documents = [], []
    for document in np.unique(sampled.document):
        rows_of_document = np.flatnonzero(sampled.sampled & (sampled.document == document))
        first, second = (side[rows_of_document].tolist() for side in (sampled.first, sampled.second))
        pairs = tuple(zip(first, second, strict=True))
        numbers = {text: number for number, text in enumerate(sorted({one for pair in pairs for one in pair}))}
        texts = tuple(sampled.texts[text] for text in numbers)
        (reply,) = reader.reply([Compare(texts, tuple((numbers[i], numbers[j]) for i, j in pairs))])
        same = sampled.same[rows_of_document].tolist()
        rows += [{"value": v, "same": s} for v, s in zip(reply.value, same, strict=True)]
        documents += [str(document)] * len(pairs)
    area = Auc().aggregate(rows)["auc"]
    interval = intervals(Auc(), rows, documents).get("auc")
    if interval is None:
        return f"{area:.1f}"
    flag = ", at chance" if interval.low <= CHANCE <= interval.high else ""
    return f"{area:.1f} [{interval.low:.1f}, {interval.high:.1f}]{FEW_MARK * interval.few}{flag}"


@cache
def pairs_of(data: Path, split: str) -> SampledPairs:
    """Pairs of a split's paragraphs, each by the same author or not."""
    training_examples = [TrainingExample(Compare(paragraphs(one), ()), one.references) for one in examples(data, split)]
    return sampled_pairs(training_examples, 2_000, 0)
