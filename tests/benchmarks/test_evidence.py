"""The benchmark of gold evidence measures as the program does, and leaves out parts of a retriever."""

from typing import Any

import pytest

import pipelines
import retrievers
from benchmarks.evidence_families import DocumentQuestions, Measurements, System, measure, shown_spans, statistics
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


def test_measurements_equal_those_of_the_program() -> None:
    budgets = (4, 8)
    systems = [System(name, "units:of=sentence", name) for name in ("bm25", "oracle:of=evidence")]
    measurements = measure([DocumentQuestions(DOCUMENT, EXAMPLES)], systems, budgets)
    table = pipelines.evidence(
        "qa",
        data=EXAMPLES,
        chunker="units:of=sentence",
        retriever=[system.retriever for system in systems],
        budget=[f"{words} words" for words in budgets],
    )
    assert len(table.rows) == 4
    for row in table.rows:
        for name in ("evidence_recall", "full_evidence", "evidence_precision", "evidence_iou"):
            assert measurements[row.retriever].score(name, int(row.budget.split()[0])) == pytest.approx(
                row.scores[name]
            )


def test_shown_headings_count() -> None:
    text = "Mills\nIt grinds corn."
    chunk = Chunk("It grinds corn.", 6, 21, "Mills", None, (0, 5))
    assert sorted(shown_spans(text, [chunk], 4)) == [(0, 5), (6, 21)]
    assert sorted(shown_spans(text, [chunk], 3)) == [(0, 5), (6, 15)]


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


def test_measurements_of_parts_of_the_documents_are_added() -> None:
    measurements = Measurements({300: [{"evidence_recall": 0.0, "has_evidence": 1.0}]}, ["a"], 1.0)
    measurements.add(Measurements({300: [{"evidence_recall": 100.0, "has_evidence": 1.0}]}, ["b"], 2.0))
    assert (measurements.score("evidence_recall", 300), measurements.documents, measurements.seconds) == (
        50.0,
        ["a", "b"],
        3.0,
    )


def test_ingredients_are_wrappers_members_scales_and_unusual_options() -> None:
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


def test_without_a_wrapper_the_wrapped_retriever_is_left() -> None:
    assert without(describe(retrievers.get(SCALES)), "scales") == describe(retrievers.get(BM25))


def test_without_one_of_two_members_a_blend_becomes_the_other() -> None:
    assert without(blend(), "tfidf") == describe(retrievers.get(SCALES))
    assert without(blend(), "bm25") == describe(retrievers.get("tfidf"))
