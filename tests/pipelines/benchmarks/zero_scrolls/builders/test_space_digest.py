"""SpaceDigest from reviews: which are positive, which hotels and reviews are taken, what reviews must have."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.benchmarks.zero_scrolls.metrics.exponential_similarity import percentage
from pipelines.plugins.builders.builder import Built
from tests.pipelines.plugins.builders import small_sources


def build(source: Path, out: Path, *, seed: int = 0, **fields: Any) -> Built:
    return pipelines.build("space_digest", source, out=out, seed=seed, **fields)


def rows(built: Built, split: str = "test") -> list[dict[str, Any]]:
    return small_sources.unzipped(built.folder / "space_digest.zip").get(f"space_digest/{split}.jsonl", [])


def reviews_of(hotel: str, *ratings: Any) -> list[dict[str, Any]]:
    return [{"hotel": hotel, "rating": rating, "text": f"{hotel} {n}."} for n, rating in enumerate(ratings)]


def inner_documents(row: dict[str, Any]) -> list[str]:
    starts = [*row["inner_docs_start_indices"], row["document_end_index"]]
    return [row["input"][start:end].strip() for start, end in pairwise(starts)]


def test_reviews_are_numbered_inner_documents_and_the_output_is_the_share_of_fours_and_fives(tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "r.jsonl", reviews_of("H", 5, 4, 3, 2, 3.5, 1.0, "4"))
    built = build(source, tmp_path / "set", reviews=5)
    (row,) = rows(built)
    assert (row["id"], row["output"]) == ("H", "60%")
    assert [one.split(":\n")[0] for one in inner_documents(row)] == [f"Review {n}" for n in range(1, 6)]
    assert {one.split(":\n")[1] for one in inner_documents(row)} == {"H 0.", "H 1.", "H 3.", "H 5.", "H 6."}
    assert built.manifest["notes"] == {
        "reviews": 7,
        "reviews left out, because they are neither positive nor negative": 2,
    }


def test_the_most_rated_hotels_are_test_and_the_next_are_validation(tmp_path: Path) -> None:
    source_rows = [
        *reviews_of("A", 5, 5, 1),
        *reviews_of("B", 5, 5, 3, 3),
        *reviews_of("C", 5, 1, 1, 1, 1),
        *reviews_of("D", 5, 1),
        *reviews_of("E", 3, 3, 3, 3, 5),
    ]
    built = build(
        small_sources.jsonl(tmp_path / "r.jsonl", source_rows), tmp_path / "set", reviews=2, test=2, validation=1
    )
    assert [row["id"] for row in rows(built)] == ["C", "B"]
    assert [row["id"] for row in rows(built, "validation")] == ["A"]
    assert (built.manifest["read"], built.manifest["kept"]) == (5, 3)
    assert built.manifest["dropped"] == {
        "hotels that others are more rated than": 1,
        "hotels with fewer than 2 reviews rated 1, 2, 4 or 5": 1,
    }


def test_which_reviews_are_drawn_depends_on_seed_hotel_and_text_not_on_the_order_of_rows(tmp_path: Path) -> None:
    source_rows = reviews_of("H", *[1, 5] * 20)
    one = build(small_sources.jsonl(tmp_path / "a.jsonl", source_rows), tmp_path / "a", reviews=10)
    reversed_order = build(small_sources.jsonl(tmp_path / "b.jsonl", source_rows[::-1]), tmp_path / "b", reviews=10)
    other = build(tmp_path / "a.jsonl", tmp_path / "c", seed=1, reviews=10)
    assert rows(one) == rows(reversed_order) != rows(other)
    assert len(set(inner_documents(rows(one)[0]))) == 10


def test_a_rating_that_stands_in_the_text_as_a_field_is_removed(tmp_path: Path) -> None:
    texts = ["Overall rating: 4/5. Nice beds.", "A 5 star hotel, rated highly.", "Stars: 2\nLoud."]
    source_rows = [{"hotel": "H", "rating": 4, "text": text} for text in texts]
    built = build(small_sources.jsonl(tmp_path / "r.jsonl", source_rows), tmp_path / "set", reviews=3)
    assert sorted(one.split(":\n")[1] for one in inner_documents(rows(built)[0])) == [
        "A 5 star hotel, rated highly.", "Loud.", "Nice beds.",
    ]  # fmt: skip
    assert built.manifest["notes"]["ratings taken out of the reviews' text"] == 2


def test_hotels_with_their_reviews_and_csv_are_read_alike(tmp_path: Path) -> None:
    nested = [{"entity_id": 7, "reviews": [{"rating": n, "sentences": [f"Bed {n}.", "Ok."]} for n in (1, 5)]}]
    lines = "hotel_name,stars,review\n7,1,Bed 1. Ok.\n7,5,Bed 5. Ok.\n"
    (tmp_path / "r.csv").write_text(lines)
    first = build(small_sources.jsonl(tmp_path / "r.jsonl", nested), tmp_path / "a", reviews=2)
    second = build(tmp_path / "r.csv", tmp_path / "b", reviews=2)
    assert rows(first) == rows(second)
    assert rows(first)[0]["output"] == "50%"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"hotel": "H", "text": "x"}, "r.jsonl:2: the review has no rating .*; found hotel, text. space_digest needs"),
        ({"hotel": "H", "text": "x", "rating": None}, "r.jsonl:2: the review has no rating"),
        ({"text": "x", "rating": 4}, "the review has no hotel"),
        ({"hotel": "H", "rating": 4}, "the review has no text"),
        ({"hotel": "H", "text": "x", "rating": 9}, "r.jsonl:2: the rating must be a number from 1 to 5, got 9"),
        ({"hotel": "H", "text": "x", "rating": "good"}, "the rating must be a number from 1 to 5, got 'good'"),
        ({"hotel": "H", "reviews": ["x"]}, "r.jsonl:2, review 1: expected an object with text and rating"),
    ],
)
def test_reviews_that_lack_something_are_refused_by_their_place(bad: Any, message: str, tmp_path: Path) -> None:
    source = small_sources.jsonl(tmp_path / "r.jsonl", [*reviews_of("H", 4), bad])
    with pytest.raises(UserError, match=message):
        build(source, tmp_path / "set", reviews=1)
    assert not (tmp_path / "set").exists()


def test_too_few_reviews_are_refused_with_their_number_and_empty_ones_do_not_count(tmp_path: Path) -> None:
    source_rows = [*reviews_of("H", 4, 5, 1), {"hotel": "H", "rating": 4, "text": " "}]
    source = small_sources.jsonl(tmp_path / "r.jsonl", source_rows)
    with pytest.raises(UserError, match="no row is left of 1: hotels with fewer than 4 reviews rated 1, 2, 4 or 5: 1"):
        build(source, tmp_path / "set", reviews=4)
    notes = build(source, tmp_path / "set", reviews=3).manifest["notes"]
    assert notes["reviews left out, because they are empty"] == 1


def test_the_real_hotels_have_the_share_of_their_clear_ratings(realdata: Path, tmp_path: Path) -> None:
    source = realdata / "space_digest" / "reviews.jsonl"
    built = pipelines.build("zero_scrolls", source, out=tmp_path / "set", task="space_digest")
    is_positive: dict[str, dict[str, bool]] = {}
    for one in small_sources.read(source):
        if one["rating"] != 3:
            is_positive.setdefault(one["hotel"], {})[one["text"].strip()] = one["rating"] > 3
    task = tasks.get("zero_scrolls/space_digest")
    examples = list(sources.load(task.name, task.dataset, built.folder, "test").examples())
    review_counts = Counter(one["hotel"] for one in small_sources.read(source))
    assert [one.id for one in examples] == [hotel for hotel, _ in review_counts.most_common()]
    for one in examples:
        starts = [*one.meta["inner"], len(one.document.text)]
        texts = [one.document.text[a:b].split(":\n", 1)[1].strip() for a, b in pairwise(starts)]
        positive = [is_positive[one.id][text] for text in texts]
        assert (len(positive), percentage(one.references[0])) == (50, 2.0 * sum(positive))
