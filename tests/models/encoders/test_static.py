import json

import numpy as np
import pytest
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers import models as kinds

from longdoc.errors import UserError
from models import encoders
from models.encoders import _static_table, static
from models.encoders.static import Static

VOCABULARY = {"[UNK]": 0, "cat": 1, "mat": 2, "dog": 3}
VECTORS = np.array([[9, 9], [1, 0], [0, 1], [-1, 0]], np.float32)


@pytest.fixture(autouse=True)
def no_table_in_memory():
    static._loaded.cache_clear()


@pytest.fixture
def table(tmp_path):
    """Writes a folder as model2vec does: its tensors, and settings beside the kind."""

    def write(tensors=None, **settings):
        from safetensors.numpy import save_file

        tokenizer = Tokenizer(kinds.WordLevel(VOCABULARY, "[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.enable_truncation(2)
        tokenizer.enable_padding(length=2)
        folder = tmp_path / "table"
        folder.mkdir(exist_ok=True)
        tokenizer.save(str(folder / "tokenizer.json"))
        save_file(tensors or {"embeddings": VECTORS}, folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", **settings}))
        return str(folder)

    return write


def test_a_text_is_the_mean_of_its_known_tokens_all_of_them(table):
    encoder = Static(table())
    texts = ["cat", "cat mat", "cat bird mat", "cat cat cat mat", "cat dog"]
    expected = [[1, 0], [0.5, 0.5], [0.5, 0.5], [0.75, 0.25], [0, 0]]
    assert encoder.encode(texts, "passage").tolist() == expected
    assert np.array_equal(encoder.encode(texts, "query"), encoder.encode(texts, "passage"))


def test_vectors_are_of_length_1_where_the_folder_says_so(table):
    vectors = Static(table(normalize=True)).encode(["cat mat", "bird", ""], "query")
    assert np.allclose(vectors, [[0.5**0.5, 0.5**0.5], [0, 0], [0, 0]])


def test_rows_of_tokens_and_their_weights_are_read(table):
    tensors = {
        "embeddings": VECTORS[1:3],
        "mapping": np.array([0, 1, 0, 1], np.int64),
        "weights": np.array([1, 2, 3, 4], np.float64),
    }
    assert Static(table(tensors)).encode(["cat", "mat", "dog"], "query").tolist() == [[0, 2], [3, 0], [0, 4]]


def test_no_texts_give_no_rows(table):
    assert Static(table()).encode([], "passage").shape == (0, 2)


def test_a_vector_depends_on_its_text_alone(table, monkeypatch):
    texts = ["cat", "mat \ud800 dog", "", "cat mat dog mat"] * 5
    encoder = Static(table())
    alone = np.concatenate([encoder.encode([text], "passage") for text in texts])
    monkeypatch.setattr(static, "BATCH_TEXTS", 3)
    assert np.array_equal(encoder.encode(texts, "passage"), alone)


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ({"embeddings": VECTORS[:3]}, "vocabulary of 4"),
        ({"embeddings": np.full((4, 2), np.nan, np.float32)}, "not finite"),
        ({"embeddings": VECTORS[:, 0].copy()}, "shape"),
        ({"vectors": VECTORS}, "embeddings"),
        ({"embeddings": VECTORS, "mapping": np.array([0, 1, 2, 7])}, "out of bounds"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(table, tensors, reason):
    with pytest.raises(UserError, match=f"static encoder in model2vec's form: .*{reason}"):
        Static(table(tensors)).encode(["cat"], "query")


def test_damaged_files_are_refused(table, tmp_path):
    folder = table()
    (tmp_path / "table" / "tokenizer.json").write_text("{}")
    with pytest.raises(UserError, match=r"tokenizer\.json is no tokenizer"):
        Static(folder).encode(["cat"], "query")
    (tmp_path / "table" / "model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match="model2vec's form"):
        Static(folder).encode(["cat"], "query")


def test_a_table_is_distilled_from_an_encoder_once(tiny_model, own_cache, monkeypatch, capsys):
    folder = tiny_model()
    encoder = Static(str(folder), dimensions=8)
    first = encoder.encode(["the cat sat", "a dog ran", ""], "passage")
    assert first.shape == (3, 8) and np.allclose(np.linalg.norm(first, axis=1), [1, 1, 0])
    (kept_folder,) = (own_cache.parent / "static").iterdir()
    assert _static_table.is_table(kept_folder)
    assert np.array_equal(Static(str(kept_folder)).encode(["the cat sat"], "query"), first[:1])
    static._loaded.cache_clear()
    capsys.readouterr()
    monkeypatch.setattr(static._distillation, "distil", lambda *given: pytest.fail("distilled again"))
    assert np.array_equal(encoder.encode(["the cat sat", "a dog ran", ""], "passage"), first)
    assert not capsys.readouterr().err


def test_a_damaged_table_in_the_cache_is_named_and_distilled_again(tiny_model, own_cache, capsys):
    encoder = Static(str(tiny_model()), dimensions=8)
    first = encoder.encode(["the cat sat"], "passage")
    (file,) = (own_cache.parent / "static").glob("*/model.safetensors")
    file.write_bytes(b"damaged")
    static._loaded.cache_clear()
    assert np.array_equal(encoder.encode(["the cat sat"], "passage"), first)
    assert "it is distilled again" in capsys.readouterr().err
    assert _static_table.read(file.parent).vectors.shape[1] == 8


def test_what_decides_a_vector_is_in_the_identity(tiny_model, table):
    folder = str(tiny_model())
    small, large = Static(folder, dimensions=8).identity(), Static(folder, dimensions=9).identity()
    assert small["revision"] == large["revision"] and small["distilled"]["dimensions"] == 8 and small != large
    assert Static(table()).identity()["distilled"] is None


def test_it_has_the_form_of_the_encoders_of_sentence_transformers(tiny_model, own_cache):
    encoder = encoders.get(f"static:{tiny_model()}")
    vectors = encoder.encode(["cat", "the cat sat on a mat"], "passage")
    assert isinstance(encoder, encoders.Encoder) and vectors.dtype == np.float32 and vectors.shape == (2, 16)


def test_bad_values_and_missing_models_are_refused(tmp_path):
    with pytest.raises(UserError, match="dimensions must be at least 1, got 0"):
        Static(dimensions=0)
    with pytest.raises(UserError, match="cannot be loaded as a sentence-transformers model"):
        Static(str(tmp_path)).encode(["cat"], "query")
