"""With what evidence is found, by words alone or with vectors: plain rankers, the presets, and the most there is.

A plain ranker scores each chunk by itself. The strongest that arguments alone configure counts words by their stems,
without English stop words and with headings; `hybrid` fuses its order with one by vectors. Each is tried over the
peers' chunks and over sentences; of these the one with the highest recall at the family's budget is the strongest,
chosen on the very questions that it is measured on, which favours it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import retrievers
from benchmarks.evidence_families import Family, Measurements, System
from retrievers.evidence import LEXICAL
from retrievers.evidence_ranker import SIGNALS

CEILING = "oracle:of=evidence"
STRONG: dict[str, Any] = {"name": "bm25", "heading": True, "stop_words": "english", "stem": "english"}
DENSE: dict[str, Any] = {"name": "dense", "heading": True}
STRONG_NAME = "bm25, headings, stop words, stems"
VECTORS = "vectors"


@dataclass(frozen=True)
class Setting:
    """Plain rankers by their names, the fields of the presets, and the signals of the ranker that learns."""

    plain: Mapping[str, Any]
    fields: Mapping[str, Any]
    signals: tuple[Any, ...]


SETTINGS = {
    "": Setting(
        plain={"tfidf": "tfidf", "bm25": "bm25", STRONG_NAME: STRONG},
        fields={"encoder": LEXICAL},
        signals=tuple(signal for signal in SIGNALS if signal != "dense:heading=true"),
    ),
    VECTORS: Setting(
        plain={
            STRONG_NAME: STRONG,
            "dense": "dense",
            "hybrid:[bm25,dense]": "hybrid:[bm25,dense]",
            "hybrid of the strong one and dense": {"name": "hybrid", "retrievers": [STRONG, DENSE]},
        },
        fields={},
        signals=SIGNALS,
    ),
}


def chunkers_of(family: Family) -> tuple[str, ...]:
    """The chunkers that a family's rankers are tried over."""
    return tuple(dict.fromkeys(("tokens:size=200", "tokens:size=100", f"units:of={family.unit}", "units:of=sentence")))


def plain(family: Family, setting: Setting) -> list[System]:
    """Each plain ranker over each of the chunks."""
    return [
        System(f"`{chunker}` {name}", chunker, ranker)
        for chunker in chunkers_of(family)
        for name, ranker in setting.plain.items()
    ]


def presets(family: Family, setting: Setting) -> list[System]:
    """The family's preset, then `general`."""
    specs = [{"name": "evidence", "preset": preset, **setting.fields} for preset in (family.preset, "general")]
    systems = [System(f"`evidence:{spec['preset']}`", retrievers.get(spec).chunker, spec) for spec in specs]
    return systems[: 1 if family.preset == "general" else 2]


def ceilings(family: Family) -> list[System]:
    """The most that a ranking of each chunker's chunks can let through."""
    return [System(f"`{chunker}` {CEILING}", chunker, CEILING) for chunker in chunkers_of(family)]


def best(measured: Mapping[str, Measurements], systems: Iterable[System], budget: int) -> tuple[str, Measurements]:
    """The name of the system with the highest recall, and its measurements."""
    name = max((system.name for system in systems), key=lambda name: measured[name].score("evidence_recall", budget))
    return name, measured[name]
