"""Any sentence-transformers model, by folder or hub name; `minilm` is all-MiniLM-L6-v2 out of a pip package.

Reimers & Gurevych 2019, "Sentence-BERT". A model folder without `modules.json` is a plain transformer; its token
vectors are averaged, as the library does. Code that a model brings along is never run.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.optional import check
from models.encoders import Kind, Split, TokenVectors, Vectors, _cache
from models.encoders._kept_splits import kept_splits
from models.encoders._token_vectors import Tokens, token_vectors
from models.encoders._windows import windows
from models.hub import PACKAGED, Fetched, folder
from models.quiet import quiet

PROMPTS: Mapping[Kind, Sequence[str]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
PADDED = 32  # tokens: texts are padded to a multiple
LONG = 2048  # tokens encoded together where the model has no limit
REMEMBERED = 400_000_000  # bytes of token vectors that are kept
NO_LIMIT = 1_000_000  # tokenizers without a limit name an enormous one


@dataclass(frozen=True)
class SentenceTransformer:
    """An encoder for queries and passages; the model is loaded at the first text and shared by equal encoders.

    A prefix is put before each text; None is the model's own prompt for that kind of text, if it declares one. What a
    text has beyond the model's own limit (minilm: 256 word pieces) is not read: `split` says how much that is, and
    gives windows within the limit. `device` None is the GPU where torch sees one. With `cache`, vectors of passages are
    kept on disk (`models.encoders._cache`). On the CPU a vector depends on its text alone, not on those that are
    encoded or were kept with it: texts of similar length are padded to one length, which fixes the order of every sum.
    A GPU may choose other kernels for other batches; its vectors then differ by some 1e-7. `encode` and `split` may be
    called from any thread; they raise `UserError` where there is no such model or device.
    """

    model: str
    revision: str | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    device: str | None = None
    dtype: Literal["fp32", "bf16"] = "fp32"
    batch_size: int = 32
    cache: bool = True

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise UserError(f"batch_size must be at least 1, got {self.batch_size}")
        if self.dtype not in ("fp32", "bf16"):
            raise UserError(f'dtype must be "fp32" or "bf16", got {self.dtype!r}')
        extra = PACKAGED[self.model][1] if self.model in PACKAGED else "neural"
        check(("sentence_transformers", "torch"), extra, f"the encoder {self.model}")

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """float32 [texts, dimensions]; equal passages are encoded once."""
        if kind == "query" or not self.cache or not texts:
            return self._encode(texts, kind)
        # What is put before queries changes no passage. Another layout of the batches would change last digits.
        key = {**self.identity(), "query_prefix": None, "padded": PADDED}
        return _cache.cached_vectors(key, texts, lambda missing: self._encode(missing, kind))

    def max_tokens(self) -> int | None:
        """The most tokens that the model reads, special ones and prefix among them; None: no limit of its own."""
        return self._loaded().limit

    def split(self, texts: Sequence[str], kind: Kind) -> list[Split]:
        """Each text beside the limit, in word pieces. Raises `UserError` for a prefix that fills the limit alone."""

        def split(some: Sequence[str]) -> list[Split]:
            return self._loaded().split([_clean(text) for text in some], kind, self._prefix(kind))

        if kind == "query" or not self.cache or not texts:
            return split(texts)
        return kept_splits({**self.identity(), "query_prefix": None}, texts, split)

    def token_vectors(self, texts: Sequence[str], kind: Kind) -> TokenVectors:
        """A vector for each token, each query encoded by itself, passages together with those around them.

        A longer text is encoded in parts, so that nothing is left out. The vectors of the latest documents are kept in
        memory.
        """
        return self._loaded().token_vectors([_clean(text) for text in texts], kind, self._prefix(kind), self.batch_size)

    def identity(self) -> Mapping[str, Any]:
        """Model, revision, pooling, prefixes and dtype; for a local folder the revision is a digest of its files."""
        found = _find(self.model, self.revision)
        return {
            "model": self.model,
            "revision": found.revision or _digest(found.path),
            "pooling": _pooling(found.path),
            "query_prefix": self.query_prefix,
            "passage_prefix": self.passage_prefix,
            "dtype": self.dtype,
        }

    def _encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        clean = [_clean(text) for text in texts]
        return self._loaded().encode(clean or [""], kind, self._prefix(kind), self.batch_size)[: len(texts)]

    def _prefix(self, kind: Kind) -> str | None:
        return self.query_prefix if kind == "query" else self.passage_prefix

    def _loaded(self) -> "_Loaded":
        return _load(_find(self.model, self.revision).path, self.device, self.dtype)


def _clean(text: str) -> str:
    """Without lone surrogates, which tokenizers refuse; as long as before."""
    return text.encode("utf-8", "replace").decode()


class _Loaded:
    """A model in memory. One thread at a time: a tokenizer's padding is set for the batch that it works on."""

    def __init__(self, path: Path, device: str | None, dtype: str) -> None:
        import sentence_transformers
        import torch

        kind = {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]
        with quiet():
            self._model = sentence_transformers.SentenceTransformer(
                str(path), device=device, model_kwargs={"dtype": kind}, local_files_only=True, trust_remote_code=False
            )
        self._lock = Lock()
        self._recent: dict[bytes, TokenVectors] = {}
        limit = self._model.max_seq_length
        self.limit = int(limit) if limit is not None and limit < NO_LIMIT else None

    def encode(self, texts: list[str], kind: Kind, prefix: str | None, batch_size: int) -> Vectors:
        """Texts of one padded length together, so that no vector depends on the others."""
        prompt = self._own_prompt(kind) if prefix is None else prefix
        with self._lock:
            multiple = PADDED if self.limit is None else gcd(PADDED, self.limit)
            padded = self._padded(texts, prompt, multiple)
            parts = {length: np.flatnonzero(padded == length) for length in np.unique(padded).tolist()}
            found = [
                self._vectors([texts[i] for i in ids], kind, prompt, batch_size, multiple) for ids in parts.values()
            ]
        order = np.argsort(np.concatenate(list(parts.values())))
        return np.asarray(np.concatenate(found)[order], np.float32)

    def _vectors(self, texts: list[str], kind: Kind, prompt: str, batch_size: int, multiple: int) -> Vectors:
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        padding = {"text": {"pad_to_multiple_of": multiple}}
        return np.asarray(
            encode(texts, prompt=prompt, batch_size=batch_size, show_progress_bar=False, processing_kwargs=padding)
        )

    def _padded(self, texts: list[str], prompt: str, multiple: int) -> npt.NDArray[np.int64]:
        """How many tokens each text has in its batch."""
        pieces = self._model.tokenizer([prompt + text for text in texts], verbose=False)["input_ids"]
        sizes = np.array([len(ids) for ids in pieces], np.int64)
        return np.asarray(-(-np.minimum(sizes, self.limit or NO_LIMIT) // multiple) * multiple, np.int64)

    def token_vectors(self, texts: list[str], kind: Kind, prefix: str | None, batch_size: int) -> TokenVectors:
        """The vectors of each text's tokens; those of the latest texts are kept."""
        prompt = self._own_prompt(kind) if prefix is None else prefix
        key = hashlib.sha256(repr((texts, kind, prompt)).encode()).digest()
        with self._lock:
            if (known := self._recent.pop(key, None)) is None:
                known = self._token_vectors(texts, kind, prompt, batch_size)
            self._recent[key] = known
            while len(self._recent) > 1 and sum(one.vectors.nbytes for one in self._recent.values()) > REMEMBERED:
                del self._recent[next(iter(self._recent))]
        return known

    def _token_vectors(self, texts: list[str], kind: Kind, prompt: str, batch_size: int) -> TokenVectors:
        one_by_one = kind == "query"  # so that no query's vectors depend on the others

        def encode(windows: Sequence[str]) -> list[npt.NDArray[np.floating]]:
            found = self._model.encode(
                [prompt + text for text in windows],
                prompt="",
                batch_size=1 if one_by_one else batch_size,
                show_progress_bar=False,
                output_value="token_embeddings",
                convert_to_numpy=False,
            )
            return [vectors.float().cpu().numpy() for vectors in found]

        room = self._room(prompt) or LONG
        return token_vectors(texts, room, self._tokens, encode, self._special(prompt), together=not one_by_one)

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The number in the vocabulary of each token of each text, and where it stands."""
        found = self._tokenized(list(texts))
        return [list(zip(*pair, strict=True)) for pair in zip(found["input_ids"], found["offset_mapping"], strict=True)]

    def _special(self, prompt: str) -> tuple[int, int]:
        """How many tokens stand before and behind those of a text, the prompt's among them."""
        bare = len(self._model.tokenizer([prompt], add_special_tokens=False, verbose=False)["input_ids"][0])
        ids = self._model.tokenizer([prompt], return_special_tokens_mask=True, verbose=False)["special_tokens_mask"][0]
        before = next((at for at, special in enumerate(ids) if not special), 1 if ids else 0)
        return before + bare, len(ids) - before - bare

    def split(self, texts: list[str], kind: Kind, prefix: str | None) -> list[Split]:
        """Each text beside the limit."""
        prompt = self._own_prompt(kind) if prefix is None else prefix
        with self._lock:
            places = self._places(texts)
            room = self._room(prompt)
            return [self._split(*pair, prompt, room) for pair in zip(texts, places, strict=True)]

    def _split(self, text: str, places: Sequence[tuple[int, int]], prompt: str, room: int | None) -> Split:
        if room is None or len(places) <= room:
            return Split(len(places), 0, ((0, len(text)),))

        def fits(parts: Sequence[str]) -> bool:
            pieces = self._model.tokenizer([prompt + part for part in parts], verbose=False)["input_ids"]
            return max(map(len, pieces)) <= (self.limit or NO_LIMIT)

        return Split(len(places), len(places) - room, windows(text, places, room, fits))

    def _places(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Where each token of each text stands in it, special ones left out."""
        return list(self._tokenized(texts)["offset_mapping"])

    def _tokenized(self, texts: list[str]) -> Mapping[str, Any]:
        """The numbers of the tokens of each text, and where they stand in it, special ones left out."""
        if not texts:
            return {"input_ids": [], "offset_mapping": []}
        if not self._model.tokenizer.is_fast:
            raise UserError(
                f"{type(self._model.tokenizer).__name__} does not tell where its tokens stand in a text: the model "
                "folder needs a tokenizer.json"
            )
        given = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        found: Mapping[str, Any] = self._model.tokenizer(texts, **given)
        return found

    def _room(self, prompt: str) -> int | None:
        """The tokens that the limit leaves to a text."""
        if self.limit is None:
            return None
        taken = len(self._model.tokenizer([prompt], verbose=False)["input_ids"][0])
        if taken >= self.limit:
            raise UserError(f"the prefix {prompt!r} fills the encoder's {self.limit} tokens alone: give a shorter one")
        return self.limit - taken

    def _own_prompt(self, kind: Kind) -> str:
        """The library sets "document" to "" in every model and then overlooks a "passage": take what says something."""
        return next((text for name in PROMPTS[kind] if (text := self._model.prompts.get(name))), "")


_loading = Lock()


def _load(path: Path, device: str | None, dtype: str) -> _Loaded:
    import torch

    if device is not None and device.startswith("cuda") and not torch.cuda.is_available():
        raise UserError(f"device={device!r}, but torch sees no GPU here; use device=cpu or leave it out")
    try:
        with _loading:
            return _loaded(path, device, dtype)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be loaded as a sentence-transformers model: {error}") from error


@lru_cache(maxsize=8)  # an ablation asks several in turn, document by document
def _loaded(path: Path, device: str | None, dtype: str) -> _Loaded:
    return _Loaded(path, device, dtype)


def _find(model: str, revision: str | None) -> Fetched:
    local = model in PACKAGED or Path(model).is_dir()
    return folder(model, revision) if local else _fetched(model, revision)


@lru_cache(maxsize=16)
def _fetched(model: str, revision: str | None) -> Fetched:
    return folder(model, revision)  # the hub is asked once per process, not once per document


def _digest(path: Path) -> str:
    """What tells a local folder's state from another: its configuration by content, its weights by size and time."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.suffix in {".json", ".txt", ".model"}:
            digest.update(f"{file.relative_to(path)}\0".encode() + file.read_bytes())
        elif file.suffix in {".safetensors", ".bin"}:
            state = file.stat()
            digest.update(f"{file.relative_to(path)}\0{state.st_size}\0{state.st_mtime_ns}".encode())
    return digest.hexdigest()


def _pooling(path: Path) -> Mapping[str, Any]:
    """The settings of the model's pooling layer; empty for a plain transformer, whose token vectors are averaged."""
    configs = sorted(path.glob("*_Pooling/config.json"))
    try:
        return dict(plain_json.loads(configs[0].read_bytes())) if configs else {}
    except ValueError as error:
        raise UserError(f"{configs[0]} is not the JSON of a pooling layer: {error}") from None
