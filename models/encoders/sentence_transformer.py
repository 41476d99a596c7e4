"""Any sentence-transformers model, by folder or hub name; `minilm` is all-MiniLM-L6-v2 out of a pip package.

Reimers & Gurevych 2019, "Sentence-BERT". A model folder without `modules.json` is a plain transformer; its token
vectors are averaged, as the library does. Code that a model brings along is never run.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.files import is_folder
from longdoc.optional import check
from models.encoders import Kind, Split, TokenVectors, Vectors, _cache
from models.encoders._network import LAYOUT, Network
from models.encoders._split_cache import kept_splits
from models.hub import PACKAGED, Fetched, folder, sampled
from models.neural.shared import limits
from models.neural.shared.batching import BATCH_TOKENS

CPU_BATCH_TOKENS = 2_048  # padded tokens of a batch on a processor, where larger ones are no faster
LARGEST = float(np.finfo(np.float16).max)


@dataclass(frozen=True)
class SentenceTransformer:
    """An encoder for queries and passages; the model is loaded at the first text and shared by equal encoders.

    A prefix is put before each text; None is the model's own prompt for that kind of text, if it declares one. What a
    text has beyond the model's own limit (minilm: 256 word pieces) is not read: `split` says how much that is, and
    gives windows within the limit. With `cache`, vectors of passages are kept on disk (`models.encoders._cache`).

    - `device`: None is the GPU where torch sees one. "cuda:0,cuda:1", or a list of them, has the network on each.
    - `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `batch_tokens`: padded tokens of texts that are encoded together, on each device. None: 32,768 on a GPU, 2,048
      on a processor.

    Vectors are rounded to float16, which is what the cache keeps. On a processor a vector depends on its text alone,
    not on those that are encoded or were kept with it. A GPU may choose other kernels for other batches, so that last
    digits differ where nothing is kept. `encode` and `split` may be called from any thread; they raise `UserError`
    where there is no such model or device.
    """

    model: str
    revision: str | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    device: str | tuple[str, ...] | None = None
    dtype: Literal["auto", "bf16", "fp32"] = "auto"
    batch_tokens: int | None = None
    cache: bool = True

    def __post_init__(self) -> None:
        if self.batch_tokens is not None and self.batch_tokens < 1:
            raise UserError(f"batch_tokens must be at least 1, got {self.batch_tokens}")
        if self.dtype not in ("auto", "bf16", "fp32"):
            raise UserError(f'an encoder\'s dtype must be "auto", "bf16" or "fp32", got {self.dtype!r}')
        extra = PACKAGED[self.model][1] if self.model in PACKAGED else "neural"
        check(("sentence_transformers", "torch"), extra, f"the encoder {self.model}")

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """The vectors of texts, float32 [texts, dimensions]; equal passages are encoded once."""
        if kind == "query" or not self.cache or not texts:
            return self._encode(texts, kind)
        # What is put before queries changes no passage.
        key = {**self.identity(), "query_prefix": None, **LAYOUT}
        return _cache.cached_vectors(key, texts, lambda missing: self._encode(missing, kind), half=True)

    def max_tokens(self) -> int | None:
        """The longest input in tokens, special ones and prefix included; None: the model has no limit."""
        return self._loaded().limit

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """How much of each text is read, in word pieces. Raises `UserError` for a prefix that fills the limit alone."""

        def split(uncached: Sequence[str]) -> list[Split]:
            return self._loaded().split([_clean(text) for text in uncached], kind, self._prefix(kind))

        if kind == "query" or not self.cache or not texts:
            return split(texts)
        return kept_splits({**self._input_identity(), "query_prefix": None}, texts, split)

    def token_vectors(self, texts: Sequence[str], kind: Kind) -> TokenVectors:
        """A vector for each token, each query encoded by itself, passages together with those around them.

        A longer text is encoded in parts, so that nothing is left out. The vectors of the latest documents are kept in
        memory.
        """
        cleaned = [_clean(text) for text in texts]
        return self._loaded().token_vectors(cleaned, kind, self._prefix(kind), self._batch_tokens)

    def identity(self) -> Mapping[str, Any]:
        """Model, revision, pooling, prefixes and dtypes; for a local folder the revision is a digest of its files."""
        return {**self._input_identity(), "dtype": self._network_dtype, "vectors": "float16"}

    def resolve(self) -> Mapping[str, Any]:
        """The fields that a run records: the identity, the devices and the padded tokens of a batch."""
        return {**self.identity(), "device": ",".join(self._devices), "batch_tokens": self._batch_tokens}

    def _input_identity(self) -> dict[str, Any]:
        """The part of the identity that changes how a text is tokenized and pooled."""
        fetched = find(self.model, self.revision)
        return {
            "model": self.model,
            "revision": fetched.revision or _digest(fetched.path),
            "pooling": _pooling(fetched.path),
            "query_prefix": self.query_prefix,
            "passage_prefix": self.passage_prefix,
        }

    @cached_property
    def _devices(self) -> tuple[str, ...]:
        """The devices that hold the network."""
        if self.device is None and _is_apple():
            return ("mps",)
        return limits.devices(self.device if isinstance(self.device, str | None) else ",".join(self.device))

    @cached_property
    def _network_dtype(self) -> str:
        """The dtype of the network."""
        if self.dtype != "auto":
            return self.dtype
        return "bf16" if all(map(limits.computes_bf16, self._devices)) else "fp32"

    @property
    def _batch_tokens(self) -> int:
        return self.batch_tokens or (CPU_BATCH_TOKENS if self._devices[0] == "cpu" else BATCH_TOKENS)

    def _encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        cleaned = [_clean(text) for text in texts]
        vectors = self._loaded().encode(cleaned or [""], kind, self._prefix(kind), self._batch_tokens)[: len(texts)]
        if (np.abs(vectors[np.isfinite(vectors)]) > LARGEST).any():
            raise UserError(f"vectors of {self.model} have numbers over {LARGEST:,.0f}, too large for float16")
        return vectors.astype(np.float16).astype(np.float32)

    def _prefix(self, kind: Kind) -> str | None:
        return self.query_prefix if kind == "query" else self.passage_prefix

    def _loaded(self) -> Network:
        return load(find(self.model, self.revision).path, self._devices, self._network_dtype)


def _clean(text: str) -> str:
    """The text with lone surrogates replaced (tokenizers refuse them); its length stays the same."""
    return text.encode("utf-8", "replace").decode()


def find(model: str, revision: str | None) -> Fetched:
    """The folder of a model by its folder, hub id, or the name of a packaged one. Raises `UserError`."""
    local = model in PACKAGED or is_folder(model)
    return folder(model, revision) if local else _fetched(model, revision)


@lru_cache(maxsize=16)
def _fetched(model: str, revision: str | None) -> Fetched:
    return folder(model, revision)  # the hub is asked once per process, not once per document


def _digest(path: Path) -> str:
    """A digest of a local folder: its configuration files, and samples of its weights."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.suffix in {".json", ".txt", ".model"}:
            digest.update(f"{file.relative_to(path)}\0".encode() + file.read_bytes())
        elif file.suffix in {".safetensors", ".bin"}:
            digest.update(f"{file.relative_to(path)}\0".encode() + sampled(file))
    return digest.hexdigest()


_loading = Lock()


def load(path: Path, devices: tuple[str, ...], dtype: str) -> Network:
    """The network of a folder; recently loaded ones are shared. Raises `UserError` if it cannot be loaded."""
    try:
        with _loading:
            return _loaded(path, devices, dtype)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be loaded as a sentence-transformers model: {error}") from error


@lru_cache(maxsize=8)  # an ablation asks several in turn, document by document
def _loaded(path: Path, devices: tuple[str, ...], dtype: str) -> Network:
    return Network(path, devices, dtype)


def _is_apple() -> bool:
    """Whether torch sees an Apple GPU, and no other."""
    import torch

    return torch.backends.mps.is_available() and not torch.cuda.is_available()


def _pooling(path: Path) -> Mapping[str, Any]:
    """The settings of the model's pooling layer; empty for a plain transformer, whose token vectors are averaged."""
    configs = sorted(path.glob("*_Pooling/config.json"))
    try:
        return dict(plain_json.loads(configs[0].read_bytes())) if configs else {}
    except ValueError as error:
        raise UserError(f"{configs[0]} is not the JSON of a pooling layer: {error}") from None
