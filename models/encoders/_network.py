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
from longdoc.quiet import quiet
from models.encoders import Kind, Split, TokenVectors, Vectors, _onednn, _windows
from models.encoders._token_vectors import Tokens, token_vectors
from models.neural.shared.batching import batches, halving_on_out_of_memory, spread

PROMPTS: Mapping[Kind, Sequence[str]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
PAD_MULTIPLE = 8  # tokens: texts are padded to a multiple
LAYOUT = {"padded": PAD_MULTIPLE, "linear": "onednn"}  # part of the cache's key: it changes vectors' last digits
UNLIMITED_BUDGET = 2048  # tokens encoded together where the model has no limit
CACHE_SIZE = 400_000_000  # bytes of token vectors that are kept
NO_LIMIT = 1_000_000  # tokenizers without a limit name an enormous one

Result = TypeVar("Result")


class Network:
    """A model on its devices. One call at a time: a tokenizer's padding is set for the batch that it works on."""

    def __init__(self, path: Path, devices: tuple[str, ...], dtype: str) -> None:
        import sentence_transformers
        import torch

        torch_dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]
        with quiet():
            self._models = [
                sentence_transformers.SentenceTransformer(
                    str(path),
                    device=device,
                    model_kwargs={"dtype": torch_dtype},
                    local_files_only=True,
                    trust_remote_code=False,
                )
                for device in devices
            ]
        for model, device in zip(self._models, devices, strict=True):
            if device == "cpu" and _onednn.is_available(dtype):
                _onednn.convert(model)
        self._model = self._models[0]
        self._by_length = all(device == "cpu" for device in devices)
        self._lock = Lock()
        self._recent: dict[bytes, TokenVectors] = {}
        limit = self._model.max_seq_length
        self.limit = int(limit) if limit is not None and limit < NO_LIMIT else None

    def encode(self, texts: list[str], kind: Kind, prefix: str | None, batch_tokens: int) -> Vectors:
        """The vectors of texts in order, float32 [texts, dimensions]."""
        prompt = self._model_prompt(kind) if prefix is None else prefix

        def work(model: Any, batch: list[str]) -> Sequence[npt.NDArray[np.float32]]:
            encode = model.encode_query if kind == "query" else model.encode_document
            return list(np.asarray(encode(batch, prompt=prompt, **self._encode_options(batch)), np.float32))

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
        """The result of `work` for each text, in order; it is called with batches, in one thread per device."""
        lengths = self._padded_lengths(texts, prompt)
        rows: list[int] = np.arange(len(texts)).tolist()
        groups = (
            [np.flatnonzero(lengths == length).tolist() for length in np.unique(lengths)] if self._by_length else [rows]
        )
        row_batches = [batch for group in groups for batch in batches(group, lengths.__getitem__, budget, row_by_row)]

        def failed(row: int, _: str) -> Result:
            raise UserError(f"out of memory on one text of {lengths[row]} tokens: take device=cpu or smaller chunks")

        def of_rows(model: Any, batch: list[int]) -> list[Result]:
            return halving_on_out_of_memory(batch, lambda part: work(model, [texts[row] for row in part]), failed)

        batch_results = spread(self._models, of_rows, row_batches)
        by_row = {
            row: result
            for batch, results in zip(row_batches, batch_results, strict=True)
            for row, result in zip(batch, results, strict=True)
        }
        return [by_row[row] for row in rows]

    def _encode_options(self, texts: Sequence[str]) -> dict[str, Any]:
        padding = {"text": {"pad_to_multiple_of": self._multiple()}}
        return {"batch_size": len(texts), "show_progress_bar": False, "processing_kwargs": padding}

    def _multiple(self) -> int:
        return PAD_MULTIPLE if self.limit is None else gcd(PAD_MULTIPLE, self.limit)

    def _padded_lengths(self, texts: Sequence[str], prompt: str) -> npt.NDArray[np.int64]:
        """The padded length of each text in tokens, prompt included."""
        pieces = self._model.tokenizer([prompt + text for text in texts], verbose=False)["input_ids"]
        sizes = np.array([len(ids) for ids in pieces], np.int64)
        multiple = self._multiple()
        return np.asarray(-(-np.minimum(sizes, self.limit or NO_LIMIT) // multiple) * multiple, np.int64)

    def token_vectors(self, texts: list[str], kind: Kind, prefix: str | None, batch_tokens: int) -> TokenVectors:
        """The vectors of each text's tokens; those of the latest texts are cached."""
        prompt = self._model_prompt(kind) if prefix is None else prefix
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
        one_by_one = kind == "query"  # so that no query's vectors depend on the others

        def work(model: Any, batch: list[str]) -> list[npt.NDArray[np.floating]]:
            embeddings = model.encode(
                [prompt + text for text in batch],
                prompt="",
                output_value="token_embeddings",
                convert_to_numpy=False,
                **self._encode_options(batch),
            )
            return [vectors.float().cpu().numpy() for vectors in embeddings]

        def encode(windows: Sequence[str]) -> list[npt.NDArray[np.floating]]:
            return self._batched(windows, prompt, batch_tokens, work, one_by_one) if windows else []

        budget = self._room(prompt) or UNLIMITED_BUDGET
        return token_vectors(texts, budget, self._tokens, encode, self._special(prompt), is_together=not one_by_one)

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """For each text its tokens: (token id, (start, end) in the text)."""
        fields = self._tokenized(list(texts))
        return [
            list(zip(*pair, strict=True)) for pair in zip(fields["input_ids"], fields["offset_mapping"], strict=True)
        ]

    def _special(self, prompt: str) -> tuple[int, int]:
        """Number of tokens before and after those of a text, the prompt's included."""
        prompt_tokens = len(self._model.tokenizer([prompt], add_special_tokens=False, verbose=False)["input_ids"][0])
        mask = self._model.tokenizer([prompt], return_special_tokens_mask=True, verbose=False)["special_tokens_mask"][0]
        before = next((position for position, special in enumerate(mask) if not special), 1 if mask else 0)
        return before + prompt_tokens, len(mask) - before - prompt_tokens

    def split(self, texts: list[str], kind: Kind, prefix: str | None) -> list[Split]:
        """How much of each text is read, and windows within the limit."""
        prompt = self._model_prompt(kind) if prefix is None else prefix

        def fits(parts: Sequence[str]) -> bool:
            pieces = self._model.tokenizer([prompt + part for part in parts], verbose=False)["input_ids"]
            return max(map(len, pieces)) <= (self.limit or NO_LIMIT)

        with self._lock:
            token_spans = self._tokenized(texts)["offset_mapping"]
            budget = self._room(prompt)
            return [_windows.split(*pair, budget, fits) for pair in zip(texts, token_spans, strict=True)]

    def _tokenized(self, texts: list[str]) -> Mapping[str, Any]:
        """The tokenizer's `input_ids` and `offset_mapping` of texts, without special tokens."""
        if not texts:
            return {"input_ids": [], "offset_mapping": []}
        self._check_fast()
        options = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        fields: Mapping[str, Any] = self._model.tokenizer(texts, **options)
        return fields

    def _check_fast(self) -> None:
        if not self._model.tokenizer.is_fast:
            raise UserError(
                f"the model folder needs a tokenizer.json: {type(self._model.tokenizer).__name__} does not give the "
                "places of its tokens in a text"
            )

    def _room(self, prompt: str) -> int | None:
        """The most tokens of a text that fit beside prompt and special tokens; None: no limit."""
        if self.limit is None:
            return None
        used = len(self._model.tokenizer([prompt], verbose=False)["input_ids"][0])
        if used >= self.limit:
            raise UserError(f"the prefix {prompt!r} fills the encoder's {self.limit} tokens alone: give a shorter one")
        return self.limit - used

    def _model_prompt(self, kind: Kind) -> str:
        """The model's own prompt for a kind of text: the first that is not empty.

        sentence-transformers sets "document" to "" in every model, and then overlooks "passage".
        """
        return next((text for name in PROMPTS[kind] if (text := self._model.prompts.get(name))), "")
