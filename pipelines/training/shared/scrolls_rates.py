"""The learning rates that SCROLLS' published code trains with: 42 facts, by task, architecture and input tokens.

Source: github.com/tau-nlp/scrolls, baselines/scripts/commands/finetune.py, `all_learning_rates`, of facebook/bart-base
and allenai/led-base-16384. Appendix D of Shaham et al. 2022 says from which six rates each was chosen.
"""

from collections.abc import Mapping

LENGTHS = {"bart": (256, 512, 1_024), "led": (1_024, 4_096, 16_384)}
WIDTH = 768  # `d_model` of both base models
_ROWS: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "scrolls/qasper": {"bart": (5e-5, 5e-5, 5e-5), "led": (2e-5, 5e-5, 2e-5)},
    "scrolls/narrative_qa": {"bart": (1e-4, 5e-5, 5e-5), "led": (2e-5, 1e-5, 1e-5)},
    "scrolls/gov_report": {"bart": (5e-4, 5e-4, 2e-4), "led": (1e-4, 1e-4, 5e-5)},
    "scrolls/summ_screen_fd": {"bart": (2e-4, 2e-4, 1e-4), "led": (5e-5, 2e-5, 1e-5)},
    "scrolls/qmsum": {"bart": (1e-4, 5e-5, 5e-5), "led": (5e-5, 1e-5, 1e-5)},
    "scrolls/contract_nli": {"bart": (1e-4, 1e-4, 5e-5), "led": (5e-5, 2e-5, 1e-5)},
    "scrolls/quality": {"bart": (5e-5, 2e-5, 1e-5), "led": (2e-5, 1e-5, 1e-5)},
}
RATES: Mapping[tuple[str, str, int], float] = {
    (task, kind, length): rate
    for task, kinds_values in _ROWS.items()
    for kind, rates in kinds_values.items()
    for length, rate in zip(LENGTHS[kind], rates, strict=True)
}
