"""Our scores against those of the published scorers: a small table here, and large cases if their folder exists.

The table was computed once: BLEU and ROUGE-L by the COCO captions scorer (pycocoevalcap 1.2), METEOR by nltk 3.10.4
with WordNet 3.0 and with an empty WordNet, on the tokens that our metrics use; F1 and exact match by hand. So was a
second one: ROUGE by rouge-score 0.1.2 (no stemming), LongBench's ROUGE-L by rouge 1.0.1, F1 on ASCII with Unidecode
1.4.0.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.metrics import get
from tests.turns import for_each

NAMES = ("bleu-1", "bleu-4", "rouge-l", "meteor", "meteor:wordnet=false", "f1", "exact_match")
CASES = [
    (
        "the grey gull sat on the harbour wall",
        ["the grey gull sat on the harbour wall"],
        (99.99999998, 99.99999997, 100.0, 99.90234375, 99.90234375, 100.0, 100.0),
    ),
    (
        "The old ship left the harbour at dawn.",
        ["At dawn the old ship left the harbour.", "The ship sailed from the harbour at first light"],
        (99.99999998, 84.0896415, 75.0, 99.21875, 99.21875, 100.0, 0.0),
    ),
    (
        "Gulls were crying over the walls",
        ["a gull cried over the wall all day"],
        (23.88437701, 6.2e-07, 27.85388128, 62.05128205, 62.05128205, 100 * 2 / 11, 0.0),
    ),
    (
        "he rested on the sofa",
        ["she rested on a couch"],
        (39.99999998, 1.14e-06, 40.0, 51.11111111, 37.5, 50.0, 0.0),
    ),
    ("", ["an anchor"], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    (
        "Ça va? No: 42 x_1",
        ["ça va, 42 x_1, no"],
        (99.99999996, 1.7e-06, 80.0, 89.2, 89.2, 100.0, 0.0),
    ),
]
CORPUS = {
    "bleu-1": 68.94507051,
    "bleu-4": 52.21444306,
    "rouge-l": 53.80898021,
    "meteor": 66.91391449,
    "meteor:wordnet=false": 64.64539597,
    "f1": (100 + 100 + 200 / 11 + 50 + 0 + 100) / 6,
    "exact_match": 100 / 6,
}
SCROLLS_CASES = [
    (
        "the grey gull sat on the harbour wall",
        ["the grey gull sat on the harbour wall"],
        (100.0, 100.0, 100.0, 99.9999995, 100.0),
    ),
    (
        "The old ship left the harbour at dawn.",
        ["At dawn the old ship left the harbour.", "The ship sailed from the harbour at first light"],
        (100.0, 85.71428571, 75.0, 66.66666617, 100.0),
    ),
    (
        "The crew slept. The old ship left the harbour at dawn, and the gulls cried.",
        [
            "At dawn the old ship left. The gulls cried over the harbour. The crew slept on.",
            "The crew slept while gulls cried.",
        ],
        (90.32258065, 68.96551724, 47.61904762, 59.25925876, 86.95652174),
    ),
    (
        "the gull the gull the gull",
        ["the gull sat. the gull flew. the ship left"],
        (66.66666667, 30.76923077, 66.66666667, 49.99999963, 44.44444444),
    ),
    (
        "Ça va? No: 42 x_1 naïve café",
        ["ça va, 42 x_1, no naive cafe"],
        (70.58823529, 40.0, 58.82352941, 14.28571379, 100.0),
    ),
    (
        "Rashād’s café; the 3.5 m naïve Ångström",
        ["Rashads cafe, 3.5 m: a naive Angstrom"],
        (30.0, 22.22222222, 30.0, 24.9999995, 83.33333333),
    ),
    ("", ["an anchor"], (0.0, 0.0, 0.0, 0.0, 0.0)),
    ("...", ["an anchor."], (0.0, 0.0, 0.0, 0.0, 0.0)),
    ("anchor", ["anchor chain", "chain"], (66.66666667, 0.0, 66.66666667, 66.66666622, 66.66666667)),
]
TABLE = [
    (name, prediction, references, values[column])
    for prediction, references, values in CASES
    for column, name in enumerate(NAMES)
]
GOLDEN = {
    "f1": ("f1",),
    "exact_match": ("exact_match",),
    "coco_captions": ("bleu-1", "bleu-4", "rouge-l"),
    "meteor": ("meteor",),
}
# Kinds with several scores: our metric, and the name of our score for each of theirs.
SEVERAL_SCORES = {
    "scrolls_rouge": ("rouge", {key: key for key in ("rouge1", "rouge2", "rougeL", "geometric_mean")}),
    "f1_ascii": ("f1_ascii", {"f1": "f1_ascii"}),
    "exponential_similarity": ("exponential_similarity", {"exponential_similarity": "exponential_similarity"}),
    "concordance_index": ("concordance_index", {"concordance_index": "concordance_index"}),
    "multiple_choice_accuracy": ("choice_accuracy", {"accuracy": "accuracy"}),
    "style_change_macro_f1": ("style_change", {"macro_f1": "macro_f1"}),
}


def large_cases(goldens: Path) -> list[dict[str, Any]]:
    """The cases of all kinds in the folder of goldens."""
    lines = (goldens / "metric_cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def score(name: str, predictions: list[str], references: list[list[str]], request: pytest.FixtureRequest) -> float:
    if name == "meteor":
        request.getfixturevalue("wordnet")
    (value,) = get(name).score(predictions, references).values()
    return value


@for_each(("name", "prediction", "references", "expected"), TABLE)
def test_a_pair_scores_what_the_published_scorer_says(
    name: str, prediction: str, references: list[str], expected: float, request: pytest.FixtureRequest
) -> None:
    assert score(name, [prediction], [references], request) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_the_six_pairs_together_score_what_the_published_scorer_says(name: str, request: pytest.FixtureRequest) -> None:
    predictions, references = [case[0] for case in CASES], [case[1] for case in CASES]
    assert score(name, predictions, references, request) == pytest.approx(CORPUS[name], abs=1e-7)


@pytest.mark.parametrize("kind", GOLDEN)
def test_the_large_cases_agree_to_a_millionth(kind: str, goldens: Path, request: pytest.FixtureRequest) -> None:
    cases = [case for case in large_cases(goldens) if case["metric"] == kind]
    assert cases
    for case in cases:
        for name in GOLDEN[kind]:
            result = score(name, case["predictions"], case["references"], request)
            assert result == pytest.approx(case["expected"][name], abs=1e-6), (case["case"], name)


@pytest.mark.parametrize("kind", SEVERAL_SCORES)
def test_the_large_cases_with_several_scores_agree_to_a_millionth(kind: str, goldens: Path) -> None:
    cases = [case for case in large_cases(goldens) if case["metric"] == kind]
    assert cases
    name, keys = SEVERAL_SCORES[kind]
    for case in cases:
        scores = get(name).score(case["predictions"], case["references"])
        assert {theirs: scores[ours] for theirs, ours in keys.items()} == pytest.approx(case["expected"], abs=1e-6), (
            case["case"]
        )


def test_no_kind_of_large_case_is_left_out(goldens: Path) -> None:
    assert {case["metric"] for case in large_cases(goldens)} == {*GOLDEN, *SEVERAL_SCORES}


@pytest.mark.parametrize(("prediction", "references", "expected"), SCROLLS_CASES)
def test_a_pair_scores_what_rouge_score_longbench_and_zero_scrolls_say(
    prediction: str, references: list[str], expected: tuple[float, ...]
) -> None:
    scores: dict[str, float] = {}
    for name in ("rouge", "rouge_l_longbench", "f1_ascii"):
        scores |= get(name).score([prediction], [references])
    keys = ("rouge1", "rouge2", "rougeL", "rouge_l_longbench", "f1_ascii")
    assert tuple(scores[key] for key in keys) == pytest.approx(expected, abs=1e-7)
