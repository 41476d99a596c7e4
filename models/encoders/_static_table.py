"""A table of token vectors with its tokenizer, and its files, which are those of model2vec.

`model.safetensors` has `embeddings` [rows, dimensions]; some also have a row for each token (`mapping`) and a weight
for each token (`weights`). Beside it are `tokenizer.json` and `config.json`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from longdoc.errors import UserError
from models import hub
from models.encoders import Vectors

KIND = "model2vec"
WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"


@dataclass(frozen=True, slots=True)
class Table:
    """float32 `vectors` [tokens, dimensions] of the tokens of a tokenizer; `unknown` stands for words it lacks, or -1.

    With `normalize` the mean of a text's tokens is brought to length 1.
    """

    tokenizer: Any
    vectors: Vectors
    normalize: bool
    unknown: int


def is_table(folder: Path) -> bool:
    """Whether model2vec's files are in a folder."""
    return hub.settings(folder / CONFIG).get("model_type") == KIND


def read(folder: Path) -> Table:
    """The table in a folder. Raises `UserError` for files that are missing or damaged, or do not fit each other."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        tensors = load_file(folder / WEIGHTS)
        text = (folder / TOKENIZER).read_text("utf-8")
        tokenizer = Tokenizer.from_str(text)
        vectors = _vectors(tensors, tokenizer.get_vocab_size())
    except (OSError, SafetensorError, ValueError, KeyError, IndexError) as error:
        raise UserError(f"{folder} cannot be read as a static encoder in model2vec's form: {error}") from error
    except Exception as error:  # the tokenizers library has no error of its own
        raise UserError(f"{folder / TOKENIZER} is no tokenizer: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    is_normal = hub.settings(folder / CONFIG).get("normalize", False) is True
    return Table(tokenizer, vectors, is_normal, _unknown(json.loads(text), tokenizer))


def write(folder: Path, tokenizer: str, vectors: Vectors, description: dict[str, Any]) -> None:
    """Write the files; the mean of a text's tokens is brought to length 1."""
    from safetensors.numpy import save_file

    save_file({"embeddings": np.ascontiguousarray(vectors)}, folder / WEIGHTS)
    (folder / TOKENIZER).write_text(tokenizer, "utf-8")
    config = {"model_type": KIND, "architectures": ["StaticModel"], "normalize": True, "hidden_dim": vectors.shape[1]}
    (folder / CONFIG).write_text(json.dumps({**config, **description}, indent=2) + "\n", "utf-8")


def _vectors(tensors: dict[str, Any], tokens: int) -> Vectors:
    """The vectors of all tokens, weighted. Raises `ValueError` and the like where the tensors do not fit."""
    vectors = np.asarray(tensors["embeddings"], np.float32)
    if "mapping" in tensors:
        vectors = vectors[tensors["mapping"]]
    if "weights" in tensors:
        vectors = vectors * np.asarray(tensors["weights"], np.float32)[:, None]
    if vectors.ndim != 2 or len(vectors) < tokens:
        raise ValueError(f"embeddings of shape {list(vectors.shape)} for a vocabulary of {tokens}")
    if not np.isfinite(vectors).all():
        raise ValueError("embeddings have numbers that are not finite")
    return vectors


def _unknown(settings: dict[str, Any], tokenizer: Any) -> int:
    """The number of the token for unknown words."""
    model = settings["model"]
    number = model.get("unk_id") if model.get("unk_token") is None else tokenizer.token_to_id(model["unk_token"])
    return -1 if number is None else int(number)
