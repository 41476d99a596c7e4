"""An encoder's network in memory, once on each device, and how texts are put together into batches for it.

Texts are sorted by their length in tokens, and a batch takes as many as a budget of padded tokens allows. On processors
a batch has texts of one padded length only: the order of every sum in a vector then follows from its text alone. Each
device has its network, and a thread that works off batches (torch's kernels release Python's lock). The pool of
sentence-transformers starts a process for each device instead, and needs scripts that are written for it
(`if __name__ == "__main__"`).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from math import gcd
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from models.encoders import Kind, Split, TokenVectors, Vectors, _onednn
from models.encoders._token_vectors import Tokens, token_vectors
from models.encoders._windows import windows
from models.neural.shared.batching import batches, halved, spread
from models.quiet import quiet

PROMPTS: Mapping[Kind, Sequence[str]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
PADDED = 8  # tokens: texts are padded to a multiple
LAYOUT = {"padded": PADDED, "linear": "onednn"}  # what decides the last digits of a vector
LONG = 2048  # tokens encoded together where the model has no limit
CACHE_SIZE = 400_000_000  # bytes of token vectors that are kept
NO_LIMIT = 1_000_000  # tokenizers without a limit name an enormous one

Result = TypeVar("Result")


class Network:
    """A model on its devices. One call at a time: a tokenizer's padding is set for the batch that it works on."""

    def __init__(self, path: Path, devices: tuple[str, ...], dtype: str) -> None:
        import sentence_transformers
        import torch

        kind = {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]
        with quiet():
            self._models = [
                sentence_transformers.SentenceTransformer(
                    str(path),
                    device=device,
                    model_kwargs={"dtype": kind},
                    local_files_only=True,
                    trust_remote_code=False,
                )
                for device in devices
            ]
        for model, device in zip(self._models, devices, strict=True):
            if device == "cpu" and _onednn.is_available():
                _onednn.convert(model)
        self._model = self._models[0]
        self._by_length = all(device == "cpu" for device in devices)
        self._lock = Lock()
        self._recent: dict[bytes, TokenVectors] = {}
        limit = self._model.max_seq_length
        self.limit = int(limit) if limit is not None and limit < NO_LIMIT else None

    def encode(self, texts: list[str], kind: Kind, prefix: str | None, batch_tokens: int) -> Vectors:
        """float32 [texts, dimensions], in the order of the texts."""
        prompt = self._own_prompt(kind) if prefix is None else prefix

        def work(model: Any, some_names: list[str]) -> Sequence[npt.NDArray[np.float32]]:
            encode = model.encode_query if kind == "query" else model.encode_document
            return list(np.asarray(encode(some_names, prompt=prompt, **self._given(some_names)), np.float32))

        with self._lock:
            return np.stack(self._batched(texts, prompt, batch_tokens, work))

    def _batched(
        self,
        texts: Sequence[str],
        prompt: str,
        budget: int,
        work: Callable[[Any, list[str]], Sequence[Result]],
        row_by_row: bool = False,
    ) -> list[Result]:
        """What `work` gives for each text, in their order; it is called with batches, by a thread for each device."""
        lengths = self._padded(texts, prompt)
        rows: list[int] = np.arange(len(texts)).tolist()
        groups = (
            [np.flatnonzero(lengths == value).tolist() for value in np.unique(lengths)] if self._by_length else [rows]
        )
        packed = [batch for group in groups for batch in batches(group, lengths.__getitem__, budget, row_by_row)]

        def failed(row: int, _: str) -> Result:
            raise UserError(f"out of memory on a text of {lengths[row]} tokens alone: take device=cpu, smaller chunks")

        def of_rows(model: Any, some_numbers: list[int]) -> list[Result]:
            return halved(some_numbers, lambda part: work(model, [texts[row] for row in part]), failed)

        done = spread(self._models, of_rows, packed)
        values = {
            row: value
            for some_numbers, results in zip(packed, done, strict=True)
            for row, value in zip(some_numbers, results, strict=True)
        }
        return [values[row] for row in rows]

    def _given(self, texts: Sequence[str]) -> dict[str, Any]:
        padding = {"text": {"pad_to_multiple_of": self._multiple()}}
        return {"batch_size": len(texts), "show_progress_bar": False, "processing_kwargs": padding}

    def _multiple(self) -> int:
        return PADDED if self.limit is None else gcd(PADDED, self.limit)

    def _padded(self, texts: Sequence[str], prompt: str) -> npt.NDArray[np.int64]:
        """How many tokens each text has where only its own are padded."""
        pieces = self._model.tokenizer([prompt + text for text in texts], verbose=False)["input_ids"]
        sizes = np.array([len(ids) for ids in pieces], np.int64)
        multiple = self._multiple()
        return np.asarray(-(-np.minimum(sizes, self.limit or NO_LIMIT) // multiple) * multiple, np.int64)

    def token_vectors(self, texts: list[str], kind: Kind, prefix: str | None, batch_tokens: int) -> TokenVectors:
        """The vectors of each text's tokens; those of the latest texts are kept."""
        prompt = self._own_prompt(kind) if prefix is None else prefix
        key = hashlib.sha256(repr((texts, kind, prompt)).encode()).digest()
        with self._lock:
            if (token_vectors := self._recent.pop(key, None)) is None:
                token_vectors = self._token_vectors(texts, kind, prompt, batch_tokens)
            self._recent[key] = token_vectors
            while (
                len(self._recent) > 1
                and sum(token_vectors.vectors.nbytes for token_vectors in self._recent.values()) > CACHE_SIZE
            ):
                del self._recent[next(iter(self._recent))]
        return token_vectors

    def _token_vectors(self, texts: list[str], kind: Kind, prompt: str, batch_tokens: int) -> TokenVectors:
        is_one_by_one = kind == "query"  # so that no query's vectors depend on the others

        def work(model: Any, some_texts: list[str]) -> list[npt.NDArray[np.floating]]:
            value = model.encode(
                [prompt + text for text in some_texts],
                prompt="",
                output_value="token_embeddings",
                convert_to_numpy=False,
                **self._given(some_texts),
            )
            return [vectors.float().cpu().numpy() for vectors in value]

        def encode(windows: Sequence[str]) -> list[npt.NDArray[np.floating]]:
            return self._batched(windows, prompt, batch_tokens, work, is_one_by_one) if windows else []

        budget = self._room_count(prompt) or LONG
        return token_vectors(texts, budget, self._tokens, encode, self._special(prompt), is_together=not is_one_by_one)

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The number in the vocabulary of each token of each text, and where it stands."""
        fields = self._tokenized(list(texts))
        return [
            list(zip(*pair, strict=True)) for pair in zip(fields["input_ids"], fields["offset_mapping"], strict=True)
        ]

    def _special(self, prompt: str) -> tuple[int, int]:
        """How many tokens stand before and behind those of a text, the prompt's among them."""
        bare_count = len(self._model.tokenizer([prompt], add_special_tokens=False, verbose=False)["input_ids"][0])
        ids = self._model.tokenizer([prompt], return_special_tokens_mask=True, verbose=False)["special_tokens_mask"][0]
        before = next((position for position, special in enumerate(ids) if not special), 1 if ids else 0)
        return before + bare_count, len(ids) - before - bare_count

    def split(self, texts: list[str], kind: Kind, prefix: str | None) -> list[Split]:
        """Each text beside the limit."""
        prompt = self._own_prompt(kind) if prefix is None else prefix
        with self._lock:
            places = self._places(texts)
            budget = self._room_count(prompt)
            return [self._split(*pair, prompt, budget) for pair in zip(texts, places, strict=True)]

    def _split(self, text: str, places: Sequence[tuple[int, int]], prompt: str, budget: int | None) -> Split:
        if budget is None or len(places) <= budget:
            return Split(len(places), 0, ((0, len(text)),))

        def fits(parts: Sequence[str]) -> bool:
            pieces = self._model.tokenizer([prompt + part for part in parts], verbose=False)["input_ids"]
            return max(map(len, pieces)) <= (self.limit or NO_LIMIT)

        return Split(len(places), len(places) - budget, windows(text, places, budget, fits))

    def _places(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        """Where each token of each text stands in it, special ones left out."""
        return list(self._tokenized(texts)["offset_mapping"])

    def _tokenized(self, texts: list[str]) -> Mapping[str, Any]:
        """The numbers of the tokens of each text, and where they stand in it, special ones left out."""
        if not texts:
            return {"input_ids": [], "offset_mapping": []}
        self._check_fast()
        given_values = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        fields: Mapping[str, Any] = self._model.tokenizer(texts, **given_values)
        return fields

    def _check_fast(self) -> None:
        if not self._model.tokenizer.is_fast:
            raise UserError(
                f"{type(self._model.tokenizer).__name__} does not tell where its tokens stand in a text: the model "
                "folder needs a tokenizer.json"
            )

    def _room_count(self, prompt: str) -> int | None:
        """The tokens that the limit leaves to a text."""
        if self.limit is None:
            return None
        taken_count = len(self._model.tokenizer([prompt], verbose=False)["input_ids"][0])
        if taken_count >= self.limit:
            raise UserError(f"the prefix {prompt!r} fills the encoder's {self.limit} tokens alone: give a shorter one")
        return self.limit - taken_count

    def _own_prompt(self, kind: Kind) -> str:
        """The library sets "document" to "" in every model and then overlooks a "passage": take what says something."""
        return next((text for name in PROMPTS[kind] if (text := self._model.prompts.get(name))), "")
