import numpy as np
import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from models import saved
from retrievers.shared import learned_ranking
from retrievers.shared.hop_features import HopFeatures
from retrievers.shared.learned_ranking import JudgedTable, average_precision, better_learner, learn, read
from retrievers.shared.unit_features import UnitFeatures

NAMES = ["first", "second", "third"]
CHUNKS = [Chunk(f"Unit {number}.", 8 * number, 8 * number + 7) for number in range(20)]
HOPS = HopFeatures(CHUNKS, UnitFeatures(CHUNKS))


def judged_table(document, relevant_of, seed):
    table = np.random.default_rng(seed).normal(size=(len(CHUNKS), 3)).astype(np.float32)
    relevant = np.zeros(len(CHUNKS), bool)
    relevant[np.argsort(-relevant_of(table))[:3]] = True
    return JudgedTable(document, "Which?", table, relevant, HOPS)


def judged_tables(relevant_of, documents):
    return [judged_table(str(number % documents), relevant_of, number) for number in range(2 * documents)]


def by_line(table):
    return table[:, 0]


def by_product(table):
    return table[:, 0] * table[:, 1]


def test_each_question_weighs_one_and_its_evidence_half():
    weights = judged_tables(by_line, 1)[0].weights
    assert weights.sum() == pytest.approx(1.0)
    assert sorted(weights.tolist())[-3:] == pytest.approx([1 / 6] * 3)


def test_average_precision_is_the_mean_share_of_relevant_units_down_to_each():
    relevant = np.array([True, False, True, False])
    assert average_precision(relevant, np.array([4.0, 3, 2, 1])) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(relevant, np.zeros(4)) == pytest.approx((1 + 2 / 3) / 2)  # ties by position
    assert average_precision(relevant, np.array([1.0, 4, 2, 3])) == pytest.approx((1 / 3 + 2 / 4) / 2)


@pytest.mark.parametrize(("relevant_of", "learner"), [(by_line, "logistic"), (by_product, "trees")])
def test_the_learner_is_the_one_that_ranks_unseen_documents_better(relevant_of, learner):
    assert better_learner(judged_tables(relevant_of, 40), NAMES) == learner


def test_few_documents_are_learned_by_the_regression():
    assert better_learner(judged_tables(by_product, learned_ranking.FEWEST_DOCUMENTS - 1), NAMES) == "logistic"


def test_no_regression_ranks_a_document_for_the_trees_that_it_learned_from(monkeypatch):
    learned_from = []

    def regression(entries, names):
        learned_from.append({entry.document for entry in entries})
        return original(entries, names)

    original = learned_ranking._regression
    monkeypatch.setattr(learned_ranking, "_regression", regression)
    learn(judged_tables(by_line, 10), NAMES, "trees")
    all_documents, *others = learned_from
    assert all_documents == {str(number) for number in range(10)}
    assert [len(documents) for documents in others] == [8] * 5
    assert set().union(*(all_documents - documents for documents in others)) == all_documents


@pytest.mark.parametrize("learner", ["logistic", "trees"])
def test_a_saved_ranking_ranks_the_same(tmp_path, learner):
    tables = judged_tables(by_product, 14)
    ranking = learn(tables, NAMES, learner)
    saved.save(tmp_path, ranking.arrays())
    loaded = read(str(tmp_path), learner)
    assert (loaded.learner, loaded.features) == (learner, tuple(NAMES))
    rows = [each.logits("Which?", tables[0].table, HOPS).tolist() for each in (ranking, loaded)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": np.zeros(3, np.int64)}, "does not hold valid trees over"),
        ({"columns": np.full(3, 99)}, "does not hold valid trees over"),
        ({"roots": "no array"}, "does not hold valid trees"),
        ({"values": None}, "does not hold valid trees"),
    ],
)
def test_invalid_trees_are_refused(tmp_path, changes, message):
    saved.save(tmp_path, {**learn(judged_tables(by_product, 14), NAMES, "trees").arrays(), **changes})
    with pytest.raises(UserError, match=message):
        read(str(tmp_path), "trees")


def test_an_unknown_learner_is_refused(tmp_path):
    with pytest.raises(UserError, match="learner must be logistic or trees, got 'x'"):
        read(str(tmp_path), "x")
