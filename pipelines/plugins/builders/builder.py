"""Long-document data out of short: filters, mixers, extenders. `pipelines.build("style_mix", "stories", out="mix")`.

A builder reads a source and yields rows, each with its split: rows of MuLD's layout (`input`, `output`,
`metadata`), or of the benchmark that it is named after. Its input decides every byte: the fields, the seed and
the source, never the order of files or the clock. The resulting folder holds one JSON Lines file per split (in a zip
where the benchmark is published so) and a manifest from which the same data set can be built again.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.messages import counted
from longdoc.registry import Registry

Row = dict[str, Any]


@dataclass(slots=True)
class BuildStats:
    """Counts of a build: the candidates `read` for a row, and how many of them were `dropped`, by reason.

    `notes` counts other changes to the texts (paragraphs too short, pages missing); `warnings` are the source's.
    """

    read: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)


class Builder(ABC):
    """Base class of builders: a subclass defines `sources` and `rows`, and overrides the attributes that differ.

    - `is_random`: whether the rows depend on the seed.
    - `needs_source`: whether the rows are made of a source; other builders refuse one.
    - `expected_bytes`: about how large the set will be; 0 where that is not known.
    - `archive`: the name of a zip that the files go into: with "qmsum", `qmsum.zip` holds `qmsum/test.jsonl`.
    """

    is_random: bool = False
    needs_source: bool = True
    archive: str = ""

    @property
    def expected_bytes(self) -> int:
        """About how large the set will be, in bytes."""
        return 0

    @abstractmethod
    def sources(self, source: Path) -> Mapping[str, Any]:
        """The fingerprint of the source: names and SHA-256 of its files. Raises `UserError` that says what it needs."""

    @abstractmethod
    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows, each with its split, made one by one; `stats` are complete at the end."""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished data set: its folder and the manifest in it."""

    folder: Path
    manifest: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The manifest with the folder, for JSON."""
        return {"folder": str(self.folder), **self.manifest}

    def __str__(self) -> str:
        manifest = self.manifest
        files = ", ".join(f"{name} {file['rows']:,}" for name, file in manifest["files"].items())
        rows = f"{counted(manifest['kept'], 'row')} of {manifest['read']:,}"
        lines = [f"{manifest['builder']['name']}: {rows} in {self.folder} ({files})"]
        lines += [f"  dropped: {reason}: {count:,}" for reason, count in manifest["dropped"].items()]
        lines += [f"  {note}: {count:,}" for note, count in manifest["notes"].items()]
        return "\n".join([*lines, *(f"  {warning}" for warning in manifest["warnings"])])


registry: Registry[Builder] = Registry(
    __name__,
    "builder",
    contract=Builder,
    folders=(),
    plural="builders",
    group="longdoc.pipelines.builders",
    example="'style_mix'",
)


def get(spec: Any, /, **fields: Any) -> Builder:
    """The builder for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all builders."""
    return registry.names()
