import numpy as np
import pytest

from chunkers import Chunk
from retrievers.shared.hop_features import HOP_NAMES, HopFeatures
from retrievers.shared.unit_features import UnitFeatures

UNITS = [
    ("Jaws (film)", "Jaws was directed by Steven Spielberg."),
    ("Jaws (film)", "It opened in summer."),
    ("Steven Spielberg", "Spielberg was born in Cincinnati."),
    ("Dallas", "Oswald was born there."),
    ("Rivers", "The Ohio runs past."),
    ("Lakes", "Erie is shallow."),
]
LOGITS = np.array([3.0, 0.0, 1.0, 2.0, 0.5, -1.0])


@pytest.fixture
def features():
    chunks, start = [], 0
    for title, text in UNITS:
        parent = (0, 60) if title.startswith("Jaws") else None
        chunks.append(Chunk(text, start, start + len(text), title, parent))
        start += len(text) + 1
    table = HopFeatures(chunks, UnitFeatures(chunks)).table("Was the director of Jaws born in 1946?", LOGITS)
    assert table.shape == (6, len(HOP_NAMES))
    assert table.dtype == np.float32
    names = [name.removeprefix("first ranking: ") for name in HOP_NAMES]
    return dict(zip(names, table.T.tolist(), strict=True))


def test_a_unit_has_its_logit_and_the_difference_from_the_best_other(features):
    assert features["logit"] == LOGITS.tolist()
    assert features["best other logit less it"] == [-1.0, 3.0, 2.0, 1.0, 2.5, 4.0]
    assert features["1 / rank"] == pytest.approx([1, 1 / 5, 1 / 3, 1 / 2, 1 / 4, 1 / 6])


def test_the_four_best_lead_to_units_of_their_parents_and_to_those_they_mention(features):
    assert features["leading units of its parent"] == [0, 1, 0, 0, 0, 0]
    assert features["title in a leading unit"] == [0, 0, 1, 0, 0, 0]
    assert features["mentions a leading unit's title"] == pytest.approx([1 / 3, 0, 0, 0, 0, 0])


def test_words_that_the_leading_units_lack_are_looked_for_in_other_units(features):
    assert features["question's words that no leading unit holds"] == [0, 0, 0, 0, 0, 0]
    with_leading = features["question's words, with a leading unit's"]
    assert with_leading[2] == with_leading[3] > with_leading[4] > 0  # "born" after "Jaws" and "directed"


def test_new_names_of_the_leading_units_are_looked_for_in_others(features):
    assert features["new names of leading units"][2] == pytest.approx(1.0, abs=0.5)
    assert features["names of leading units in the title"] == [0, 0, 1, 1, 1, 0]
    assert features["new names of leading units"][5] == 0


def test_the_question_and_the_document_are_described(features):
    assert set(features["asks yes or no"]) == {1.0}
    assert set(features["names in the question"]) == {2.0}
    assert features["units of the document"] == pytest.approx([np.log1p(6)] * 6)
    assert features["titles of the document"] == pytest.approx([np.log1p(5)] * 6)


@pytest.mark.parametrize("question", ["", "Jaws?"])
def test_a_document_of_one_unit_has_finite_features(question):
    chunks = [Chunk("One.", 0, 4)]
    assert np.isfinite(HopFeatures(chunks, UnitFeatures(chunks)).table(question, np.zeros(1))).all()
