"""Published training recipes as presets, and how a training differs from the one that it names.

A benchmark keeps its published recipes in its folder, as `RECIPES` of the module `training`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar, runtime_checkable

from longdoc import extensions
from models import hub
from models.likelihood import Likelihood

R = TypeVar("R")

ALWAYS = (
    "computed in bf16 where the hardware does, else in fp32, where the publication has fp16: T5 overflows in fp16",
    "a batch's tokens are those of its prompts, padded to the longest of the batch, not to the model's limit",
)
SEARCHED = "the learning rate is chosen by the loss on the validation examples, not by the task's metric"


@dataclass(frozen=True)
class PublishedRecipes:
    """A benchmark's published recipes: `fields` by the recipe's name, and what the publication leaves `unsaid`.

    `rates` are the learning rates that its code lists by task, architecture and input tokens, for the `lengths` of each
    architecture and networks of one `width` (`d_model`). Where none is listed, those `searched` are tried in turn.
    `tasks` is what its tasks are called.
    """

    fields: Mapping[str, Mapping[str, Any]]
    unsaid: Mapping[str, Sequence[str]]
    rates: Mapping[tuple[str, str, int], float]
    lengths: Mapping[str, Sequence[int]]
    width: int
    searched: tuple[float, ...]
    tasks: str

    def lists_rates(self, name: str) -> bool:
        """Whether a recipe takes the learning rates that its code lists."""
        return self.fields[name].get("learning_rate") == "listed"

    def rate(self, setting: "Setting") -> float | None:
        """The learning rate that is listed for a setting, None if there is none."""
        return self.rates.get((setting.task, setting.architecture, setting.length))

    def unlisted_message(self, setting: "Setting") -> str:
        """The message where no learning rate is listed for a setting."""
        listed = " and ".join(f"{kind} at {', '.join(map(str, sizes))} tokens" for kind, sizes in self.lengths.items())
        missing = f"{setting.architecture} at {setting.length} on {setting.task}"
        return f"the published code lists learning rates for {self.tasks}, {listed}, not for {missing}"


@runtime_checkable
class TrainingModule(Protocol):
    """A benchmark's module `training`."""

    RECIPES: PublishedRecipes


@cache
def recipes() -> dict[str, PublishedRecipes]:
    """The published recipes by their names."""
    modules = [module for module in extensions.parts("training") if isinstance(module, TrainingModule)]
    return {name: module.RECIPES for module in modules for name in module.RECIPES.fields}


def presets() -> dict[str, str]:
    """The published recipes by name, as specs for the registry."""
    return {
        name: "generation:" + ",".join(f"{key}={json.dumps(value)}" for key, value in published.fields[name].items())
        for name, published in recipes().items()
    }


@dataclass(frozen=True, slots=True)
class Setting:
    """What a listed learning rate depends on: task, architecture, input tokens, and the network's width (`d_model`)."""

    task: str
    architecture: str
    length: int
    width: int

    @classmethod
    def of(cls, task: str, reader: Any, limit: int | None) -> "Setting":
        """The setting of a sequence-to-sequence reader whose prompts are truncated to `limit` tokens, if given."""
        seq2seq: Any = reader.reader if isinstance(reader, Likelihood) else reader
        config = hub.config(hub.folder(seq2seq.model, seq2seq.revision, weights=False).path)
        return cls(
            task,
            architecture=str(config.get("model_type", "")),
            length=seq2seq.limit if limit is None else min(seq2seq.limit, limit),
            width=int(config.get("d_model") or 0),
        )


def with_listed_rate(recipe: R, setting: Setting | None) -> R:
    """The recipe with its listed learning rate, or with the paper's search for one where none is listed."""
    chosen: Any = recipe
    if setting is None or chosen.learning_rates or chosen.learning_rate != "listed":
        return recipe
    published = recipes()[chosen.published]
    if (rate := published.rate(setting)) is not None:
        return replace(chosen, learning_rate=rate)  # type: ignore[no-any-return]
    return replace(chosen, learning_rates=published.searched)  # type: ignore[no-any-return]


def _rate_differences(published: PublishedRecipes, recipe: Mapping[str, Any], setting: Setting) -> list[str]:
    """How the learning rate differs from the listed one."""
    used, listed = recipe["learning_rates"] or [recipe["learning_rate"]], published.rate(setting)
    if listed is None:
        return [f"{published.unlisted_message(setting)}: here {', '.join(f'{rate:g}' for rate in used)}"]
    differences = [] if used == [listed] else [f"learning_rate is {json.dumps(used)}, in the publication {listed:g}"]
    if setting.width != published.width:
        text = f"the listed learning rate is of a network {published.width} wide, this one has {setting.width}"
        differences.append(text)
    return differences


def deviations(recipe: Mapping[str, Any], task: str, setting: Mapping[str, Any] | None = None) -> list[str]:
    """How a recorded recipe differs from the published one that it names; empty if it names none.

    `setting` is the recorded `Setting` of a recipe whose learning rate is listed.
    """
    name = recipe.get("published") or ""
    if (published := recipes().get(name)) is None:
        return []
    fields = published.fields[name]
    differences = [
        *ALWAYS,
        *([SEARCHED] if recipe["learning_rates"] else ()),
        *published.unsaid.get(name, ()),
    ]
    if setting is not None:
        differences += _rate_differences(published, recipe, Setting(**setting))
        fields = {name: value for name, value in fields.items() if name not in ("learning_rate", "learning_rates")}
    for name, value in fields.items():
        published_value = value.get(task) if isinstance(value, Mapping) else value
        if recipe[name] != published_value:
            differences.append(
                f"{name} is {json.dumps(recipe[name])}, in the publication {json.dumps(published_value)}"
            )
    return differences
