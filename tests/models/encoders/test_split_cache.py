"""The splits of texts at an encoder's limit are kept, and come back unchanged."""

import pytest

from models.encoders import Split, _cache
from models.encoders._split_cache import WINDOWS, kept_splits
from models.encoders.sentence_transformer import SentenceTransformer

SPLITS = {
    "short": Split(3, 0, ((0, 5),)),
    "long": Split(300, 46, ((0, 700), (600, 1200))),
    "full": Split(2000, 1746, tuple((n, n + 9) for n in range(WINDOWS))),
    "longer than a row": Split(9000, 8746, tuple((n, n + 9) for n in range(WINDOWS + 1))),
    "beyond float32": Split(3, 0, ((0, (1 << 24) + 1),)),
    "": Split(0, 0, ((0, 0),)),
}


@pytest.fixture
def computed():
    return []


def splits_of(texts, computed):
    """The splits that a new process gets; the texts for which it computes them are added to `computed`."""
    _cache._store.cache_clear()
    return kept_splits(
        {"model": "m"}, texts, lambda missing: computed.extend(missing) or [SPLITS[text] for text in missing]
    )


def test_splits_come_back_unchanged(computed):
    texts = [*SPLITS, "long"]
    expected = [SPLITS[text] for text in texts]
    assert splits_of(texts, computed) == expected
    computed.clear()
    assert splits_of(texts, computed) == expected
    assert computed == ["longer than a row", "beyond float32"], "there is no room for them"


def test_an_encoder_tokenizes_kept_passages_no_more(tiny_model, monkeypatch):
    encoder = SentenceTransformer(str(tiny_model()))
    texts = ["the cat sat on a mat", "the dog ran to the garden " * 40]
    first = encoder.split(texts, "passage")
    assert [len(split.windows) > 1 for split in first] == [False, True]
    _cache._store.cache_clear()
    monkeypatch.setattr(type(encoder._loaded()), "split", lambda *arguments: pytest.fail("tokenized again"))
    assert encoder.split(texts, "passage") == first


def test_other_prefixes_have_splits_of_their_own(tiny_model):
    folder = str(tiny_model())
    text = ["cat " * 62]
    assert len(SentenceTransformer(folder).split(text, "passage")[0].windows) == 1
    prefixed = SentenceTransformer(folder, passage_prefix="passage : the cat ")
    assert len(prefixed.split(text, "passage")[0].windows) == 2
