"""Pair classifiers on texts whose authors differ beyond doubt."""

import random

import numpy as np
import pytest

import models
from longdoc.errors import UserError
from models import Compare, Generate, TrainingExample
from models.author_pairs import Logistic, best_threshold, cosines, sampled_pairs
from models.authorship import Authorship

HABITS = {
    1: ("I did not know, and I could not say;", "it was, after all, the same old thing —"),
    2: ("HELLO!!! the boys r here :)", "omg!!! we went 2 the shop :)"),
    3: ("Furthermore, the committee (see section) establishes", "Consequently, considerable deliberations (cf. annex)"),
}


def document(authors: tuple[int, ...], seed: int) -> tuple[str, ...]:
    draw = random.Random(seed)
    return tuple(" ".join(draw.choices(HABITS[author], k=4)) + f" {draw.randint(0, 99)}." for author in authors)


def training_example(authors: tuple[int, ...], seed: int, only_changes: bool = False) -> TrainingExample:
    texts = document(authors, seed)
    neighbours = tuple((i, i + 1) for i in range(len(texts) - 1))
    authorship = Authorship.of(",".join(map(str, authors)))
    reference = str(Authorship(None, authorship.changes, authorship.count) if only_changes else authorship)
    return TrainingExample(Compare(texts, neighbours), (reference,))


TRAINING = [
    training_example((1, 1, 2, 2, 1), 0),
    training_example((1, 1, 1, 1), 1),
    training_example((1, 3, 3, 1, 2), 2),
    training_example((2, 2, 3, 3), 3),
]
AUTHORS = (1, 1, 2, 3, 3, 1)


def are_right(reader: models.Reader) -> list[bool]:
    """Whether the reader decides each pair of paragraphs of a document rightly."""
    texts = document(AUTHORS, 77)
    pairs = tuple((i, j) for j in range(len(AUTHORS)) for i in range(j))
    (reply,) = reader.reply([Compare(texts, pairs)])
    return [(value >= 0.5) == (AUTHORS[i] == AUTHORS[j]) for (i, j), value in zip(pairs, reply.value, strict=True)]


def test_stylometry_learns_who_writes_how() -> None:
    reader = models.get("stylometry")
    assert not reader.fitted  # type: ignore[attr-defined]
    reader.fit(TRAINING)  # type: ignore[attr-defined]
    assert reader.fitted  # type: ignore[attr-defined]
    assert all(are_right(reader))


def test_stylometry_learns_from_changes_alone() -> None:
    reader = models.get("stylometry")
    changes = [training_example((1, 1, 2, 2, 1), s, True) for s in range(4)] + [
        training_example((3, 1, 1, 3), s, True) for s in range(4)
    ]
    reader.fit(changes)  # type: ignore[attr-defined]
    assert sum(are_right(reader)) >= 13


def test_fitting_again_gives_the_same_replies_in_any_batch() -> None:
    requests = [Compare(document(AUTHORS, seed), ((0, 1), (1, 2), (0, 5))) for seed in range(3)]
    first, second = models.get("stylometry"), models.get("stylometry")
    for reader in (first, second):
        reader.fit(TRAINING)  # type: ignore[attr-defined]
    together = first.reply(requests)
    assert second.reply(requests[::-1]) == together[::-1]
    assert [len(reply.value) for reply in together] == [3, 3, 3]
    assert all(0 <= value <= 1 for reply in together for value in reply.value)


def test_unusable_requests_and_training_documents_are_refused() -> None:
    reader = models.get("stylometry")
    with pytest.raises(UserError, match="must be trained first"):
        reader.reply([Compare(("a", "b"), ((0, 1),))])
    with pytest.raises(
        UserError, match=r"the 1 training documents .* no two paragraphs by the same author, or no two by different"
    ):
        reader.fit([training_example((1, 1, 1), 0)])  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="answers Compare, not Generate"):
        reader.reply([Generate("a", 1)])
    with pytest.raises(UserError, match="pairs must be at least 10"):
        models.get("stylometry:pairs=1")


def test_examples_with_another_number_of_labels_are_left_out() -> None:
    broken = TrainingExample(TRAINING[0].request, ("1,2",))
    pairs = sampled_pairs([broken, *TRAINING], 1000, 0)
    assert set(pairs.texts) == {text for example in TRAINING for text in example.request.texts}  # type: ignore[union-attr]


def test_pairs_are_sampled_where_authors_or_changes_say_who_wrote_them() -> None:
    whole = sampled_pairs([training_example((1, 2, 1), 0)], 1000, 0)
    assert {(i, j): bool(s) for i, j, s in zip(whole.first, whole.second, whole.same, strict=True)} == {
        (0, 1): False, (1, 2): False, (0, 2): True
    }  # fmt: skip
    changes = sampled_pairs([training_example((1, 2, 1), 0, True), training_example((3, 3), 1)], 1000, 0)
    assert changes.same.tolist().count(False) == 2  # the first and the last of three: not known
    assert changes.neighbours.all()


def test_the_threshold_is_where_macro_f1_of_neighbours_is_best() -> None:
    logits, same = np.array([-3.0, -1.0, 2.0, 4.0, 5.0]), np.array([False, False, False, True, True])
    assert best_threshold(logits, same) == 3.0
    assert best_threshold(logits, np.ones(5, bool)) == 0.0
    assert best_threshold(np.zeros(5), same) == 0.0


def test_inner_products_are_the_same_by_pairs_and_by_table() -> None:
    vectors = np.random.default_rng(0).normal(size=(60, 5))
    first, second = np.triu_indices(60, 1)
    expected = (vectors[first] * vectors[second]).sum(axis=1)
    assert cosines(vectors, first, second) == pytest.approx(expected)
    assert cosines(vectors, first[::60], second[::60]) == pytest.approx(expected[::60])


def test_a_logistic_model_is_rounded_and_never_overflows() -> None:
    model = Logistic(np.array([2.0]), -1.0)
    assert model(np.array([[0.5], [0.0], [1e9]])) == (0.5, 0.26894, 1.0)
