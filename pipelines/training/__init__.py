"""Teach a reader a task: one recipe for each way of learning, its fields the hyperparameters.

    pipelines.train("style_change", model="bi_encoder", data="mix", out="trained", epochs=2)

A recipe takes a `Course` and leaves a folder that `models.get` makes the taught reader of; nothing in it is pickled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from longdoc.errors import UserError
from longdoc.registry import Registry, name_of
from models.requests import TrainingExample
from pipelines.training import _published


@dataclass(frozen=True, slots=True)
class Course:
    """What there is to learn from: training examples of the training and of the validation documents (perhaps none of
    these).

    `reader` is made of the untrained model: it counts tokens, encodes prompts and knows its limits. `out` is where the
    reader goes. `checkpoints` is the folder that a training which was broken off goes on from. `report(text)` says how
    it goes. `labels` are the classes of a classification task.
    """

    reader: Any
    train: Sequence[TrainingExample]
    validation: Sequence[TrainingExample]
    labels: tuple[str, ...]
    out: Path
    checkpoints: Path
    seed: int
    report: Callable[[str], None] = field(default=lambda text: None)


@runtime_checkable
class Recipe(Protocol):
    """A way to learn. `trains` are the names of the readers that it is for; `validates`: whether it stops early."""

    trains: frozenset[str]
    validates: bool

    def __call__(self, course: Course) -> Mapping[str, Any]:
        """Teach, write the reader into `course.out`, and give figures by name. Raises `UserError`."""
        ...


registry: Registry[Recipe] = Registry(__name__, "recipe", contract=Recipe, presets=_published.presets())


def get(spec: Any, /, **fields: Any) -> Recipe:
    """The recipe for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all recipes."""
    return registry.names()


def with_fields(spec: Any, fields: Mapping[str, Any]) -> Recipe:
    """The recipe asked for, with these fields. Raises `UserError` for unknown ones."""
    if isinstance(spec, str) and spec in registry.presets and "learning_rate" in fields:
        fields = {"learning_rates": (), **fields}  # one that is given takes the place of a published search
    return get(spec, **fields)


def for_reader(reader: Any, spec: Any, fields: Mapping[str, Any]) -> Recipe:
    """The recipe asked for, or the one for this kind of reader. Raises `UserError` for a reader it is not for."""
    kind = name_of(reader)
    if spec is None:
        own = [name for name in names() if name not in registry.presets]
        spec = next((name for name in own if kind in registry.component(name).trains), None)  # type: ignore[attr-defined]
        if spec is None:
            raise UserError(f"{kind} learns nothing: it has no weights, or they cannot be trained here")
    recipe = with_fields(spec, fields)
    if kind not in recipe.trains:
        raise UserError(f"the recipe {name_of(recipe)} is for {', '.join(sorted(recipe.trains))}, not for {kind}")
    return recipe
