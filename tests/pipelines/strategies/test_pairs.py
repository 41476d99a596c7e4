"""Authors from pairs, with a given similarity for every pair."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from models import Compare
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Outcome, PairBounds, get, pairs


def job(texts: Sequence[str]) -> Job:
    chunks = [Chunk(text, 2 * i, 2 * i + 1) for i, text in enumerate(texts)]
    example = Example("e", Document("d", "\n".join(texts)))
    return Job(example, chunks, chunks, {}, 1, Template("{document}"), lambda query, k, before: [])


def assign_authors(
    similarity: Any, texts: Sequence[str], received: list[Compare] | None = None, **fields: Any
) -> Outcome:
    """Run the strategy; `similarity` gives the probability for two texts, the earlier one first."""
    generator = get("pairs", **fields)(job(texts))
    replies: Any = None
    try:
        while True:
            requests = generator.send(replies)
            if received is not None:
                received += requests  # type: ignore[arg-type]
            replies = [tuple(similarity(r.texts[i], r.texts[j]) for i, j in r.pairs) for r in requests]  # type: ignore
    except StopIteration as stop:
        assert isinstance(stop.value, Outcome)
        return stop.value


def same(first: str, second: str) -> float:
    return 0.9 if first.lower() == second.lower() else 0.1


def table(**values: float) -> Any:
    return lambda first, second: values.get(first + second, 0.1)


def test_literal_makes_a_new_author_at_every_change() -> None:
    outcome = assign_authors(same, "aabba")
    assert outcome == Outcome("1,1,2,2,3", {"changes": "0,1,0,1", "multi_author": "1"})


def test_return_gives_a_change_to_the_earlier_author_with_similar_paragraphs() -> None:
    assert assign_authors(same, "aabbacb", assign="return").prediction == "1,1,2,2,1,3,2"


def test_literal_gives_a_paragraph_similar_to_the_one_before_to_the_most_similar_author_of_all() -> None:
    similarity = table(ab=0.2, bc=0.6, ac=0.7)
    assert assign_authors(similarity, "abc").prediction == "1,2,1"
    assert assign_authors(similarity, "abc", assign="return").prediction == "1,2,2"


def test_of_equally_similar_paragraphs_the_nearest_counts() -> None:
    assert assign_authors(table(ab=0.2, bc=0.6, ac=0.6), "abc").prediction == "1,2,2"
    assert assign_authors(table(ad=0.6, bd=0.6), "abcd", assign="return").prediction == "1,2,3,2"


def test_beyond_max_authors_the_most_similar_earlier_author_is_taken() -> None:
    similarity = table(be=0.3, ce=0.2)
    for assign in ("literal", "return"):
        assert assign_authors(similarity, "abcde", assign=assign).prediction == "1,2,3,4,2"
        assert assign_authors(similarity, "abcde", assign=assign, max_authors=2).prediction == "1,2,2,2,2"
        assert assign_authors(similarity, "abcde", assign=assign, max_authors=1).prediction == "1,1,1,1,1"


def test_a_similarity_equal_to_the_threshold_is_similar() -> None:
    assert assign_authors(table(ab=0.5), "ab").notes["changes"] == "0"
    assert assign_authors(table(ab=0.49), "ab").notes["changes"] == "1"


def test_a_document_of_one_paragraph_or_of_one_author_needs_no_more_than_its_neighbours() -> None:
    received: list[Compare] = []
    assert assign_authors(same, "a", received) == Outcome("1", {"changes": "", "multi_author": "0"})
    assert received == []
    assert assign_authors(same, "aaaa", received) == Outcome("1,1,1,1", {"changes": "0,0,0", "multi_author": "0"})
    assert received == [Compare(("a",) * 4, ((0, 1), (1, 2), (2, 3)))]


def test_only_pairs_that_can_matter_are_compared() -> None:
    received: list[Compare] = []
    assign_authors(same, "aabbaa", received)
    assert received[1].pairs == ((1, 3), (0, 3), (3, 5), (2, 5), (1, 5), (0, 5))
    received.clear()
    assign_authors(same, "aabbaa", received, assign="return")
    assert received[1].pairs == ((0, 2), (2, 4), (1, 4), (0, 4))


def test_many_pairs_are_compared_in_several_rounds_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = "".join(itertools.islice(itertools.cycle("abAAcbB"), 60))
    for assign in ("literal", "return"):
        whole = assign_authors(same, texts, assign=assign)
        received: list[Compare] = []
        monkeypatch.setattr(pairs, "MAX_PAIRS_PER_ROUND", 50)
        assert assign_authors(same, texts, received, assign=assign) == whole
        assert max(len(request.pairs) for request in received[1:]) == 50
        monkeypatch.undo()


WORDS = ("the ship sailed at dawn", "the ships sail at dawn", "committees establish rules", "a committee set the rule")


def prose(count: int) -> list[str]:
    return [f"{WORDS[i * i % 4]} {i}." for i in range(count)]


def test_only_the_most_similar_earlier_paragraphs_are_compared() -> None:
    received: list[Compare] = []
    texts = ["It was raining in Rome.", "Quantities of salt.", "It was raining in Paris.", "Salted quantities.",
             "It was not raining in Rome."]  # fmt: skip
    unlike = table()
    assign_authors(unlike, texts, received, assign="return", candidates=1)
    assert received[1].pairs == ((0, 2), (1, 3), (0, 4))
    received.clear()
    assign_authors(unlike, texts, received, assign="return", candidates=2)
    assert received[1].pairs == ((0, 2), (1, 3), (0, 3), (2, 4), (0, 4))


def test_as_many_candidates_as_paragraphs_are_the_same_as_none() -> None:
    for assign in ("literal", "return"):
        requests: dict[int | None, list[Compare]] = {None: [], 40: []}
        outcomes = {
            limit: assign_authors(same, prose(40), requests[limit], assign=assign, candidates=limit)
            for limit in requests
        }
        assert outcomes[None] == outcomes[40]
        assert requests[None] == requests[40]


def test_of_equally_similar_paragraphs_the_nearest_are_the_candidates() -> None:
    received: list[Compare] = []
    assign_authors(table(), ["a b c d e"] * 6, received, assign="return", candidates=2)
    assert received[1].pairs == ((0, 2), (1, 3), (0, 3), (2, 4), (1, 4), (3, 5), (2, 5))
    received.clear()
    assign_authors(table(), list("abcdef"), received, assign="return", candidates=1)  # too short for any n-gram
    assert received[1].pairs == ((0, 2), (1, 3), (2, 4), (3, 5))


def test_the_candidates_are_the_same_however_many_paragraphs_are_searched_at_a_time(monkeypatch: Any) -> None:
    chunks = [Chunk(f"{'ab' * (i % 3)} tail {i}", 20 * i, 20 * i + 10) for i in range(7)]
    whole = list(pairs.most_similar(chunks, [2, 4, 5, 6], 2))
    assert [len(candidates) for candidates in whole] == [1, 2, 2, 2]
    monkeypatch.setattr(pairs, "ROWS", 2)
    assert list(pairs.most_similar(chunks, [2, 4, 5, 6], 2)) == whole


@pytest.mark.parametrize("fields", [{}, {"candidates": 3}, {"max_authors": 1}, {"candidates": 100}, {"max_authors": 2}])
def test_the_number_of_pairs_is_within_the_bounds_and_both_are_reached(
    fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "MAX_PAIRS_PER_ROUND", 50)
    change_first = lambda first, second: 0.1 if first == texts[0] else 0.9  # noqa: E731
    for count in (0, 1, 2, 3, 4, 12, 30):
        texts = prose(count)
        bounds = get("pairs", **fields).comparisons(count)
        reached = []
        for assign, similarity in itertools.product(("literal", "return"), (table(), lambda *_: 0.9, change_first)):
            received: list[Compare] = []
            assign_authors(similarity, texts, received, assign=assign, **fields)
            reached.append((len(received), sum(len(request.pairs) for request in received)))
        assert (min(reached)[0], max(reached)[0]) == bounds.requests
        assert (
            min(count_of_pairs for _, count_of_pairs in reached),
            max(count_of_pairs for _, count_of_pairs in reached),
        ) == bounds.pairs


def test_nine_hundred_paragraphs_take_up_to_four_hundred_thousand_pairs() -> None:
    assert get("pairs").comparisons(900) == PairBounds((1, 6), (899, 404_550))
    assert get("pairs:candidates=20").comparisons(900) == PairBounds((1, 2), (899, 18_669))


def test_fields_out_of_range_are_refused() -> None:
    invalid = ("max_authors=0", "candidates=0", "sideways")
    for spec in (f"pairs:{field}" for field in invalid):
        with pytest.raises(UserError):
            get(spec)
