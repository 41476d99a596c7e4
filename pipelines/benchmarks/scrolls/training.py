"""How SCROLLS' models were trained, as recipes: by its paper and by its code.

Shaham et al. 2022, appendix D: a batch is 2^17 tokens, 16,384 on each of eight devices or by accumulation. The code's
configuration differs from the paper as `CODE` shows. It lists the learning rates that a search among the six rates of
the paper found, by task, architecture and input tokens: github.com/tau-nlp/scrolls,
baselines/scripts/commands/finetune.py, `all_learning_rates`, of facebook/bart-base and allenai/led-base-16384.
"""

from collections.abc import Mapping
from typing import Any

from pipelines.plugins.training.shared.published import PublishedRecipes

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
LENGTHS = {"bart": (256, 512, 1_024), "led": (1_024, 4_096, 16_384)}
WIDTH = 768  # `d_model` of both base models
_RATES_BY_LENGTH: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "scrolls/qasper": {"bart": (5e-5, 5e-5, 5e-5), "led": (2e-5, 5e-5, 2e-5)},
    "scrolls/narrative_qa": {"bart": (1e-4, 5e-5, 5e-5), "led": (2e-5, 1e-5, 1e-5)},
    "scrolls/gov_report": {"bart": (5e-4, 5e-4, 2e-4), "led": (1e-4, 1e-4, 5e-5)},
    "scrolls/summ_screen_fd": {"bart": (2e-4, 2e-4, 1e-4), "led": (5e-5, 2e-5, 1e-5)},
    "scrolls/qmsum": {"bart": (1e-4, 5e-5, 5e-5), "led": (5e-5, 1e-5, 1e-5)},
    "scrolls/contract_nli": {"bart": (1e-4, 1e-4, 5e-5), "led": (5e-5, 2e-5, 1e-5)},
    "scrolls/quality": {"bart": (5e-5, 2e-5, 1e-5), "led": (2e-5, 1e-5, 1e-5)},
}
RATES: Mapping[tuple[str, str, int], float] = {
    (task, architecture, length): rate
    for task, rates_by_architecture in _RATES_BY_LENGTH.items()
    for architecture, rates in rates_by_architecture.items()
    for length, rate in zip(LENGTHS[architecture], rates, strict=True)
}
RECIPES = PublishedRecipes(
    fields={"scrolls-paper": PAPER, "scrolls-code": CODE},
    unsaid={
        "scrolls-paper": (
            "the paper states neither a weight decay nor which epoch counts: none is used, and the last epoch counts",
        )
    },
    rates=RATES,
    lengths=LENGTHS,
    width=WIDTH,
    searched=tuple(PAPER["learning_rates"]),
    tasks="SCROLLS' tasks",
)
