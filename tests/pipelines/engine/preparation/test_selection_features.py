"""What is known of a selection before it is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.preparation.prepare import prepare
from pipelines.engine.preparation.selection_features import agreement, expected_evidence
from pipelines.records import Document, Example
from retrievers.bm25 import Bm25

TEXT = "The heron fishes. The otter swims. The fox runs. The owl sees. The mole digs."
RIVER = Document("river", TEXT)
EXAMPLES = [Example("q1", RIVER, "otter swims", ("swims",)), Example("q2", RIVER, "which birds", ("heron",))]


def chunks(*spans: tuple[int, int]) -> list[Chunk]:
    return [Chunk("x" * (end - start), start, end) for start, end in spans]


RANKED = chunks((10, 30), (0, 10), (30, 40))


@pytest.mark.parametrize(
    ("scores", "calibration", "selected", "share"),
    [
        ((2.0, 1.0, 1.0), None, [(10, 30)], 40 / 60),
        ((2.0, 1.0, 1.0), None, [(20, 30)], 20 / 60),  # half of the best
        ((2.0, 1.0, 1.0), None, [(0, 10), (30, 40)], 20 / 60),
        ((2.0, 1.0, 1.0), None, [(0, 40)], 1.0),  # the whole document
        ((2.0, 1.0, 1.0), None, [], 0.0),
        ((2.0, -1.0, -5.0), None, [(10, 30)], 1.0),  # scores below 0 expect nothing
        ((-2.0, -3.0, -5.0), None, [(10, 30)], 0.0),
        ((0.0, 0.0, 0.0), (1.0, 0.0), [(10, 30)], 0.5),  # each as likely
        ((0.0, -1e4, -1e4), (1.0, 0.0), [(10, 30)], 1.0),
        ((1e30, 0.0, 0.0), (1.0, 0.0), [(10, 30)], 20 / 30),
    ],
)
def test_the_expected_evidence_is_the_share_of_probable_characters_that_is_selected(
    scores: Sequence[float], calibration: Any, selected: list[tuple[int, int]], share: float
) -> None:
    values = np.array(scores, np.float32)
    assert expected_evidence(RANKED, values, calibration, chunks(*selected)) == pytest.approx(share, abs=1e-6)


def test_a_document_without_chunks_expects_no_evidence() -> None:
    assert expected_evidence([], np.zeros(0, np.float32), None, []) == 0.0
    assert expected_evidence([], np.zeros(0, np.float32), (1.0, 0.0), []) == 0.0


@pytest.mark.parametrize(
    ("selected", "other", "share"),
    [
        ([(0, 10)], [(0, 10)], 1.0),
        ([(0, 10), (20, 30)], [(20, 30), (40, 50)], 1 / 3),
        ([(0, 10), (5, 15)], [(10, 20)], 5 / 20),  # overlapping chunks count once
        ([(0, 10)], [(10, 20)], 0.0),
        ([(0, 10)], [], 0.0),
        ([], [], 0.0),
    ],
)
def test_the_agreement_is_the_characters_in_both_selections_of_those_in_either(
    selected: list[tuple[int, int]], other: list[tuple[int, int]], share: float
) -> None:
    assert agreement(chunks(*selected), chunks(*other)) == pytest.approx(share, abs=1e-6)


def features(strategy: str, **given: Any) -> list[dict[str, float]]:
    options: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "bm25", "k": 2} | given
    plan = make_plan("qa", data=EXAMPLES, model="extractive", strategy=strategy, **options)
    return [dict(job.selection_features) for job in prepare(plan, RIVER, EXAMPLES)]


def test_a_strategy_that_asks_for_it_knows_its_selection() -> None:
    first, second = features("route:rule=retrieved,second=tfidf")
    assert first == {"expected_evidence": 1.0, "agreement": 1.0}  # one sentence has the words of the question
    assert second == {"expected_evidence": 0.0, "agreement": 1.0}  # none has
    assert features("route:rule=retrieved") == [{"expected_evidence": 1.0}, {"expected_evidence": 0.0}]
    filled = features("route:rule=retrieved,second=tfidf", k=None, select=6)
    assert filled[0] == {"expected_evidence": 1.0, "agreement": 1.0}


@pytest.mark.parametrize(
    ("strategy", "retriever"),
    [("stuff", "bm25"), ("route:rule=self_route", "bm25"), ("route:rule=retrieved", "first"),
     ("route:rule=retrieved", "uniform")],
)  # fmt: skip
def test_nothing_is_measured_where_nobody_asks_or_chunks_are_not_ranked_by_the_question(
    strategy: str, retriever: str
) -> None:
    assert features(strategy, retriever=retriever) == [{}, {}]


def test_what_is_worth_reading_cannot_be_compared_with_another_selection() -> None:
    @dataclass(frozen=True)
    class Calibrated(Bm25):
        calibration = (1.0, 0.0)

    with pytest.raises(UserError, match=r"select='auto' is for one search, and route makes several"):
        features("route:rule=retrieved,second=tfidf", retriever=Calibrated(), k=None, select="auto")
