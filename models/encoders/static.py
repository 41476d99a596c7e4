"""Static embeddings: a text's vector is the mean of its tokens' vectors, which no network computes.

Tulkens & van Dongen 2024, "Model2Vec". The table is distilled here from an encoder (`models.encoders._distillation`),
or read from a folder that model2vec wrote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from longdoc.errors import UserError
from longdoc.optional import check
from models import hub
from models.encoders import Kind, Vectors, _distillation, _model_folders, _static_table
from models.encoders._static_table import Table

BATCH_TEXTS = 1_024  # texts whose tokens are in memory


@dataclass(frozen=True)
class Static:
    """A table of token vectors, which are averaged: hundreds of times as fast as a network, and blind to context.

    `model` is a folder or hub id in model2vec's form, or an encoder of sentence-transformers (`minilm`, a folder, a hub
    id), from which a table of `dimensions` columns is distilled at the first text: its network reads each token of its
    vocabulary by itself, which takes a minute or so on a processor. The table is kept in the cache (`static` in the
    folder that LONGDOC_CACHE names), in model2vec's form.

    All of a text is read; one without any known token has zeros for a vector. Others are of length 1, unless a folder
    of model2vec says otherwise. Raises `UserError` where there is no such model, or its files are damaged.
    """

    model: str = "minilm"
    dimensions: int = 256
    revision: str | None = None

    def __post_init__(self) -> None:
        if self.dimensions < 1:
            raise UserError(f"static: dimensions must be at least 1, got {self.dimensions}")
        extra = hub.PACKAGED[self.model][1] if self.model in hub.PACKAGED else "neural"
        check(("tokenizers", "safetensors", "sentence_transformers"), extra, f"the static encoder of {self.model}")

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """float32 [texts, dimensions]; queries and passages are read alike."""
        table = self._table()
        parts = [_means(table, texts[start : start + BATCH_TEXTS]) for start in range(0, len(texts), BATCH_TEXTS)]
        return np.concatenate([np.zeros((0, table.vectors.shape[1]), np.float32), *parts])

    def identity(self) -> Mapping[str, Any]:
        """The model, its revision, and what is distilled from it."""
        fetched = _model_folders.find(self.model, self.revision)
        distilled = None if _static_table.is_table(fetched.path) else _distillation.settings(self.dimensions)
        return {"static": self.model, "revision": _model_folders.revision(fetched), "distilled": distilled}

    def _table(self) -> Table:
        with _loading:
            return _loaded(self.model, self.revision, self.dimensions)


_loading = Lock()


@lru_cache(maxsize=4)
def _loaded(model: str, revision: str | None, dimensions: int) -> Table:
    fetched = _model_folders.find(model, revision)
    if _static_table.is_table(fetched.path):
        return _static_table.read(fetched.path)
    return _distillation.cached_table(fetched.path, _model_folders.revision(fetched), dimensions)


def _means(table: Table, texts: Sequence[str]) -> Vectors:
    """The means of the vectors of the tokens of each text."""
    from scipy import sparse

    clean = [text.encode("utf-8", "replace").decode() for text in texts]  # tokenizers refuse lone surrogates
    encodings = table.tokenizer.encode_batch_fast(clean, add_special_tokens=False)
    rows = [np.array(encoding.ids, np.int64) for encoding in encodings]
    rows = [ids[ids != table.unknown] for ids in rows]
    sizes = np.array([len(ids) for ids in rows], np.int64)
    shares = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(np.float32)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    shape = (len(rows), len(table.vectors))
    means = sparse.csr_array((shares, np.concatenate(rows), starts), shape=shape) @ table.vectors
    if table.normalize:
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return np.asarray(means, np.float32)
