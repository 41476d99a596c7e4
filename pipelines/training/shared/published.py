"""Recipes of papers and of their code as presets, and how a training here differs from them.

SCROLLS (Shaham et al. 2022), appendix D: a batch is 2^17 tokens, 16,384 on each of eight devices or by accumulation.
The code's configuration differs from the paper as `CODE` shows; it lists the learning rates that the search found.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from models import hub
from models.likelihood import Likelihood
from pipelines.training.shared.scrolls_rates import LENGTHS, RATES, WIDTH

R = TypeVar("R")

EPOCHS = {
    "scrolls/gov_report": 10,
    "scrolls/summ_screen_fd": 10,
    "scrolls/qmsum": 10,
    "scrolls/qasper": 20,
    "scrolls/quality": 20,
    "scrolls/contract_nli": 20,
    "scrolls/narrative_qa": 2,
}
PAPER: dict[str, Any] = {
    "published": "scrolls-paper",
    "epochs": EPOCHS,
    "learning_rates": [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4],
    "adam_beta2": 0.98,
    "adam_epsilon": 1e-6,
    "weight_decay": 0.0,
    "dropout": 0.1,
    "warmup": 0.1,
    "batch_tokens": 16_384,
    "accumulation": 8,
    "gradient_checkpointing": True,
    "best": "last",
    "patience": None,
}
CODE: dict[str, Any] = PAPER | {
    "published": "scrolls-code",
    "epochs": EPOCHS | {"scrolls/qmsum": 20},
    "learning_rate": "listed",
    "learning_rates": [],
    "weight_decay": 0.001,
    "target_length": 1024,
    "length_grouping": True,
    "best": "loss",
}
FIELDS: dict[str, dict[str, Any]] = {"scrolls-paper": PAPER, "scrolls-code": CODE}
ALWAYS = (
    "computed in bf16 where the hardware does, else in fp32, where the publication has fp16: T5 overflows in fp16",
    "a batch's tokens are those of its prompts, padded to the longest of the batch, not to the model's limit",
)
SEARCHED = "the learning rate is chosen by the loss on the validation examples, not by the task's metric"
UNSAID_VALUES = {
    "scrolls-paper": ("the paper names no weight decay and no choice among epochs: none, and the last one",)
}


def presets() -> dict[str, str]:
    """The recipes as specs of the registry."""
    return {
        name: "generation:" + ",".join(f"{key}={json.dumps(value)}" for key, value in fields.items())
        for name, fields in FIELDS.items()
    }


@dataclass(frozen=True, slots=True)
class Setting:
    """What a listed learning rate is for: task, architecture, input tokens. `width` is the network's own
    (`d_model`).
    """

    task: str
    architecture: str
    length: int
    width: int

    @classmethod
    def of(cls, task: str, reader: Any, bound: int | None) -> "Setting":
        """The setting of a sequence-to-sequence reader whose prompts are truncated to `bound` tokens, if given."""
        inner: Any = reader.reader if isinstance(reader, Likelihood) else reader
        settings = hub.config(hub.folder(inner.model, inner.revision, weights=False).path)
        length = inner.limit
        return cls(
            task,
            str(settings.get("model_type", "")),
            length if bound is None else min(length, bound),
            int(settings.get("d_model") or 0),
        )

    @property
    def rate(self) -> float | None:
        """The listed learning rate, None if there is none."""
        return RATES.get((self.task, self.architecture, self.length))

    @property
    def unlisted(self) -> str:
        """The message if there is none."""
        known_text = " and ".join(
            f"{kind} at {', '.join(map(str, lengths))} tokens" for kind, lengths in LENGTHS.items()
        )
        setting = f"{self.architecture} at {self.length} on {self.task}"
        return f"the published code lists learning rates for SCROLLS' tasks, {known_text}, not for {setting}"


def rated(recipe: R, setting: Setting | None) -> R:
    """The recipe with its listed learning rate, or with the paper's search for one where none is listed."""
    chosen_value: Any = recipe
    if setting is None or chosen_value.learning_rates or chosen_value.learning_rate != "listed":
        return recipe
    if setting.rate is not None:
        return replace(chosen_value, learning_rate=setting.rate)  # type: ignore[no-any-return]
    return replace(chosen_value, learning_rates=tuple(PAPER["learning_rates"]))  # type: ignore[no-any-return]


def _rate_names(recipe: Mapping[str, Any], setting: Mapping[str, Any]) -> list[str]:
    """How the learning rate differs from the listed one."""
    known_setting = Setting(**setting)
    used = recipe["learning_rates"] or [recipe["learning_rate"]]
    if known_setting.rate is None:
        return [f"{known_setting.unlisted}: here {', '.join(f'{rate:g}' for rate in used)}"]
    differences = (
        []
        if used == [known_setting.rate]
        else [f"learning_rate is {json.dumps(used)}, in the publication {known_setting.rate:g}"]
    )
    if known_setting.width != WIDTH:
        differences.append(f"the listed learning rate is of a network {WIDTH} wide, this one has {known_setting.width}")
    return differences


def deviations(recipe: Mapping[str, Any], task: str, setting: Mapping[str, Any] | None = None) -> list[str]:
    """How a recorded recipe differs from the published one that it names; empty if it names none.

    `setting` is the recorded `Setting`, of recipes whose learning rate is listed.
    """
    fields = FIELDS.get(recipe.get("published") or "")
    if fields is None:
        return []
    differences = [
        *ALWAYS,
        *([SEARCHED] if recipe["learning_rates"] else ()),
        *UNSAID_VALUES.get(recipe["published"], ()),
    ]
    if setting is not None:
        differences += _rate_names(recipe, setting)
        fields = {name: value for name, value in fields.items() if name not in ("learning_rate", "learning_rates")}
    for name, value in fields.items():
        wanted_value = value.get(task) if isinstance(value, Mapping) else value
        if recipe[name] != wanted_value:
            differences.append(f"{name} is {json.dumps(recipe[name])}, in the publication {json.dumps(wanted_value)}")
    return differences
