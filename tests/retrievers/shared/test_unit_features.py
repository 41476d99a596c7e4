import numpy as np
import pytest

from chunkers import Chunk
from retrievers.shared.unit_features import (
    PLACE_NAMES,
    SIGNAL_NAMES,
    TEXT_NAMES,
    UnitFeatures,
    feature_names,
    standardized,
)

UNITS = [
    ("Mill", "The mill stood by the River Sow."),
    ("Mill", "Anna kept it in 1900."),
    ("River Sow", "It ran past the town."),
    ("Town (place)", "Who lived here?"),
]


@pytest.fixture
def chunks():
    result, start = [], 0
    for title, text in UNITS:
        parent = (0, 54) if title == "Mill" else None
        result.append(Chunk(text, start, start + len(text), title, parent))
        start += len(text) + 1
    return result


@pytest.fixture
def features(chunks):
    signal, units = np.array([2.0, 0.0, 1.0, 1.0]), UnitFeatures(chunks)
    first = units.first([signal])
    assert first == [0, 2, 3]
    table = units.table("Which river was by Anna's Mill in 1900?", [signal], first, [np.eye(4)[first]])
    names = feature_names(["bm25"])
    assert table.shape == (4, len(names)) == (4, len(SIGNAL_NAMES) + len(TEXT_NAMES) + len(PLACE_NAMES))
    return dict(zip(names, table.T.tolist(), strict=True))


def test_a_score_is_spread_over_stretches_of_fifty_to_a_thousand_words():
    assert [name for name in feature_names(["bm25"]) if "spread" in name] == [
        f"bm25: spread over {words} words" for words in (50, 150, 400, 1000)
    ]


def test_scores_are_standardized_and_equal_ones_become_zero():
    assert standardized(np.array([2.0, 0.0, 1.0, 1.0])).tolist() == pytest.approx([2**0.5, -(2**0.5), 0, 0])
    assert standardized(np.full(3, 0.1)).tolist() == [0, 0, 0]


def test_a_unit_has_its_score_its_neighbours_its_parents_and_its_rank(features):
    root = 2**0.5
    assert features["bm25: score"] == pytest.approx([root, -root, 0, 0])
    assert features["bm25: before"] == pytest.approx([root, root, -root, 0])
    assert features["bm25: after"] == pytest.approx([-root, 0, 0, 0])
    assert features["bm25: best of parent"] == pytest.approx([root, root, 0, 0])
    assert features["bm25: mean of parent"] == pytest.approx([0, 0, 0, 0])
    assert features["bm25: 1 / rank"] == pytest.approx([1, 1 / 4, 1 / 3, 1 / 3])


def test_units_have_the_question_s_names_and_numbers_and_the_share_of_their_title_in_it(features):
    assert features["numbers in question"] == [0, 1, 0, 0]
    assert features["title in question"] == [1, 1, 0, 0]
    assert features["title's words in question"] == [1, 1, 0.5, 0]
    assert features["names in question"][1] == 1


def test_titles_lead_from_first_units_to_others(features):
    assert features["title in a first unit"] == [0, 0, 1, 1 / 2]
    assert features["mentions a first unit's title"] == pytest.approx([1 / 2, 0, 1 / 3, 0])


def test_place_and_length_are_known(features):
    assert features["position"] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert features["first of parent"] == [1, 0, 1, 1]
    assert features["last of parent"] == [0, 1, 1, 1]
    assert features["fewer than 6 words"] == [0, 1, 1, 1]
    assert features["ends as a question"] == [0, 0, 0, 1]


def test_a_document_of_one_unit_has_finite_features():
    table = UnitFeatures([Chunk("One.", 0, 4)]).table("", [np.zeros(1)], [0], [np.zeros((1, 1))])
    assert np.isfinite(table).all()
