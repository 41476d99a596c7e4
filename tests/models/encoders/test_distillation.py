import numpy as np

from models.encoders._distillation import SMOOTHING, reduced, weights
from models.encoders._network import Network


def test_principal_components_keep_distances_the_first_of_them_most():
    rng = np.random.default_rng(0)
    vectors = (rng.standard_normal((50, 2)) @ rng.standard_normal((2, 6)) + 3).astype(np.float32)
    two = reduced(vectors, 2)
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    assert np.allclose(np.linalg.norm(two[:, None] - two[None], axis=2), distances, atol=1e-4)
    assert two[:, 0].var() > two[:, 1].var() and np.allclose(two.mean(axis=0), 0, atol=1e-5)
    assert np.allclose(reduced(vectors, 1), two[:, :1], atol=1e-5) and reduced(vectors, 99).shape == (50, 6)


def test_rare_tokens_weigh_more_single_characters_and_words_each_in_their_order():
    values = weights(["[PAD]", "!", "##a", "the", "of", "##ing", "<s>", "<"])
    shares = np.array([0, 1 / 2, 1 / 3, 1 / 2, 1 / 3, 1 / 4, 0, 1 / 4])
    expected = SMOOTHING / (SMOOTHING + shares / shares.sum())
    assert np.allclose(values, [0, *expected[1:6], 0, expected[7]])
    assert values[3] < values[4] < values[5]


def test_each_token_is_encoded_by_itself_as_a_text_of_one_token_is(tiny_model):
    network = Network(tiny_model(), ("cpu",), "fp32")
    tokens, vectors = network.tokens(), network.vocabulary_vectors(32)
    assert tokens[:3] == ["[PAD]", "[UNK]", "[CLS]"] and len(vectors) == len(tokens)
    words = ["cat", "garden", "the"]
    expected = network.encode(words, "passage", None, 64)
    assert np.allclose(vectors[[tokens.index(word) for word in words]], expected, atol=1e-5)
