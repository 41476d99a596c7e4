"""A sentence-transformers model small enough to be made for a test."""

from collections.abc import Callable
from pathlib import Path

import pytest

WORDS = "the cat sat on a mat dog ran to garden where did sleep query passage : summer winter"


@pytest.fixture
def tiny_model(tmp_path: Path) -> Callable[..., Path]:
    """A function that makes a model folder of one BERT layer; without `pooling`, one without modules.json."""

    def make(name: str = "tiny", pooling: str | None = "mean", prompts: dict[str, str] | None = None) -> Path:
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers import BertConfig, BertModel, BertTokenizerFast

        folder = tmp_path / name
        folder.mkdir()
        vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(WORDS.split())]
        numbers = {token: number for number, token in enumerate(vocabulary)}
        BertTokenizerFast(vocab=numbers).save_pretrained(folder)
        torch.manual_seed(0)
        size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=64, **size)
        BertModel(config).save_pretrained(folder)
        if pooling is None:
            return folder
        modules = [Transformer(str(folder)), Pooling(16, pooling_mode=pooling)]
        SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder / "whole"))
        return folder / "whole"

    return make


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, so that none reads or fills that of the person who runs it."""
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "embeddings"
