"""A table of token vectors distilled from an encoder, as model2vec makes them; no texts are needed.

Tulkens & van Dongen 2024, "Model2Vec": each token of the vocabulary is encoded by itself, the vectors are reduced by
PCA, and each is weighted by how rare its token is. Frequencies are not known; the order of a vocabulary, frequent ones
first, stands in for them (Zipf's law), and weights are those of Arora et al. 2017, "A Simple but Tough-to-Beat Baseline
for Sentence Embeddings", a / (a + p). Single characters, which vocabularies list by their code, are ranked by
themselves.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc import caches
from longdoc.errors import UserError
from longdoc.visible import note
from models.encoders import Vectors, _static_table
from models.encoders._static_table import Table
from models.encoders.sentence_transformer import load
from models.neural.shared import limits

SMOOTHING = 1e-4  # a, as model2vec has it
MARKS = "▁Ġ#"  # what tokenizers put before a token to say where in a word it stands
BATCH_TOKENS = 4_096


def settings(dimensions: int) -> Mapping[str, Any]:
    """What decides a table besides the encoder."""
    return {"dimensions": dimensions, "smoothing": SMOOTHING}


def cached_table(encoder: Path, revision: str, dimensions: int) -> Table:
    """The table of an encoder, from the cache if it is there undamaged; else distilled, and kept where that can be."""
    key = json.dumps([revision, settings(dimensions)], sort_keys=True)
    folder = caches.own_folder(caches.home() / "static") / hashlib.sha256(key.encode()).hexdigest()[:32]
    if folder.is_dir():
        try:
            return _static_table.read(folder)
        except UserError as error:
            note(f"{error}; it is distilled again")
    with tempfile.TemporaryDirectory() as temporary:
        files = Path(temporary) / "table"
        files.mkdir()
        distil(encoder, files, dimensions)
        _keep(files, folder)
        return _static_table.read(files)


def distil(encoder: Path, out: Path, dimensions: int) -> None:
    """Write a table distilled from an encoder into a folder."""
    network = load(encoder, limits.devices(None), "fp32")
    tokenizer = network.tokenizer_json()
    vectors = reduced(network.vocabulary_vectors(BATCH_TOKENS), dimensions)
    weighted = vectors * weights(network.tokens())[:, None]
    _static_table.write(out, tokenizer, weighted, {"apply_pca": dimensions, "sif_coefficient": SMOOTHING})


def reduced(vectors: Vectors, dimensions: int) -> Vectors:
    """float32 [tokens, dimensions]: the principal components; all of them where there are not more."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    principal = axes[:, ::-1][:, :dimensions]
    signs = np.sign(principal[np.abs(principal).argmax(axis=0), np.arange(principal.shape[1])])  # eigh leaves them open
    return np.asarray(centred @ (principal * signs), np.float32)


def weights(tokens: Sequence[str]) -> npt.NDArray[np.float32]:
    """float32 [tokens], 0 to 1: the rarer a token, by its place in the vocabulary, the higher; special ones have 0."""
    categories = np.array([_category(token) for token in tokens])
    ranks = np.zeros(len(tokens), np.int64)
    for category in ("character", "word"):
        ranks[categories == category] = np.arange((categories == category).sum())
    shares = np.where(categories == "special", 0.0, 1.0 / (ranks + 2))
    shares /= shares.sum() or 1.0
    return np.where(categories == "special", 0.0, SMOOTHING / (SMOOTHING + shares)).astype(np.float32)


def _category(token: str) -> str:
    """A special token as [CLS], <s>, [unused7]; a character; or a word, which parts of words are too."""
    if len(token) > 2 and (token[0], token[-1]) in {("[", "]"), ("<", ">")}:
        return "special"
    return "character" if len(token.strip(MARKS)) < 2 else "word"


def _keep(files: Path, folder: Path) -> None:
    """Copy the files into the cache, the one that makes the folder a table last."""
    try:
        caches.make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        for name in (_static_table.WEIGHTS, _static_table.TOKENIZER, _static_table.CONFIG):
            part = folder / f"{name}.part"
            part.write_bytes((files / name).read_bytes())
            part.replace(folder / name)
    except OSError as error:
        note(f"the static encoder cannot be kept in {folder} ({error.strerror}): it is distilled again next time")
