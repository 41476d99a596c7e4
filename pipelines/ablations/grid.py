"""The grid of an ablation: axes, which are lists given to single-valued arguments of `run`, and named variants."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.descriptions import typed_form
from longdoc.errors import UserError, unknown
from longdoc.messages import counted
from pipelines.engine.planning.files import settings_file
from pipelines.engine.planning.options import UNPLANNED, planned_arguments

NOT_AXES = frozenset({"metrics"})  # arguments that take a list or mapping themselves
FILE_KEYS = ("task", "baseline", "primary_metric", "variants")


@dataclass(frozen=True, slots=True)
class Grid:
    """Named variants: each a mapping of `run`'s arguments, with a `name`.

    `axes` are arguments for all variants, some of them lists; a file may also have `task`, `baseline` and
    `primary_metric`. Raises `UserError` for variants that are not such mappings.
    """

    variants: Sequence[Mapping[str, Any]] = ()
    axes: Mapping[str, Any] = field(default_factory=dict)
    task: str | Sequence[str] | None = None
    baseline: str | Mapping[str, Any] | None = None
    primary_metric: str | None = None

    def __post_init__(self) -> None:
        names = [_variant_name(variant) for variant in self.variants]
        if duplicate := _duplicate(names):
            raise UserError(f"two variants are called {duplicate!r}: give each a name of its own")

    @classmethod
    def read(cls, path: str | Path) -> "Grid":
        """A grid from a YAML or JSON file with arguments of `run`, `variants`, and any other key in `FILE_KEYS`."""
        content = settings_file.mapping(Path(path), "k: [1, 2, 5]")
        for name in content:
            if name in UNPLANNED:
                raise UserError(
                    f"{path}: {name} is an argument of the whole ablation, not of a cell: give it beside the file"
                )
            if name not in FILE_KEYS and name not in planned_arguments():
                raise UserError(f"{path}: {unknown('key', name, (*FILE_KEYS, *planned_arguments()))}")
        fields = {name: content[name] for name in FILE_KEYS if name in content}
        variants = fields.pop("variants", ())
        if not isinstance(variants, Sequence) or isinstance(variants, str):
            raise UserError(f"{path}: variants must be a list of mappings, each with a name")
        return cls(tuple(variants), {k: v for k, v in content.items() if k not in FILE_KEYS}, **fields)


@dataclass(frozen=True, slots=True)
class CellSettings:
    """The name of a cell, its values on the axes as a user types them, and all its arguments of `run`."""

    name: str
    values: Mapping[str, Any]
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ParameterGrid:
    """The axes with their values, the variants, and the `fixed` arguments of an ablation, before any cell is made."""

    axes: Mapping[str, Sequence[Any]]
    variants: Sequence[Mapping[str, Any]]
    fixed: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of cells."""
        return prod(map(len, self.axes.values())) * max(len(self.variants), 1)

    @property
    def labels(self) -> dict[str, list[Any]]:
        """The values of each axis as a user types them; the names of the variants come first."""
        variants = {"variant": [variant["name"] for variant in self.variants]} if self.variants else {}
        return variants | {name: [typed_form(value) for value in values] for name, values in self.axes.items()}

    def __str__(self) -> str:
        labels = self.labels
        if list(labels) == ["variant"]:
            return counted(self.size, "variant")
        sizes = [f"{name} ({len(values)})" for name, values in labels.items()]
        return f"{' × '.join(sizes)} = {counted(self.size, 'cell')}"

    def cells(self) -> Iterator[CellSettings]:
        """The settings of every combination; the last axis varies fastest."""
        for variant in self.variants or ({},):
            own_arguments = {name: value for name, value in variant.items() if name != "name"}
            for values in product(*self.axes.values()):
                axis_values = dict(zip(self.axes, values, strict=True))
                labels = ({"variant": variant["name"]} if variant else {}) | {
                    name: typed_form(value) for name, value in axis_values.items()
                }
                words = [str(label) if name == "variant" else f"{name}={label}" for name, label in labels.items()]
                yield CellSettings(", ".join(words), labels, {**self.fixed, **own_arguments, **axis_values})


def parameter_grid(known: Collection[str], grid: Grid, arguments: Mapping[str, Any]) -> ParameterGrid:
    """The axes and variants of a grid and further `arguments`, lists among them.

    `known` are the arguments of `run`. Raises `UserError` where nothing varies, and for unknown arguments.
    """
    arguments = {**grid.axes, **{name: value for name, value in arguments.items() if value is not None}}
    for name in (*arguments, *(name for variant in grid.variants for name in variant if name != "name")):
        if name not in known:
            raise unknown_argument(name, known)
    if _is_axis("shard", arguments.get("shard")) or any("shard" in variant for variant in grid.variants):
        raise UserError("shard is the same for all cells: shard='1/3' runs a third of the documents in each")
    axes = {name: list(value) for name, value in arguments.items() if _is_axis(name, value)}
    for name, values in axes.items():
        _check_axis(name, values)
    for variant in grid.variants:
        for name, value in variant.items():
            if name in axes:
                raise UserError(f"the variant {variant['name']!r} sets {name}, which is an axis too: choose one")
            if _is_axis(name, value):
                raise UserError(
                    f"the variant {variant['name']!r} has a list for {name}: give lists beside the variants"
                )
    if not axes and not grid.variants:
        raise UserError("nothing varies: give a list to an argument, as in k=[1, 2, 5] (-k 1,2,5)")
    return ParameterGrid(axes, grid.variants, {name: value for name, value in arguments.items() if name not in axes})


def _is_axis(name: str, value: Any) -> bool:
    """Whether the value of an argument is a list of values to compare."""
    if name in NOT_AXES or not isinstance(value, (list, tuple, range)):
        return False
    return name != "data" or not value or all(isinstance(item, (str, Path)) for item in value)  # else: examples


def _duplicate(values: Sequence[str]) -> str | None:
    """The first value that occurs again, None where none does."""
    return next((value for value, count in Counter(values).items() if count > 1), None)


def _check_axis(name: str, values: Sequence[Any]) -> None:
    """Raise `UserError` for an axis without values, or with two that look alike."""
    if not values:
        raise UserError(f"{name}=[] has no value: give at least one, or leave {name} out")
    labels = [str(typed_form(value)) for value in values]
    if duplicate := _duplicate(labels):
        hint = f'leave one out; objects that look alike get names: grid=[{{"name": "ours", "{name}": …}}, …]'
        raise UserError(f"{name} has the value {duplicate} twice: {hint}")


def _variant_name(variant: Any) -> str:
    """The name of a variant. Raises `UserError` where it has none."""
    if not isinstance(variant, Mapping) or not isinstance(variant.get("name"), str) or not variant["name"]:
        raise UserError(f'a variant must be a mapping with a name, as in {{"name": "ours", "k": 5}}; got {variant!r}')
    return str(variant["name"])
