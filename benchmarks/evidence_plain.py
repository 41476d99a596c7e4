"""The strongest plain ranker as the one to beat: `best` against BM25 with headings, stop words and stems.

A plain ranker scores each chunk by itself. Its words are ranked with their headings, without English stop words, and by
their stems; `hybrid` fuses that order with one by vectors. Each is tried over the peers' chunks and over sentences; of
these the one with the highest recall at the family's budget is the strongest, chosen on the very questions that it is
measured on, which favours it. `best` is the family's preset of the retriever `evidence`.
"""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import retrievers
from benchmarks.evidence import best, chunkers_of
from benchmarks.evidence_families import FAMILIES, Family, Measured, System, measure, questions
from benchmarks.results import FEWER, publish, realdata, table
from retrievers.evidence import LEXICAL

MEASURED = ("HotpotQA", "MuSiQue", "MuSiQue-3-4", "ContractNLI")
WORDS = {"name": "bm25", "heading": True, "stop_words": "english", "stem": "english"}
VECTORS = {"name": "dense", "heading": True}
PLAIN: dict[str, Any] = {
    "bm25, headings, stop words, stems": WORDS,
    "hybrid of that and dense": {"name": "hybrid", "retrievers": [WORDS, VECTORS]},
}


def plain(family: Family, ranker: str) -> list[System]:
    """One of the plain rankers over each of the chunks."""
    units = dict.fromkeys((*chunkers_of(family), "units:of=sentence"))
    return [System(f"`{unit}`, {ranker}", unit, PLAIN[ranker]) for unit in units]


def presets(family: Family) -> tuple[System, System]:
    """The family's preset by words alone, and with vectors."""
    specs = [{"name": "evidence", "preset": family.preset, **fields} for fields in ({"encoder": LEXICAL}, {})]
    names = (f"`evidence:{family.preset}`, words only", f"`evidence:{family.preset}`")
    words, vectors = (System(name, retrievers.get(spec).chunker, spec) for name, spec in zip(names, specs, strict=True))
    return words, vectors


def section(family: Family, folder: Path) -> tuple[str, list[list[str]]]:
    """A family's table of all systems, and its two rows in the table of the strongest: by words, and with vectors."""
    documents = questions(family, folder)
    rankers = [plain(family, ranker) for ranker in PLAIN]
    own = presets(family)
    measured = measure(documents, [*rankers[0], *rankers[1], *own], family.budgets)
    head = ["chunks and ranking", *(f"{budget:,} words" for budget in family.budgets)]
    rows = [[name, *(system.recall(budget) for budget in family.budgets)] for name, system in measured.items()]
    text = f"### {family.title}\n\n{len(documents)} documents.\n\n{table(head, rows)}\n"
    return text, [against(family, systems, preset, measured) for systems, preset in zip(rankers, own, strict=True)]


def against(family: Family, systems: Sequence[System], preset: System, measured: dict[str, Measured]) -> list[str]:
    """A row: the strongest of the systems, its recall, the preset's, and how much more that is, at the budget."""
    name, strongest = best(measured, systems, family.budget)
    recall, ahead = measured[preset.name].recall(family.budget), measured[preset.name].ahead(strongest, family.budget)
    where = f"{family.title}, {family.budget:,} words"
    return [where, name, strongest.recall(family.budget), preset.name, recall, ahead]


def main(names: Sequence[str] = ()) -> None:
    """Measure the families of these names, or those of the README's table."""
    folder, begun = realdata(), time.perf_counter()
    if folder is None:
        publish("evidence_plain", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    chosen = [family for family in FAMILIES if family.name in (names or MEASURED)]
    sections, rows = zip(*(section(family, folder) for family in chosen), strict=True)
    head = ["family, budget", "strongest plain ranker", "recall", "preset", "recall", "preset less plain"]
    text = f"Evidence recall. {FEWER}\n\n{table(head, [row for some in rows for row in some])}\n\n"
    text += "\n".join(sections) + f"\n{time.perf_counter() - begun:.0f} seconds in all."
    publish("evidence_plain", text, shlex.join(names))


if __name__ == "__main__":
    main(sys.argv[1:])
