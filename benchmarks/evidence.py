"""How much gold evidence chunkers and retrievers let through at an equal budget of words, on six families of documents.

Peers are rankers as they are usually run: words or vectors of chunks of 200 and 100 words, and of natural units
(paragraphs, turns of a meeting). They are compared with the presets of the retriever `evidence`, with and without
vectors, and with its trained form, fitted on the other documents of the family. Shown headings are counted.
"""

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import chunkers
import retrievers
from benchmarks.evidence_families import FAMILIES, Asked, Family, Measured, System, measure, questions, statistics
from benchmarks.evidence_ingredients import ingredients, without
from benchmarks.results import FEWER, publish, realdata, table
from longdoc.registry import describe
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.training_data import judged_documents
from retrievers.evidence import LEXICAL, PRESETS

PEERS = ("tfidf", "bm25", "dense", "hybrid:[bm25,dense]")
BY_WORDS = ("tfidf", "bm25")  # peers without vectors
FOLDS = 3
CEILING = "oracle:of=evidence"
CACHED = "Vectors of the encoder are kept in the cache (LONGDOC_CACHE); those that were there already took no time."


def chunkers_of(family: Family) -> tuple[str, ...]:
    """The chunkers of the peers."""
    return ("tokens:size=200", "tokens:size=100", f"units:of={family.unit}")


def peers(family: Family) -> list[System]:
    """Chunks of fixed sizes and natural units, ranked by one retriever or two."""
    return [System(f"`{one}` {ranker}", one, ranker) for one in chunkers_of(family) for ranker in PEERS]


def presets(family: Family) -> list[System]:
    """The family's preset and the single setting, each by words alone and with vectors."""
    found = []
    for preset in dict.fromkeys(("general", family.preset)):
        for suffix, fields in ((", words only", {"encoder": LEXICAL}), ("", {})):
            spec = {"name": "evidence", "preset": preset, **fields}
            found.append(System(f"`evidence:{preset}`{suffix}", retrievers.get(spec).chunker, spec))
    return found


def ceilings(family: Family) -> list[System]:
    """The most that a ranking of each chunker's chunks can let through."""
    units = dict.fromkeys((*chunkers_of(family), "units:of=sentence"))
    return [System(f"`{one}` {CEILING}", one, CEILING) for one in units]


def trained(family: Family, asked: Sequence[Asked]) -> Measured:
    """`evidence_ranker`, fitted in turn on the documents outside each fold and measured on those inside."""
    chunker = PRESETS[family.preset].chunker
    examples = [example for one in asked for example in one.examples]
    plan = make_plan(family.task, data=examples, split=None, chunker=chunker, retriever="bm25", model="none")
    judged = {one.id: one for one in judged_documents(plan)}
    fold_of = (np.random.default_rng(0).permutation(len(asked)) % FOLDS).tolist()
    found = Measured({budget: [] for budget in family.budgets})
    for fold in range(FOLDS):
        ranker: Any = retrievers.get("evidence_ranker")
        ranker.fit([judged[one.document.id] for one, other in zip(asked, fold_of, strict=True) if other != fold])
        system = System("trained", chunker, ranker)
        inside = [one for one, own in zip(asked, fold_of, strict=True) if own == fold]
        found.add(measure(inside, [system], family.budgets)["trained"])
    return found


def row(name: str, one: Measured, family: Family, documents: int) -> list[str]:
    """A row of a family's table."""
    low, middle, high = family.budgets
    others = (f"{one.score(name, middle):.1f}" for name in ("full_evidence", "evidence_precision", "evidence_iou"))
    recalls = (f"{one.score('evidence_recall', low):.1f}", one.recall(middle))
    seconds = f"{1000 * one.seconds / documents:.0f}" if one.seconds else ""
    return [name, *recalls, f"{one.score('evidence_recall', high):.1f}", *others, seconds]


def without_each(family: Family, asked: Sequence[Asked], whole: Measured) -> list[list[str]]:
    """The family's preset without each of its ingredients: its recall, and how much less that is."""
    preset = PRESETS[family.preset]
    spec = describe(retrievers.get(preset.dense("minilm")))
    systems = [System(f"without {one}", preset.chunker, without(spec, one)) for one in ingredients(spec)]
    systems += [
        System(f"over `{one}`", one, spec)
        for one in (*chunkers_of(family), "units:of=sentence")
        if one != preset.chunker
    ]
    found = measure(asked, systems, [family.budget])
    return [[name, one.recall(family.budget), one.ahead(whole, family.budget)] for name, one in found.items()]


def best(found: dict[str, Measured], systems: Sequence[System], budget: int) -> tuple[str, Measured]:
    """The system with the highest recall, and what was measured of it."""
    name = max((one.name for one in systems), key=lambda name: found[name].score("evidence_recall", budget))
    return name, found[name]


def section(family: Family, folder: Path) -> tuple[str, list[str]]:
    """A family's tables, and its row in the table of all."""
    asked, begun = questions(family, folder), time.perf_counter()
    systems = peers(family), presets(family), ceilings(family)
    found = measure(asked, [one for some in systems for one in some], family.budgets)
    learned = trained(family, asked)
    found["`evidence_ranker`, trained"] = learned
    single, preset = "`evidence:general`", f"`evidence:{family.preset}`"
    by_words = [one for one in systems[0] if one.retriever in BY_WORDS]
    peer, lexical_peer = best(found, systems[0], family.budget), best(found, by_words, family.budget)
    rows = [row(name, one, family, len(asked)) for name, one in found.items()]
    low, middle, high = (f"{budget:,} words" for budget in family.budgets)
    head = ["chunks and ranking", low, middle, high, "full", "precision", "IoU", "ms a document"]
    lines = [
        f"### {family.title}\n",
        f"{len(asked)} documents, {len(learned.documents):,} questions with evidence.\n",
        table(head, rows) + "\n",
        f"At {middle}: {preset} less the best peer ({peer[0]}): {found[preset].ahead(peer[1], family.budget)}. "
        f"Words only, less the best peer without vectors ({lexical_peer[0]}): "
        f"{found[f'{preset}, words only'].ahead(lexical_peer[1], family.budget)}.\n",
        table([f"{preset}, {middle}", "recall", "less the whole"], without_each(family, asked, found[preset])) + "\n",
        f"{time.perf_counter() - begun:.0f} seconds for both tables.\n",
    ]
    if family.name == "chunking evaluation":
        lines.insert(3, five_chunks(asked))
    summary = [peer[1], found[f"{single}, words only"], found[single], found[f"{preset}, words only"], found[preset]]
    ceiling = best(found, systems[2], family.budget)[1]
    scores = [
        f"{one.score('evidence_recall', family.budget):.1f}" for one in (lexical_peer[1], *summary, learned, ceiling)
    ]
    return "\n".join(lines), [f"{family.title}, {middle}", *scores]


def five_chunks(asked: Sequence[Asked]) -> str:
    """What the five best chunks of 150 words by BM25 hold, whatever their words come to."""
    rows = []
    chunker, ranker = chunkers.get("tokens:size=150"), retrievers.get("bm25")
    for document, examples in asked:
        chunks = chunker.split(document.text)
        _, ids = ranker.index(chunks).search([example.query for example in examples], 5)
        spans = [[(chunks[i].start, chunks[i].end) for i in some] for some in ids.tolist()]
        rows += [statistics(example, some) for example, some in zip(examples, spans, strict=True)]
    recall, precision, iou = (
        np.mean([row[name] for row in rows]) for name in ("evidence_recall", "evidence_precision", "evidence_iou")
    )
    return f"Five chunks of `tokens:size=150` by bm25: recall {recall:.1f}, precision {precision:.1f}, IoU {iou:.1f}.\n"


def main(names: Sequence[str] = ()) -> None:
    """Measure the families of these names, or all."""
    folder, chosen = realdata(), [one for one in FAMILIES if one.name in names or not names]
    if folder is None:
        publish("evidence", "Not measured: the folder of real examples is not here (LONGDOC_REALDATA).")
        return
    begun = time.perf_counter()
    sections, summary = zip(*(section(family, folder) for family in chosen), strict=True)
    head = [
        "family, budget", "best peer, words only", "best peer", "single, words only", "single",
        "preset, words only", "preset", "trained", "ceiling",
    ]  # fmt: skip
    text = f"Evidence recall. single: `evidence:general`; preset: the task's; trained: `evidence_ranker`. {FEWER}\n\n"
    text += table(head, list(summary)) + "\n\n" + "\n".join(sections)
    seconds = f"{time.perf_counter() - begun:.0f} seconds in all. {CACHED}"
    title = "evidence" + (f": {', '.join(names)}" if names else "")
    publish("evidence", f"{text}\n{seconds}\n", shlex.join(names), title)


if __name__ == "__main__":
    main(sys.argv[1:])
