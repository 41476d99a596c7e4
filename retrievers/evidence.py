"""Rankers for finding evidence, put together from the other retrievers; one preset for each kind of evidence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

from chunkers import Chunk
from longdoc.errors import UserError
from models.hub import PACKAGED
from retrievers import Index, Retriever, registry

EMBEDDED = "minilm"
LEXICAL = "none"


@dataclass(frozen=True, slots=True)
class Preset:
    """The units that a preset ranks, and its ranker: without an encoder, and with one."""

    chunker: str
    lexical: Any
    dense: Callable[[Any], Any]


# Each preset's numbers are round, and were chosen by cross-validation over documents.
PRESETS = {
    "clause": Preset(
        chunker="units:of=sentence",
        lexical="bm25",
        dense=lambda encoder: {"name": "hybrid", "retrievers": ["bm25", {"name": "dense", "model": encoder}]},
    ),
    "range": Preset(
        chunker="units:of=turn",
        lexical="bm25",
        dense=lambda encoder: {"name": "hybrid", "retrievers": ["bm25", {"name": "dense", "model": encoder}]},
    ),
    "general": Preset(
        chunker="units:of=sentence",
        lexical="bm25",
        dense=lambda encoder: {"name": "hybrid", "retrievers": ["bm25", {"name": "dense", "model": encoder}]},
    ),
}


@dataclass(frozen=True)
class Evidence(Retriever):
    """Ranks units by how likely they are to be evidence for the answer.

    `preset` says what evidence is: a "clause" of a contract, a "range" of a meeting's turns; "general" supposes
    nothing. `encoder` is what `models.encoders.get` takes, or "none" for a ranker that compares words only; None is
    `minilm` where the extra `embedded` is installed, else "none", and the field then says which.
    """

    preset: Literal["clause", "range", "general"] = "general"
    encoder: Any = None

    ranks_by_centroid = True

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UserError(f"evidence: preset must be one of {', '.join(PRESETS)}, got {self.preset!r}")
        if self.encoder is None:
            object.__setattr__(self, "encoder", EMBEDDED if _is_installed() else LEXICAL)
        preset = PRESETS[self.preset]
        spec = preset.lexical if self.encoder == LEXICAL else preset.dense(self.encoder)
        object.__setattr__(self, "_ranker", registry.get(spec))

    @property
    def chunker(self) -> str:  # type: ignore[override]
        """The chunker of the preset's units."""
        return PRESETS[self.preset].chunker

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """The index of the preset's ranker."""
        ranker: Retriever = self._ranker  # type: ignore[attr-defined]
        return ranker.index(chunks)


def _is_installed() -> bool:
    """Whether the embedded encoder can be loaded."""
    return all(find_spec(module) for module in (PACKAGED[EMBEDDED][0], "sentence_transformers", "torch"))
