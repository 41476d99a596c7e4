"""How many words are worth reading: selections of a fixed number of words, and those that `select="auto"` ends itself.

The ranker is `evidence_ranker` with trees, by words, fitted on the other documents of the family (five folds). The
words saved are those that a fixed number needs for the same recall, between the numbers measured, less those of "auto".

Run: python -m benchmarks.evidence_auto (LONGDOC_REALDATA).
"""

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import chunkers
from benchmarks.evidence_families import Asked, Family, Measured, shown, statistics
from benchmarks.evidence_learned import Learning, kind_of
from benchmarks.evidence_setting import SETTINGS
from benchmarks.results import FEWER, publish, realdata, table
from chunkers import Chunk
from chunkers.shared.words import count_words
from pipelines.engine.planning.selection_budget import UNBOUNDED, SelectionBudget
from pipelines.engine.preparation.selection import fill, worth_reading
from retrievers.evidence import PRESETS

SHARES = (0.5, 0.3, 0.2, 0.1, 0.05)
WORDS = (50, 100, 200, 300, 500, 800, 1200, 2000, 3000, 5000)


def main() -> None:
    """Measure the families of `evidence_learned`."""
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    learning = Learning(folder, SETTINGS[""])
    publish("evidence_auto", "\n".join([FEWER + "\n", *(section(learning, family) for family in learning.families)]))


def section(learning: Learning, family: Family) -> str:
    """A family's table: fixed numbers of words, then "auto"."""
    measured = {str(key): Measured({0: []}) for key in (*WORDS, *SHARES)}
    words: dict[str, list[int]] = {name: [] for name in measured}
    rankers = learning.in_kind(kind_of(family), "trees")
    for fold, (documents, ranker) in enumerate(zip(learning.folds(family), rankers, strict=True)):
        if ranker.calibration is None:  # in the first family of its kind
            ranker.calibrate(learning.outside_in_kind(kind_of(family), fold))
        for entry in documents:
            _add(entry, family, ranker, measured, words)
    curve = [(float(np.mean(words[str(size)])), measured[str(size)].score("evidence_recall", 0)) for size in WORDS]
    rows = [[f"{size:,} words", *_cells(measured[str(size)], words[str(size)]), ""] for size in WORDS]
    for share in SHARES:
        mean = float(np.mean(words[str(share)]))
        needed = words_for(measured[str(share)].score("evidence_recall", 0), curve)
        saved = "" if needed is None else f"{needed - mean:+,.0f}"
        rows.append([f"`auto:{100 * share:g}%`", *_cells(measured[str(share)], words[str(share)]), saved])
    head = ["selected", "words, mean", "recall", "full evidence", "words saved at equal recall"]
    return f"### {family.title}\n\n{table(head, rows)}\n"


def _add(entry: Asked, family: Family, ranker: Any, measured: dict[str, Measured], words: dict[str, list[int]]) -> None:
    text = entry.document.text
    chunks = chunkers.get(PRESETS[family.preset].chunker).split(text)
    scores, ids = ranker.index(chunks).search([example.query for example in entry.examples])
    for example, row, numbers in zip(entry.examples, scores, ids.tolist(), strict=True):
        ranked = [chunks[number] for number in numbers]
        spans = {str(size): shown(text, ranked, size) for size in WORDS}
        for share in SHARES:
            read = ranked[: worth_reading(ranked, row, ranker.calibration, share)]
            spans[str(share)] = _whole(text, read)
        for name, own in spans.items():
            measured[name].rows[0].append(statistics(example, own))
            measured[name].documents.append(entry.document.id)
            words[name].append(sum(count_words([text[start:end] for start, end in dict.fromkeys(own)])))


def _whole(text: str, read: Sequence[Chunk]) -> list[tuple[int, int]]:
    passages = fill(text, read, SelectionBudget(UNBOUNDED), count_words).chunks
    return [span for chunk in passages for span in ((chunk.start, chunk.end), chunk.heading) if span]


def _cells(system: Measured, words: Sequence[int]) -> list[str]:
    return [f"{np.mean(words):,.0f}", system.recall(0), f"{system.score('full_evidence', 0):.1f}"]


def words_for(recall: float, curve: Sequence[tuple[float, float]]) -> float | None:
    """How many words a fixed number needs for a recall, on the lines between (words, recall); None outside them."""
    for (words, lower), (more_words, higher) in pairwise(curve):
        if lower <= recall <= higher and higher > lower:
            return words + (more_words - words) * (recall - lower) / (higher - lower)
    return None


if __name__ == "__main__":
    main()
