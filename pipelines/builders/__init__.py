"""Long-document data out of short: filters, mixers, extenders. `pipelines.build("style_mix", "stories", out="mix")`.

A builder reads a source and yields rows, each with the split it goes to: rows of MuLD's layout (`input`, `output`,
`metadata`), or of the benchmark that it is named after. What it is given decides every byte: the fields, the seed and
the source, never the order of files or the clock. The folder that comes of it holds a JSON Lines file a split, in a zip
where the benchmark is published so, and a manifest to make the same set from again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from longdoc.registry import Registry

Row = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """What became of the candidates for a row: `read` of them, less those `dropped` by reason, are rows.

    `notes` count what else befell the texts (paragraphs too short, pages missing); `warnings` are the source's.
    """

    read: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)


@runtime_checkable
class Builder(Protocol):
    """`chance`: whether the seed decides anything.

    A builder with an `archive` (`qmsum`) has its files in a zip of that name: `qmsum.zip` with `qmsum/test.jsonl`.
    """

    chance: ClassVar[bool]

    def sources(self, source: Path) -> Mapping[str, Any]:
        """What identifies the data: names and SHA-256 of its files. Raises `UserError` naming what it needs."""
        ...

    def rows(self, source: Path, seed: int, tally: Tally) -> Iterator[tuple[str, Row]]:
        """Splits with their rows, made as they are asked for; the tally is complete at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Built:
    """A finished set: its folder and the manifest in it."""

    folder: Path
    manifest: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The manifest with the folder, for JSON."""
        return {"folder": str(self.folder), **self.manifest}

    def __str__(self) -> str:
        known = self.manifest
        kept = ", ".join(f"{name} {facts['rows']:,}" for name, facts in known["files"].items())
        lines = [f"{known['builder']['name']}: {known['kept']:,} rows of {known['read']:,} in {self.folder} ({kept})"]
        lines += [f"  dropped: {reason}: {count:,}" for reason, count in known["dropped"].items()]
        lines += [f"  {what}: {count:,}" for what, count in known["notes"].items()]
        return "\n".join([*lines, *(f"  {warning}" for warning in known["warnings"])])


registry: Registry[Builder] = Registry(__name__, "builder", contract=Builder)


def get(spec: Any, /, **fields: Any) -> Builder:
    """The builder for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all builders."""
    return registry.names()
