"""What the benchmark of gold evidence measures, and how it leaves parts of a retriever out."""

from typing import Any

import pytest

import pipelines
import retrievers
from benchmarks.evidence_families import Asked, Measured, System, measure, shown, statistics
from benchmarks.evidence_ingredients import ingredients, without
from chunkers import Chunk
from longdoc.registry import describe
from pipelines.records import Document, Example
from retrievers.evidence import PRESETS

TEXT = "Mills grind corn.\n\nThe old mill stands by the river.\n\nIts wheel turns slowly. Nobody lives there now."
WHEEL = (TEXT.index("Its wheel"), TEXT.index(" Nobody"))
STANDS = (TEXT.index("The old"), TEXT.index("\n\nIts"))
DOCUMENT = Document("mills", TEXT)
EXAMPLES = (
    Example("1", DOCUMENT, "What does its wheel do?", references=("turn",), evidence=(WHEEL,)),
    Example("2", DOCUMENT, "Where does the old mill stand?", references=("river",), evidence=(STANDS,)),
)
BM25 = {"name": "bm25", "heading": True, "stop_words": "english", "stem": "english"}
SCALES = {"name": "scales", "retriever": BM25, "scales": ["chunk", "window"]}


def blend(**fields: Any) -> dict[str, Any]:
    spec: dict[str, Any] = describe(retrievers.get({"name": "blend", "retrievers": [SCALES, "tfidf"], **fields}))
    return spec


def test_what_is_measured_is_what_the_program_measures() -> None:
    budgets = (4, 8)
    systems = [System(name, "units:of=sentence", name) for name in ("bm25", "oracle:of=evidence")]
    found = measure([Asked(DOCUMENT, EXAMPLES)], systems, budgets)
    table = pipelines.evidence(
        "qa",
        data=EXAMPLES,
        chunker="units:of=sentence",
        retriever=[one.retriever for one in systems],
        budget=[f"{words} words" for words in budgets],
    )
    assert len(table.rows) == 4
    for row in table.rows:
        for name in ("evidence_recall", "full_evidence", "evidence_precision", "evidence_iou"):
            assert found[row.retriever].score(name, int(row.budget.split()[0])) == pytest.approx(row.scores[name])


def test_shown_headings_count() -> None:
    text = "Mills\nIt grinds corn."
    chunk = Chunk("It grinds corn.", 6, 21, "Mills", None, (0, 5))
    assert sorted(shown(text, [chunk], 4)) == [(0, 5), (6, 21)]
    assert sorted(shown(text, [chunk], 3)) == [(0, 5), (6, 15)]


def test_the_metrics_of_a_question_are_those_of_its_spans() -> None:
    row = statistics(EXAMPLES[0], [WHEEL])
    assert row == {
        "has_evidence": 1.0,
        "evidence_recall": 100.0,
        "full_evidence": 100.0,
        "evidence_precision": 100.0,
        "evidence_iou": 100.0,
        "answer_recall": 0.0,
    }


def test_what_was_measured_on_parts_of_the_documents_is_put_together() -> None:
    one = Measured({300: [{"evidence_recall": 0.0, "has_evidence": 1.0}]}, ["a"], 1.0)
    one.add(Measured({300: [{"evidence_recall": 100.0, "has_evidence": 1.0}]}, ["b"], 2.0))
    assert (one.score("evidence_recall", 300), one.documents, one.seconds) == (50.0, ["a", "b"], 3.0)


def test_ingredients_are_wrappers_members_scales_and_what_is_not_usual() -> None:
    spread = describe(retrievers.get({"name": "spread", "retriever": blend(weights=[2, 1])}))
    assert ingredients(spread) == [
        "spread", "bm25", "tfidf", "scales", "chunk scale", "window scale", "heading", "stop_words", "stem", "weights"
    ]  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_made_without_each_of_its_ingredients(preset: str) -> None:
    spec = describe(retrievers.get(PRESETS[preset].lexical))
    for ingredient in ingredients(spec):
        fewer = without(spec, ingredient)
        assert fewer != spec
        assert retrievers.get(fewer).query_source == "query"
        assert ingredient not in ingredients(fewer)


def test_a_wrapper_leaves_what_it_wraps() -> None:
    assert without(describe(retrievers.get(SCALES)), "scales") == describe(retrievers.get(BM25))


def test_a_blend_of_two_leaves_the_other_member() -> None:
    assert without(blend(), "tfidf") == describe(retrievers.get(SCALES))
    assert without(blend(), "bm25") == describe(retrievers.get("tfidf"))
