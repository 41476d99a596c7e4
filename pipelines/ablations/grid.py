"""What varies in an ablation: axes, which are lists given to scalar arguments of `run`, and named variants."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError, unknown
from longdoc.plurals import counted
from longdoc.typed_form import typed_form
from pipelines.engine.planning.files import settings_file
from pipelines.engine.planning.options import UNPLANNED, planned_arguments

NOT_AXES = frozenset({"metrics", "model_options"})  # arguments that take a list or mapping themselves
FILE_KEYS = ("task", "baseline", "primary_metric", "variants")


@dataclass(frozen=True, slots=True)
class Grid:
    """Named variants: each a mapping of `run`'s arguments, `name` among them.

    `axes` are further arguments for all variants, lists among them; a file may also have `task`, `baseline` and
    `primary_metric`. Raises `UserError` for variants that are no such mappings.
    """

    variants: Sequence[Mapping[str, Any]] = ()
    axes: Mapping[str, Any] = field(default_factory=dict)
    task: str | Sequence[str] | None = None
    baseline: str | Mapping[str, Any] | None = None
    primary_metric: str | None = None

    def __post_init__(self) -> None:
        names = [_variant_name(variant) for variant in self.variants]
        if twice_text := _twice_text(names):
            raise UserError(f"two variants are called {twice_text!r}: give each a name of its own")

    @classmethod
    def read(cls, path: str | Path) -> "Grid":
        """A grid from a YAML or JSON file: `run`'s arguments, `variants`, and perhaps the other names of fields."""
        content = settings_file.mapping(Path(path), "k: [1, 2, 5]")
        for name in content:
            if name in UNPLANNED:
                raise UserError(f"{path}: {name} is not of a cell, but of the whole ablation: type it beside the file")
            if name not in FILE_KEYS and name not in planned_arguments():
                raise UserError(f"{path}: {unknown('key', name, (*FILE_KEYS, *planned_arguments()))}")
        own_fields = {name: content[name] for name in FILE_KEYS if name in content}
        variants = own_fields.pop("variants", ())
        if not isinstance(variants, Sequence) or isinstance(variants, str):
            raise UserError(f"{path}: variants must be a list of mappings, each with a name")
        return cls(tuple(variants), {k: v for k, v in content.items() if k not in FILE_KEYS}, **own_fields)


@dataclass(frozen=True, slots=True)
class CellSettings:
    """The name of a cell, its values on the axes as they are typed, and all of its arguments of `run`."""

    name: str
    values: Mapping[str, Any]
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ParameterGrid:
    """The axes with their values and the variants of an ablation, before any cell is made."""

    axes: Mapping[str, Sequence[Any]]
    variants: Sequence[Mapping[str, Any]]
    fixed: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of cells."""
        return prod(map(len, self.axes.values())) * max(len(self.variants), 1)

    @property
    def labels(self) -> dict[str, list[Any]]:
        """The axes with their values as they are typed, the variants' names first."""
        named_values = {"variant": [variant["name"] for variant in self.variants]} if self.variants else {}
        return named_values | {name: [typed_form(value) for value in values] for name, values in self.axes.items()}

    def __str__(self) -> str:
        labels = self.labels
        if list(labels) == ["variant"]:
            return counted(self.size, "variant")
        sizes = [f"{len(values)} {name}" for name, values in labels.items()]
        return f"{' × '.join(sizes)} = {counted(self.size, 'cell')}"

    def cells(self) -> Iterator[CellSettings]:
        """Every combination, the last axis running fastest."""
        for variant in self.variants or ({},):
            own_fields = {name: value for name, value in variant.items() if name != "name"}
            for values in product(*self.axes.values()):
                chosen_fields = dict(zip(self.axes, values, strict=True))
                shown_names = ({"variant": variant["name"]} if variant else {}) | {
                    n: typed_form(v) for n, v in chosen_fields.items()
                }
                named_names = [
                    str(shown_names[name]) if name == "variant" else f"{name}={shown_names[name]}"
                    for name in shown_names
                ]
                yield CellSettings(", ".join(named_names), shown_names, {**self.fixed, **own_fields, **chosen_fields})


def parameter_grid(known_names: Collection[str], grid: Grid, given_values: Mapping[str, Any]) -> ParameterGrid:
    """What varies. `known_names`: `run`'s arguments. Raises `UserError` for an empty grid and for what `run` lacks."""
    arguments = {**grid.axes, **{name: value for name, value in given_values.items() if value is not None}}
    for name in (*arguments, *(name for variant in grid.variants for name in variant if name != "name")):
        if name not in known_names:
            raise unknown_argument(name, known_names)
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
    if name in NOT_AXES or not isinstance(value, (list, tuple, range)):
        return False
    return name != "data" or not value or all(isinstance(item, (str, Path)) for item in value)  # else: examples


def _twice_text(values: Sequence[str]) -> str | None:
    """The first value that comes again, None where none does."""
    return next((value for value, count in Counter(values).items() if count > 1), None)


def _check_axis(name: str, values: Sequence[Any]) -> None:
    if not values:
        raise UserError(f"{name}=[] holds no value: give at least one, or leave {name} out")
    shown_names = [str(typed_form(value)) for value in values]
    if twice_text := _twice_text(shown_names):
        hint = f'leave one out; objects that look alike get names: grid=[{{"name": "ours", "{name}": …}}, …]'
        raise UserError(f"{name} has the value {twice_text} twice: {hint}")


def _variant_name(variant: Any) -> str:
    if not isinstance(variant, Mapping) or not isinstance(variant.get("name"), str) or not variant["name"]:
        raise UserError(f'a variant is a mapping with a name, as in {{"name": "ours", "k": 5}}; got {variant!r}')
    return str(variant["name"])
