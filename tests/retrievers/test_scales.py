import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers._contract import joined
from retrievers.blend import standardized


def standardized_scores(spec, chunks, query):
    return standardized(retrievers.get(spec).index(chunks).scores([query]))[0]


@pytest.fixture
def family():
    """Five chunks; the first two have a parent in common, the last two none at all."""
    texts, parents = ["fox", "hen owl", "bee", "owl", "hen"], [(0, 11), (0, 11), (12, 15), None, None]
    starts = [0, 4, 12, 16, 20]
    return [Chunk(t, s, s + len(t), None, p) for t, s, p in zip(texts, starts, parents, strict=True)]


def test_a_window_is_the_chunk_and_two_neighbours_on_either_side(chunks):
    index = retrievers.get("scales:bm25,scales=[window]").index(chunks("fox", "owl", "hen", "bee", "fly", "ant"))
    windows = chunks(
        "fox owl hen", "fox owl hen bee", "fox owl hen bee fly", "owl hen bee fly ant", "hen bee fly ant", "bee fly ant"
    )
    assert np.allclose(index.scores(["hen"])[0], standardized_scores("bm25", windows, "hen"), atol=1e-6)


def test_a_parent_is_all_its_chunks_and_a_chunk_without_one_is_its_own(family):
    index = retrievers.get("scales:bm25,scales=[parent]").index(family)
    alone = retrievers.get("bm25").index([joined(family[:2]), *family[2:]]).scores(["fox hen"])
    expected = standardized(alone[:, [0, 0, 1, 2, 3]])
    assert np.allclose(index.scores(["fox hen"]), expected, atol=1e-6)


def test_scores_of_the_scales_are_standardized_and_added(family):
    names = ("chunk", "window", "parent")
    by_scale = [retrievers.get("scales", scales=(name,)).index(family).scores(["hen", ""]) for name in names]
    together = retrievers.get("scales", scales=names).index(family).scores(["hen", ""])
    assert np.allclose(together, sum(by_scale), atol=1e-6) and together[1].tolist() == [0] * 5
    assert np.allclose(by_scale[0][0], standardized_scores("bm25", family, "hen"), atol=1e-6)


def test_a_chunk_whose_surroundings_match_too_comes_first(chunks):
    texts = chunks("hen", "fox", "bee", "owl", "hen", "owl fox", "hen")
    assert retrievers.get("bm25").index(texts).search(["hen fly"], 1)[1].tolist() == [[0]]
    assert retrievers.get("scales").index(texts).search(["hen fly"], 1)[1].tolist() == [[6]]


@pytest.mark.parametrize("member", ["bm25:stop_words=english,stem=english", "bm25:b=0", "bm25:stop_words=[hens]"])
def test_bm25_scores_groups_as_if_their_texts_were_joined(chunks, member):
    texts = chunks("The hens", "a fox ran", "", "hens and owls", "of the", "owl")
    groups = [range(0, 2), [5], [1, 3, 5], range(2, 3)]
    retriever = retrievers.get(member)
    joint = retriever.index([joined([texts[at] for at in group]) for group in groups])
    queries = ["hen owl", "the of", "", "running foxes"]
    assert np.allclose(retriever.index_groups(texts, groups).scores(queries), joint.scores(queries), atol=1e-6)
    assert np.allclose(retriever.index_groups(texts, groups).centroid_scores(), joint.centroid_scores(), atol=1e-5)


def test_an_encoder_encodes_each_chunk_and_no_joined_text(chunks, encoder):
    retrievers.get("scales", retriever=retrievers.get("dense", model=encoder)).index(chunks("a", "b", "c"))
    assert {text for _, text in encoder.encoded} == {"a", "b", "c"}


def test_joined_chunks_span_from_first_to_last_and_have_the_middle_one_s_label():
    parts = [Chunk("b", 2, 3, "B"), Chunk("c", 4, 5, "C", (0, 9), (6, 8)), Chunk("a", 0, 1, "A")]
    assert joined(parts) == Chunk("b\nc\na", 0, 5, "C", (0, 9), (6, 8))


def test_the_centroid_scores_of_the_scales_are_added(chunks):
    texts = chunks("hen hen", "fox", "hen owl")
    groups = [range(3)] * 3
    indices = [retrievers.get("bm25").index(texts), retrievers.get("bm25").index_groups(texts, groups)]
    expected = sum(standardized(index.centroid_scores()[None])[0] for index in indices)
    scores = retrievers.get("scales:bm25").index(texts).centroid_scores()
    assert np.allclose(scores, expected, atol=1e-6)


def test_twenty_thousand_chunks_of_one_parent_are_ranked():
    chunks = [Chunk("hen" if number == 9_000 else "fox", 4 * number, 4 * number + 3, None, (0, 80_000))
            for number in range(20_000)]  # fmt: skip
    index = retrievers.get("scales:bm25,scales=[chunk,window,parent]").index(chunks)
    assert index.search(["hen"], 1)[1].tolist() == [[9_000]]


def test_it_is_described_in_full_and_has_the_properties_of_its_member():
    scales = retrievers.get("scales:{bm25:b=0},scales=[chunk,parent]")
    assert describe(scales)["retriever"]["b"] == 0 and retrievers.get(describe(scales)) == scales
    assert scales.ranks_by_centroid and retrievers.get("scales:first").query_source == "nothing"


@pytest.mark.parametrize("fields, message", [
    ({"scales": ()}, "scales: scales must be one or more of chunk, window and parent"),
    ({"scales": ("chunk", "chunk")}, "scales: scales must be one or more of chunk, window and parent"),
    ({"scales": ("chunk", "section")}, r"scales must be a list of 'chunk', 'window', 'parent', got"),
    ({"scales": ("book",)}, "scales must be"),
])  # fmt: skip
def test_wrong_scales_are_refused(fields, message):
    with pytest.raises(UserError, match=message):
        retrievers.get("scales", **fields)
