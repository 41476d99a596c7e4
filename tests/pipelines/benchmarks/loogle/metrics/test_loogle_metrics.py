"""LooGLE's scores: those of its published code for the same texts, computed there once."""

import pytest

from pipelines import metrics
from pipelines.benchmarks.loogle.metrics.meteor_loogle import _ordered, _table_size
from pipelines.metrics.meteor import Meteor

CASES = [
    # prediction, reference, BLEU-1, BLEU-4, and the recalls of ROUGE-1, -2 and -L by nltk 3.10.4 and rouge 1.0.1
    (
        "The gull left the wall.",
        "The grey gull left the harbour wall at dawn.",
        (35.9463171294, 0.0, 55.5555555556, 25.0, 55.5555555556),
    ),
    (
        "He left. The gull saw him leave at dawn, by boat. Boat and gull.",
        "The gull saw him leave at dawn. He left by boat.",
        (64.2857142857, 27.2727272727, 90.9090909091, 70.0, 90.9090909091),
    ),
    ("the the the the the", "the cat is on the mat", (32.7492301231, 0.0, 20.0, 0.0, 20.0)),
    ("A b c d e f", "A b c d e f", (100.0, 100.0, 100.0, 100.0, 100.0)),
    ("owl", "An owl.", (0.0, 0.0, 50.0, 0.0, 50.0)),
    ("Rome\nand Paris", "Rome and Paris and Rome", (51.3417119033, 0.0, 100.0, 50.0, 100.0)),
    ("", "None", (100.0, 0.0, 100.0, 0.0, 100.0)),
    (" ", "a", (0.0, 0.0, 0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("prediction", "reference", "expected"), CASES)
def test_bleu_and_rouge_are_those_of_nltk_and_rouge(
    prediction: str, reference: str, expected: tuple[float, ...]
) -> None:
    scores = [
        *metrics.get("bleu_loogle").score([prediction], [[reference]]).values(),
        *metrics.get("rouge_loogle").score([prediction], [[reference]]).values(),
    ]
    assert scores == pytest.approx(expected, abs=1e-9)


def test_an_empty_output_is_the_word_none_as_in_loogle() -> None:
    for name in ("bleu_loogle", "rouge_loogle", "meteor_loogle:wordnet=false"):
        metric = metrics.get(name)
        assert metric.score([""], [["None of them"]]) == metric.score(["None"], [["None of them"]])


def test_a_text_of_full_stops_alone_scores_nothing() -> None:
    assert set(metrics.get("rouge_loogle").score(["..", "a."], [["a"], ["."]]).values()) == {0}


def test_the_best_reference_counts_for_each_kind() -> None:
    scores = metrics.get("rouge_loogle").score(["the gull left"], [["an owl", "the gull"]])
    assert scores == {"rouge1_loogle": 100, "rouge2_loogle": 100, "rougeL_loogle": 100}


def test_without_wordnet_the_message_names_this_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Meteor) -> None:
        raise metrics.NotComputable("WordNet is missing: python -m nltk.downloader wordnet, or meteor:wordnet=false")

    monkeypatch.setattr(Meteor, "prepare", missing)
    with pytest.raises(metrics.NotComputable, match="or meteor_loogle:wordnet=false"):
        metrics.get("meteor_loogle").prepare()


def test_meteor_takes_each_different_word_once_and_does_not_change_from_start_to_start() -> None:
    metric = metrics.get("meteor_loogle:wordnet=false")
    once = metric.score(["the gull left"], [["the gull left the wall"]])
    assert once == metric.score(["the the gull left left"], [["the gull left the wall the"]])
    assert metric.score(["gull"], [["gull"]]) == {"meteor_loogle": 50}
    assert metric.score(["left gull"], [["gull left"]]) == metric.score(["gull left"], [["gull left"]])


def test_words_are_ordered_as_in_a_hash_table_that_grows_as_cpythons_sets_do() -> None:
    import sys

    for count in (1, 4, 5, 18, 19, 20, 76, 77, 200):
        empty, full = sys.getsizeof(set()), sys.getsizeof(set(map(str, range(count))))
        places = 8 if full == empty else (full - empty) // 16
        assert _table_size(count) == places, count
    assert sorted(_ordered({"A", "a", "b"}, 0)) == ["a", "a", "b"]


CLOZE = '{"<mask-0>": "Jane Doe", "<mask-1>": "Rome"}'


@pytest.mark.parametrize(
    ("output", "exact", "partial", "none"),
    [
        ("{'<mask-0>': 'Jane Doe', '<mask-1>': 'Rome'}", 100, 100, 0),
        ("{'<mask-0>': 'Doe', '<mask-1>': 'rome'}", 0, 50, 0),
        ("{'<mask-0>': 7, '<mask-1>': None}", 0, 0, 0),
        ("{'<mask-2>': 'Rome'}", 0, 0, 0),
        ("```json\n{'<mask-1>': 'Rome'}\n```", 0, 0, 100),
        ("{'<mask-1>': 'Rome'", 0, 0, 100),
        ("['Rome']", 0, 0, 100),
        ("", 0, 0, 100),
        ("{'<mask-1>': __import__('os').getcwd()}", 0, 0, 100),
        ("[" * 5000, 0, 0, 100),
        ("{**{'<mask-1>': 'Rome'}}", 0, 0, 100),
        ("{[]: 1}", 0, 0, 100),
    ],
)
def test_a_cloze_is_read_as_a_literal_and_never_run(output: str, exact: float, partial: float, none: float) -> None:
    assert metrics.get("cloze_match").score([output], [[CLOZE]]) == {
        "cloze_exact_match": exact, "cloze_partial_match": partial, "no_dictionary": none,
    }  # fmt: skip


def test_masks_are_counted_over_all_examples_together() -> None:
    scores = metrics.get("cloze_match").score(["{'<mask-0>': 'Bo'}", ""], [['{"<mask-0>": "Bo"}'], [CLOZE]])
    assert scores["cloze_exact_match"] == pytest.approx(100 / 3)
    assert scores["no_dictionary"] == 50
