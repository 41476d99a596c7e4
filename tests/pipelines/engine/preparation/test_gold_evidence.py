"""Where gold evidence is lost, before any model is asked."""

from typing import Any

import numpy as np
import pytest

from chunkers import Chunk, get
from pipelines.engine.preparation.gold_evidence import GoldEvidence, shown_length
from pipelines.records import Document, Example

TEXT = "# Mills\n\nOne two.\n\nSix.\n\n# Cows\n\nTen eleven.\n"
CHUNKS = get("units").split(TEXT)  # at 9–17, 19–23 and 33–44, under headings at 0–7 and 25–31


def counts(
    *evidence: tuple[int, int],
    order: tuple[int, ...] = (2, 0, 1),
    taken: int = 1,
    chunks: Any = CHUNKS,
    k: int | None = None,
    **meta: Any,
) -> dict[str, int]:
    document = Document("d", TEXT)
    selected = [chunks[i] for i in order[:taken]]
    example = Example("e", document, evidence=evidence, meta=meta)
    return GoldEvidence(document, chunks).counts(example, np.array(order, np.int64), taken, selected, k=k)


def test_characters_are_counted_without_white_space_each_once() -> None:
    assert counts((9, 17), (13, 23), taken=2) == {
        "characters": 11, "missing": 0, "in_chunks": 11, "ranked": 7, "selected": 7,
        "chunks": 2, "best_rank": 2, "worst_rank": 3, "taken": 2,
    }  # fmt: skip


def test_a_heading_counts_with_the_best_ranked_chunk_below_it() -> None:
    assert counts((0, 7), order=(2, 1, 0), taken=2) == {
        "characters": 6, "missing": 0, "in_chunks": 6, "ranked": 6, "selected": 6,
        "chunks": 1, "best_rank": 2, "worst_rank": 2, "taken": 2,
    }  # fmt: skip
    heading_counts = counts((25, 31), taken=1)
    assert (heading_counts["in_chunks"], heading_counts["selected"], heading_counts["best_rank"]) == (5, 5, 1)


def test_evidence_in_no_chunk_is_lost_at_once() -> None:
    chunks = [Chunk("One", 9, 12)]
    assert counts((13, 23), order=(0,), chunks=chunks) == {
        "characters": 8, "missing": 0, "in_chunks": 0, "ranked": 0, "selected": 0,
        "chunks": 0, "best_rank": 0, "worst_rank": 0, "taken": 1,
    }  # fmt: skip


def test_a_chunk_cut_at_the_budget_is_ranked_high_enough_and_selected_in_part() -> None:
    document = Document("d", TEXT)
    example = Example("e", document, evidence=((33, 44),))
    cut_counts = GoldEvidence(document, CHUNKS).counts(example, np.array([2, 0, 1]), 1, [Chunk("Ten", 33, 36)])
    assert (cut_counts["ranked"], cut_counts["selected"]) == (10, 3)


@pytest.mark.parametrize(
    ("k", "evidence", "characters"),
    [
        (1, ((9, 17), (19, 23), (33, 44)), 10),  # "Ten eleven.", the chunk with the most
        (2, ((9, 17), (19, 23), (33, 44)), 17),
        (3, ((9, 17), (19, 23), (33, 44)), 21),
        (9, ((9, 17), (19, 23), (33, 44)), 21),
        (1, ((0, 7), (9, 17)), 13),  # its heading comes with it
        (1, ((0, 7), (9, 23)), 13),
        (2, ((0, 7), (9, 23)), 17),
        (1, ((7, 9),), 0),  # white space
    ],
)
def test_a_budget_of_k_chunks_holds_what_the_best_k_hold(k: int, evidence: Any, characters: int) -> None:
    assert counts(*evidence, taken=0, k=k)["budget"] == characters


def test_overlapping_chunks_hold_what_they_share_once() -> None:
    chunks = [Chunk(TEXT[start:end], start, end) for start, end in ((9, 17), (9, 23), (13, 23))]
    assert [counts((9, 23), chunks=chunks, taken=0, k=k)["budget"] for k in (1, 2)] == [11, 11]


def test_without_evidence_only_what_is_missing_in_the_document_is_counted() -> None:
    assert counts() == {}
    assert counts(evidence_missing=2) == {"missing": 2}


def test_evidence_of_white_space_alone_or_without_chunks_is_no_error() -> None:
    assert counts((7, 9))["characters"] == 0
    assert counts((9, 17), order=(), taken=0, chunks=[])["in_chunks"] == 0


def test_shown_evidence_is_counted_the_same_way() -> None:
    assert shown_length(TEXT, [(9, 17), (13, 23)], [(0, 7), (12, 20)]) == 5
    assert shown_length(TEXT, [(9, 17)], []) == 0
