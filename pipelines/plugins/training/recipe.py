"""Train a reader or a retriever for a task: one recipe per training method, its fields being the hyperparameters.

    pipelines.train("style_change", model="bi_encoder", data="mix", out="trained", epochs=2)

A recipe takes a `TrainingJob` and writes a folder that `models.get` loads as a reader, or `retrievers.get` as a
retriever; nothing in it is pickled.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError
from longdoc.registry import Registry, name_of
from models.requests import TrainingExample
from pipelines.plugins.training.shared import published
from retrievers import JudgedDocument


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What a recipe trains on: the training examples, and those to validate on (perhaps none).

    `reader` is the untrained model as a reader: it counts tokens, encodes prompts and knows its limits. `out` is the
    folder for the trained reader, `checkpoints` the one from which an interrupted training continues. `report(text)`
    prints progress. `labels` are the classes of a classification task.

    Where a retriever is trained, `reader` is that retriever, and `documents` take the place of training examples.
    """

    reader: Any
    train: Sequence[TrainingExample]
    validation: Sequence[TrainingExample]
    labels: tuple[str, ...]
    out: Path
    checkpoints: Path
    seed: int
    report: Callable[[str], None] = field(default=lambda text: None)
    documents: Sequence[JudgedDocument] = ()


class Recipe(ABC):
    """Base class of recipes: a subclass defines `trains` and `__call__`, and overrides the attributes that differ.

    - `trains`: the names of the readers or retrievers that it can train.
    - `validates`: whether it uses validation examples.
    - `libraries`: modules of the extra `neural` that it needs; the data are not read where one is missing.
    - `published`: the published recipe that its fields follow.
    - `epochs`: passes over the data, or their number by task; `learning_rates`: the rates to try in turn.
    """

    trains: frozenset[str]
    validates: bool = True
    libraries: ClassVar[tuple[str, ...]] = ()
    published: str | None = None
    epochs: float | Mapping[str, float] | None = None
    learning_rate: float | Literal["listed"] | None = None
    learning_rates: tuple[float, ...] = ()

    @abstractmethod
    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Train, write the result into `job.out`, and return metrics by name. Raises `UserError`."""


registry: Registry[Recipe] = Registry(
    __name__,
    "recipe",
    contract=Recipe,
    presets=published.presets(),
    folders=(),
    plural="recipes",
    group="longdoc.pipelines.training",
    example="recipe='generation'",
)


def get(spec: Any, /, **fields: Any) -> Recipe:
    """The recipe for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all recipes."""
    return registry.names()


def with_fields(spec: Any, fields: Mapping[str, Any]) -> Recipe:
    """The recipe of `spec` with these fields. Raises `UserError` for unknown fields."""
    if isinstance(spec, str) and spec in registry.presets and "learning_rate" in fields:
        fields = {"learning_rates": (), **fields}  # a given rate replaces a published search
    return get(spec, **fields)


def for_reader(reader: Any, spec: Any, fields: Mapping[str, Any]) -> Recipe:
    """The recipe of `spec`, by default that for this kind of reader. Raises `UserError` if it cannot train it."""
    kind = name_of(reader)
    if spec is None:
        recipes = [name for name in names() if name not in registry.presets]
        spec = next((name for name in recipes if kind in registry.component(name).trains), None)  # type: ignore[attr-defined]
        if spec is None:
            raise UserError(f"{kind} cannot be trained: it has no weights, or no recipe trains them")
    recipe = with_fields(spec, fields)
    if kind not in recipe.trains:
        raise UserError(f"the recipe {name_of(recipe)} is for {', '.join(sorted(recipe.trains))}, not for {kind}")
    return recipe
