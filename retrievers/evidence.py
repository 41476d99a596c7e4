"""Combinations of the other retrievers that rank evidence, one preset for each kind of evidence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

from chunkers import Chunk
from chunkers.shared.turns import has_turns
from longdoc.errors import UserError
from models import encoders
from models.hub import PACKAGED
from retrievers import Index, Retriever, registry
from retrievers.links import SEVERAL_HOPS
from retrievers.shared.members import Composite

EMBEDDED = "minilm"
LEXICAL = "none"
WORDS_ONLY = (
    'ranking by words only, as the encoder is not installed: pip install "longdoc[embedded]", or set '
    "encoder=none (retriever='best:encoder=none')"
)

_BM25 = {"name": "bm25", "stop_words": "auto", "stem": "auto"}


@dataclass(frozen=True, slots=True)
class Preset:
    """The chunker of a preset, its ranker without an encoder, and its ranker for an encoder."""

    chunker: str
    lexical: Any
    dense: Callable[[Any], Any]


def _with_encoder(encoder: Any, lexical: Any, weight: float = 1.0) -> dict[str, Any]:
    dense = {"name": "dense", "model": encoder, "heading": True}
    return {"name": "blend", "retrievers": [lexical, dense], "weights": [1.0, weight]}


def _scales(*scales: str) -> dict[str, Any]:
    return {"name": "scales", "retriever": {**_BM25, "heading": True}, "scales": list(scales)}


def _with_late_interaction(encoder: Any) -> dict[str, Any]:
    """Lexical and dense scores, with MaxSim over tokens where the encoder gives token vectors."""
    blend = _with_encoder(encoder, _scales("chunk", "window"))
    if not isinstance(encoders.get(encoder), encoders.TokenEncoder):
        return blend
    token_scores = {"name": "scales", "retriever": {"name": "late_interaction", "model": encoder}}
    return {**blend, "retrievers": [*blend["retrievers"], token_scores], "weights": [1.0, 1.0, 2.0]}


def _spread(retriever: Any, words: float) -> dict[str, Any]:
    return {"name": "spread", "retriever": retriever, "words": words}


def _lists(retriever: Any, weight: float) -> dict[str, Any]:
    return {"name": "lists", "retriever": retriever, "weight": weight}


def _links(retriever: Any) -> dict[str, Any]:
    return {"name": "links", "retriever": retriever}


def _hops(retriever: Any) -> dict[str, Any]:
    return {"name": "links", "retriever": retriever, **SEVERAL_HOPS}


# Each preset's numbers are round, and were chosen by cross-validation over documents.
PRESETS = {
    "sentence": Preset(
        chunker="units:of=sentence",
        lexical=_hops(_scales("chunk", "window", "parent")),
        dense=lambda encoder: _hops(_with_encoder(encoder, _scales("chunk", "window", "parent"), 0.5)),
    ),
    "passage": Preset(
        chunker="units:of=paragraph",
        lexical=_hops({**_BM25, "heading": True}),
        dense=lambda encoder: _hops(_with_encoder(encoder, {**_BM25, "heading": True}, 0.5)),
    ),
    "paragraph": Preset(
        chunker="units:of=paragraph",
        lexical=_links({**_BM25, "heading": True}),
        dense=lambda encoder: _links(_with_encoder(encoder, {**_BM25, "heading": True}, 0.5)),
    ),
    "clause": Preset(
        chunker="units:of=sentence",
        lexical=_lists(_scales("chunk", "window"), 0.3),
        dense=lambda encoder: _lists(_with_late_interaction(encoder), 0.3),
    ),
    "range": Preset(
        chunker="units:of=sentence",
        lexical=_spread({**_BM25, "b": 0}, 400),
        dense=lambda encoder: _spread(_with_encoder(encoder, {**_BM25, "b": 0}), 400),
    ),
    "narrative": Preset(
        chunker="units:of=sentence",
        lexical=_spread({**_BM25, "heading": True, "k1": 0.6}, 60),
        dense=lambda encoder: _spread(_with_encoder(encoder, {**_BM25, "heading": True, "k1": 0.6}), 60),
    ),
    "general": Preset(
        chunker="units:of=sentence",
        lexical=_lists(_links(_scales("chunk", "window", "parent")), 0.0),
        dense=lambda encoder: _lists(_links(_with_encoder(encoder, _scales("chunk", "window", "parent"))), 0.0),
    ),
}


@dataclass(frozen=True)
class Evidence(Composite):
    """Ranks units by how likely they are to be evidence for the answer.

    `preset` says what evidence is:
    - "sentence": sentences of passages under titles. They count by themselves, with their neighbours and by their
      paragraph, with their titles, and are raised along mentions of titles in the question and the best of them, and
      along names that they share, over two hops (`links`).
    - "passage": paragraphs of several documents under their titles, which count with these and are raised so too.
    - "paragraph": paragraphs of one document under headings, which count with these and are raised along mentions of
      headings in the question and the best of them.
    - "clause": sentences of a contract, which count by themselves and with their neighbours; where the encoder gives
      vectors of tokens, by MaxSim too (`late_interaction`). Items of a list bring its lead-in along (`lists`).
    - "range": turns of a meeting, whose words count for some hundred words around.
    - "narrative": sentences of a story, a play or a script, whose words count for some sixty words around, so that
      speeches and what is told between them count together, and a word that comes again adds little.
    - "general" supposes nothing: it ranks a conversation (more than half of the paragraphs open with a speaker and a
      colon) as "range" does, and any other text as "sentence" does, with more weight for the encoder.

    `encoder` is what `models.encoders.get` takes, whose similarities are added, or "none" for a ranker that compares
    words only; None becomes `minilm` where the extra `embedded` is installed, else "none".
    Stop words and stems are those of the language that each text is in.
    """

    preset: Literal["sentence", "passage", "paragraph", "clause", "range", "narrative", "general"] = "general"
    encoder: Any = None

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UserError(f"evidence: preset must be one of {', '.join(PRESETS)}, got {self.preset!r}")
        if self.encoder is None:
            is_installed = _is_installed()
            object.__setattr__(self, "encoder", EMBEDDED if is_installed else LEXICAL)
            object.__setattr__(self, "advice", None if is_installed else WORDS_ONLY)
        object.__setattr__(self, "_ranker", self._build_ranker(self.preset))
        object.__setattr__(self, "_turn_ranker", self._build_ranker("range") if self.preset == "general" else None)

    @property
    def members(self) -> Sequence[Retriever]:
        """The preset's ranker."""
        ranker: Retriever = self._ranker  # type: ignore[attr-defined]
        return (ranker,)

    @property
    def chunker(self) -> str:  # type: ignore[override]
        """The chunker of the preset's units."""
        return PRESETS[self.preset].chunker

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index of the preset's ranker; of "range" for a conversation under "general"."""
        ranker: Retriever = self._ranker  # type: ignore[attr-defined]
        turn_ranker: Retriever | None = self._turn_ranker  # type: ignore[attr-defined]
        return (turn_ranker if turn_ranker is not None and has_turns(chunks) else ranker).index(chunks)

    def _build_ranker(self, name: str) -> Retriever:
        preset = PRESETS[name]
        return registry.get(preset.lexical if self.encoder == LEXICAL else preset.dense(self.encoder))


def _is_installed() -> bool:
    """Whether the embedded encoder can be loaded."""
    return all(find_spec(module) for module in (PACKAGED[EMBEDDED][0], "sentence_transformers", "torch"))
