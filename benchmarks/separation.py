"""Whether a reader tells authors apart at all: the area under its ROC curve over pairs of paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.style_documents import examples, paragraphs
from models import Compare, TrainingExample
from models.author_pairs import SampledPairs, sampled_pairs
from pipelines.metrics import Metric, Row
from pipelines.results.comparisons.bootstrap import intervals

CHANCE = 50.0


@dataclass(frozen=True, slots=True)
class Auc(Metric):
    """The area under the ROC curve, 0–100, of rows with a pair's "value" and whether it is the "same" author."""

    @property
    def signature(self) -> str:
        """Ties count half."""
        return "auc|ties:half"

    def statistics(self, prediction: str, example: Any) -> Row:
        """There are no examples: the rows are pairs. Always raises `TypeError`."""
        raise TypeError("auc measures pairs of paragraphs, not outputs: give its rows to `aggregate`")

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Mann and Whitney's U over the number of (same, different) pairs; nothing where one kind is missing."""
        values = np.array([row["value"] for row in rows])
        same = np.array([row["same"] for row in rows], bool)
        ones, others = int(same.sum()), int((~same).sum())
        if not ones or not others:
            return {}
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
        return {"auc": 100 * float((ranks[same].sum() - ones * (ones + 1) / 2) / (ones * others))}


def separation(reader: Any, data: Path) -> str:
    """The AUC over pairs of the test documents' paragraphs, as many of one author as of two, with its interval."""
    known = pairs_of(data, "test")
    rows, documents = [], []
    for document in np.unique(known.document):
        some = np.flatnonzero(known.sampled & (known.document == document))
        pairs = tuple(zip(known.first[some].tolist(), known.second[some].tolist(), strict=True))
        places = {place: number for number, place in enumerate(sorted({at for pair in pairs for at in pair}))}
        texts = tuple(known.texts[place] for place in places)
        (reply,) = reader.reply([Compare(texts, tuple((places[i], places[j]) for i, j in pairs))])
        rows += [{"value": v, "same": s} for v, s in zip(reply.value, known.same[some].tolist(), strict=True)]
        documents += [str(document)] * len(pairs)
    value = Auc().aggregate(rows)["auc"]
    found = intervals(Auc(), rows, documents)["auc"]
    flag = ", at chance" if found.low <= CHANCE <= found.high else ""
    return f"{value:.1f} [{found.low:.1f}, {found.high:.1f}]{flag}"


@cache
def pairs_of(data: Path, split: str) -> SampledPairs:
    """Pairs of a split's paragraphs with what is known of them."""
    training_examples = [TrainingExample(Compare(paragraphs(one), ()), one.references) for one in examples(data, split)]
    return sampled_pairs(training_examples, 2_000, 0)
