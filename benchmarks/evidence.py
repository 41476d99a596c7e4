"""How much gold evidence chunkers and retrievers let through at an equal budget of words, by families of documents.

Plain rankers over chunks of 200 and 100 words, natural units (paragraphs, turns of a meeting) and sentences are
compared with the presets of the retriever `evidence`; the strongest of them is the one to beat
(`benchmarks.evidence_setting`). Shown headings are counted. Beside recall stand the share of questions all of whose
evidence is shown, and, where answers are words of the document, the share whose answer is.

Run: python -m benchmarks.evidence [vectors] [FAMILY …] (LONGDOC_REALDATA; `vectors` needs the extra `embedded`).
"""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import chunkers
import retrievers
from benchmarks.evidence_families import (
    FAMILIES,
    DocumentQuestions,
    Family,
    Measurements,
    measure,
    questions,
    statistics,
)
from benchmarks.evidence_ingredients import ingredients, without
from benchmarks.evidence_setting import SETTINGS, VECTORS, Setting, System, best, ceilings, chunkers_of, plain, presets
from benchmarks.results import INTERVALS_NOTE, publish, realdata, table, use_fp32
from longdoc.registry import describe
from retrievers.evidence import PRESETS

CACHED = "Vectors of the encoder are kept in the cache (LONGDOC_CACHE); those that were there already took no time."
SCORES = ("full_evidence", "answer_recall", "evidence_precision", "evidence_iou")
SCORE_NAMES = ("full evidence", "answer in context", "precision", "IoU")


def row(name: str, system: Measurements, family: Family, documents: int) -> list[str]:
    """A row of a family's table."""
    low, middle, high = family.budgets
    scores = [shown_score(system, score, family) for score in SCORES]
    recalls = (f"{system.score('evidence_recall', low):.1f}", system.recall(middle))
    seconds = f"{1000 * system.seconds / documents:.0f}" if system.seconds else ""
    return [name, *recalls, f"{system.score('evidence_recall', high):.1f}", *scores, seconds]


def shown_score(system: Measurements, name: str, family: Family) -> str:
    """A score at the family's budget; a dash for answers that are no words of the document."""
    if name == "answer_recall" and not family.has_answers:
        return "–"
    return f"{system.score(name, family.budget):.1f}"


def without_each(
    family: Family, documents: Sequence[DocumentQuestions], whole: Measurements, setting: Setting
) -> list[list[str]]:
    """Rows of the family's preset without each of its ingredients: its recall, and the difference from the whole."""
    preset = PRESETS[family.preset]
    spec = describe(retrievers.get(preset.dense("minilm") if setting is SETTINGS[VECTORS] else preset.lexical))
    systems = [System(f"without {name}", preset.chunker, without(spec, name)) for name in ingredients(spec)]
    systems += [
        System(f"over `{chunker}`", chunker, spec) for chunker in chunkers_of(family) if chunker != preset.chunker
    ]
    measured = measure(documents, systems, [family.budget])
    return [
        [
            name, system.recall(family.budget), system.ahead(whole, family.budget),
            shown_score(system, "full_evidence", family),
        ]
        for name, system in measured.items()
    ]  # fmt: skip


def section(family: Family, folder: Path, setting: Setting) -> tuple[str, list[str]]:
    """A family's tables, and its row in the table of all."""
    documents, begun = questions(family, folder), time.perf_counter()
    systems, own_presets, oracles = plain(family, setting), presets(family, setting), ceilings(family)
    measured = measure(documents, [*systems, *own_presets, *oracles], family.budgets)
    rows = [row(name, system, family, len(documents)) for name, system in measured.items()]
    words = [f"{budget:,} words" for budget in family.budgets]
    head = ["chunks and ranking", *words, *SCORE_NAMES, "ms a document"]
    preset = measured[own_presets[0].name]
    lines = [
        f"### {family.title}\n",
        f"{len(documents)} documents, {len(preset.documents):,} questions with evidence.\n",
        table(head, rows) + "\n",
        table([own_presets[0].name, "recall", "less the whole", "full evidence"],
              without_each(family, documents, preset, setting)) + "\n",
        f"{time.perf_counter() - begun:.0f} seconds for both tables.\n",
    ]  # fmt: skip
    if family.name == "chunking evaluation":
        lines.insert(3, five_chunks(documents))
    strongest = best(measured, systems, family.budget)
    ceiling = best(measured, oracles, family.budget)[1]
    return "\n".join(lines), summary(family, strongest, preset, measured[own_presets[-1].name], ceiling)


def summary(
    family: Family,
    strongest: tuple[str, Measurements],
    preset: Measurements,
    single: Measurements,
    ceiling: Measurements,
) -> list[str]:
    """The family's row: the strongest plain ranker, the preset, their difference, and the ceiling."""
    name, peer = strongest
    budget = family.budget
    return [
        f"{family.title}, {budget:,} words", name, peer.recall(budget), preset.recall(budget),
        preset.ahead(peer, budget),
        *(f"{shown_score(peer, score, family)} → {shown_score(preset, score, family)}" for score in SCORES[:2]),
        f"{single.score('evidence_recall', budget):.1f}", f"{ceiling.score('evidence_recall', budget):.1f}",
    ]  # fmt: skip


def five_chunks(documents: Sequence[DocumentQuestions]) -> str:
    """Recall, precision and IoU of the five best chunks of 150 words by BM25, without a budget."""
    rows = []
    chunker, ranker = chunkers.get("tokens:size=150"), retrievers.get("bm25")
    for document, examples in documents:
        chunks = chunker.split(document.text)
        _, ids = ranker.index(chunks).search([example.query for example in examples], 5)
        spans = [[(chunks[number].start, chunks[number].end) for number in numbers] for numbers in ids.tolist()]
        rows += [statistics(example, shown) for example, shown in zip(examples, spans, strict=True)]
    recall, precision, iou = (
        np.mean([row[name] for row in rows]) for name in ("evidence_recall", "evidence_precision", "evidence_iou")
    )
    return f"Five chunks of `tokens:size=150` by bm25: recall {recall:.1f}, precision {precision:.1f}, IoU {iou:.1f}.\n"


def main(arguments: Sequence[str] = ()) -> None:
    """Measure the families of these names, or all, by words or with vectors."""
    kind = VECTORS if VECTORS in arguments else ""
    if kind:
        use_fp32()
    names = [argument for argument in arguments if argument != VECTORS]
    folder, families = realdata(), [family for family in FAMILIES if family.name in names or not names]
    title = ": ".join(filter(None, ["evidence", ", ".join(filter(None, [kind, *names]))]))
    if folder is None:
        publish("evidence", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).", title=title)
        return
    begun = time.perf_counter()
    sections, rows = zip(*(section(family, folder, SETTINGS[kind]) for family in families), strict=True)
    head = [
        "family, budget", "strongest plain ranker", "its recall", "preset", "preset less plain",
        "full evidence: plain → preset", "answer in context: plain → preset", "`evidence:general`", "ceiling",
    ]  # fmt: skip
    text = f"Evidence recall. {INTERVALS_NOTE}\n\n{table(head, list(rows))}\n\n" + "\n".join(sections)
    time_note = f"{time.perf_counter() - begun:.0f} seconds in all. {CACHED if kind else ''}"
    publish("evidence", f"{text}\n{time_note}\n", shlex.join(arguments), title)


if __name__ == "__main__":
    main(sys.argv[1:])
