"""Intervals: exact where they can be, elsewhere by how often they contain the true value."""

from collections.abc import Callable

import numpy as np
import pytest

from pipelines import metrics
from pipelines.metrics import Metric, Row
from pipelines.records import Document, Example
from pipelines.statistics.bootstrap import intervals

EXACT = metrics.get("exact_match")


def rows(*values: float) -> list[Row]:
    return [{"exact_match": value} for value in values]


def test_every_score_has_an_interval_that_names_its_unit() -> None:
    metric = metrics.get("rouge")
    score_rows = [{"rouge1": float(v), "rouge2": v / 2, "rougeL": v / 1.5} for v in range(0, 100, 5)]
    by_name = intervals(metric, score_rows)
    for name, value in metric.aggregate(score_rows).items():
        assert by_name[name].low < value < by_name[name].high
        assert (by_name[name].level, by_name[name].resamples, by_name[name].unit, by_name[name].units) == (
            0.95, 2000, "example", 20,
        )  # fmt: skip


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    score_rows = rows(*np.random.default_rng(4).uniform(0, 100, 40).tolist())
    assert (
        intervals(EXACT, score_rows, seed=3)
        == intervals(EXACT, score_rows, seed=3)
        != intervals(EXACT, score_rows, seed=4)
    )


def test_a_lower_level_gives_a_narrower_interval() -> None:
    score_rows = rows(*np.random.default_rng(4).uniform(0, 100, 40).tolist())
    wide, narrow = intervals(EXACT, score_rows)["exact_match"], intervals(EXACT, score_rows, level=0.8)["exact_match"]
    assert wide.low < narrow.low < narrow.high < wide.high


def test_no_rows_have_no_intervals() -> None:
    assert intervals(EXACT, []) == {}
    assert intervals(EXACT, [], []) == {}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("value", [0.0, 40.0, 100.0])
def test_fewer_than_five_examples_or_documents_have_no_interval(count: int, value: float) -> None:
    score_rows = rows(*[value] * count)
    assert intervals(EXACT, score_rows) == {}
    assert intervals(EXACT, score_rows, ["book"] * count) == {}
    if count > 1:
        assert intervals(EXACT, rows(*range(40)), [f"d{i % count}" for i in range(40)]) == {}


@pytest.mark.parametrize(("count", "is_few"), [(5, True), (9, True), (10, False)])
def test_intervals_of_five_to_nine_units_are_marked(count: int, is_few: bool) -> None:
    interval = intervals(EXACT, rows(*range(0, 10 * count, 10)))["exact_match"]
    assert (interval.units, interval.few, str(interval).endswith("]*")) == (count, is_few, is_few)


def test_only_documents_that_a_score_counts_decide_whether_it_has_an_interval() -> None:
    evidence = metrics.get("evidence_recall")
    score_rows = [{"evidence_recall": 10.0 * i * (i < 8), "has_evidence": float(i < 8)} for i in range(12)]
    assert evidence.aggregate(score_rows) == {"evidence_recall": 35.0}
    assert intervals(evidence, score_rows, [f"d{i // 2}" for i in range(12)]) == {}
    assert intervals(evidence, score_rows)["evidence_recall"].units == 8


def test_where_all_rows_are_equal_the_interval_is_the_exact_one_for_none_of_n() -> None:
    interval = intervals(EXACT, rows(*[0.0] * 78))["exact_match"]
    assert interval.low == 0
    assert interval.high == pytest.approx(4.619, abs=1e-3)  # Clopper and Pearson's upper bound of 0 of 78
    interval = intervals(EXACT, rows(*[100.0] * 78))["exact_match"]
    assert (interval.low, interval.high) == (pytest.approx(95.381, abs=1e-3), 100)


def test_where_all_documents_are_equal_the_exact_interval_counts_documents_not_questions() -> None:
    interval = intervals(EXACT, rows(*[100.0] * 300), [f"d{i // 30}" for i in range(300)])["exact_match"]
    assert (interval.low, interval.high) == (pytest.approx(69.150, abs=1e-3), 100)  # Clopper and Pearson's of 10 of 10
    unequal = [f"d{number}" for number, size in enumerate((1, 60, 7, 31, 201)) for _ in range(size)]
    interval = intervals(EXACT, rows(*[0.0] * 300), unequal)["exact_match"]
    assert (interval.low, interval.high) == (0, pytest.approx(52.182, abs=1e-3))  # of 0 of 5


def test_whole_documents_are_resampled() -> None:
    """Questions of a document are all right or all wrong: ten of them say no more than one."""
    once, tenfold = rows(0, 100, 0, 100, 100), rows(*np.repeat([0.0, 100, 0, 100, 100], 10).tolist())
    interval = intervals(EXACT, tenfold, [f"d{i // 10}" for i in range(50)])["exact_match"]
    assert (interval.unit, interval.units) == ("document", 5)
    alone = intervals(EXACT, once)["exact_match"]
    assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high))
    assert interval.high - interval.low > 2 * np.ptp(_edges(intervals(EXACT, tenfold)["exact_match"]))


def _edges(interval: object) -> list[float]:
    return [interval.low, interval.high]  # type: ignore[attr-defined]


def test_a_single_document_is_resampled_by_examples() -> None:
    interval = intervals(EXACT, rows(0, 100, 0, 100, 0), ["d"] * 5)["exact_match"]
    assert (interval.unit, interval.units) == ("example", 5)


def test_a_different_number_of_clusters_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 rows but 2 clusters"):
        intervals(EXACT, rows(1, 2, 3), ["a", "b"])


def test_only_units_that_a_score_counts_are_counted() -> None:
    metric = metrics.get("evidence_recall")
    score_rows = [{"evidence_recall": float(v), "has_evidence": 1.0} for v in (10, 50, 90, 30, 45)]
    score_rows += [{"evidence_recall": 0.0, "has_evidence": 0.0}] * 20
    interval = intervals(metric, score_rows)["evidence_recall"]
    assert interval.units == 5
    assert 1900 < interval.resamples < 2000, "a few resamples hold no evidence at all"
    assert 9.999 < interval.low < 45 < interval.high < 90.001


class Middle(Metric):
    """A metric whose scores need the rows; with `declared` it claims otherwise."""

    signature = "middle"

    def __init__(self, declared: str | None = None) -> None:
        if declared:
            self.bootstrap_on = declared  # type: ignore[assignment]

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        return {"middle": float(prediction)}

    def aggregate(self, rows: list[Row]) -> dict[str, float]:
        return {"middle": float(np.median([row["middle"] for row in rows]))} if rows else {}


@pytest.mark.parametrize("declared", [None, "mean row", "means"])
def test_a_metric_of_whole_rows_is_aggregated_from_them_whatever_it_declares(declared: str | None) -> None:
    values = [0.0, 1, 2, 3, 90, 95, 100]
    score_rows = [{"middle": value} for value in values]
    by_name = intervals(Middle(declared), score_rows)
    assert by_name == intervals(Middle(), score_rows)
    assert by_name["middle"].low < 1
    assert by_name["middle"].high == 100, "the mean of a resample is hardly ever that"


@pytest.mark.parametrize("spec", ["bleu-1", "rouge", "f1", "macro_f1", "exact_match_hard"])
def test_scores_of_mean_rows_equal_those_of_the_resampled_rows(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = metrics.get(spec)
    words, random = ["gull", "ship", "wall", "dawn"], np.random.default_rng(5)
    score_rows = [
        metric.statistics(
            " ".join(random.choice(words, 2)),
            Example("1", Document("d", ""), "", (str(random.choice(words)),), meta={"difficult": i % 3}),
        )
        for i in range(30)
    ]
    clusters = [str(i // 3) for i in range(30)]
    fast = intervals(metric, score_rows, clusters, resamples=200)
    assert metric.bootstrap_on != "rows"
    monkeypatch.setattr(type(metric), "bootstrap_on", "rows")
    slow = intervals(metric, score_rows, clusters, resamples=200)
    assert fast.keys() == slow.keys()
    for name, interval in fast.items():
        assert _edges(interval) == pytest.approx(_edges(slow[name]), abs=1e-4)


def answers(random: np.random.Generator, size: int) -> np.ndarray:
    """Token F1 as readers have it: most answers wrong, a tenth right, the rest between. The mean is 18.33."""
    kind = random.random(size)
    return np.where(kind < 0.65, 0, np.where(kind < 0.75, 100, 100 * random.beta(1, 2, size)))


SKEWED: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "answers": (answers, 10 + 25 / 3),
    "a long tail": (lambda random, size: 100 * random.beta(0.5, 3, size), 100 / 7),
    "one in twenty": (lambda random, size: 100.0 * (random.random(size) < 0.05), 5),
    "all but one in twenty": (lambda random, size: 100.0 * (random.random(size) < 0.95), 95),
}


@pytest.mark.parametrize("size", [50, 100, 200])
@pytest.mark.parametrize("kind", SKEWED)
def test_at_least_92_percent_of_intervals_for_skewed_data_contain_the_mean(kind: str, size: int) -> None:
    make, mean = SKEWED[kind]
    random = np.random.default_rng(11)
    sampled = [
        intervals(EXACT, rows(*make(random, size).tolist()), resamples=600, seed=1)["exact_match"] for _ in range(300)
    ]
    assert np.mean([interval.low <= mean <= interval.high for interval in sampled]) >= 0.92
    assert np.mean([interval.high - interval.low for interval in sampled]) < 4.4 * make(random, 10**5).std() / size**0.5


@pytest.mark.parametrize(("documents", "minimum"), [(9, 0.88), (20, 0.91), (40, 0.92)])
def test_intervals_over_documents_contain_the_mean_more_often_than_those_over_examples(
    documents: int, minimum: float
) -> None:
    random = np.random.default_rng(12)
    contained_by_document, contained_by_example = [], []
    for _ in range(300):
        chances = random.beta(1, 3, documents)
        score_rows = rows(*(100.0 * (random.random((documents, 10)) < chances[:, None])).ravel().tolist())
        clusters = [str(i // 10) for i in range(len(score_rows))]
        by_document = intervals(EXACT, score_rows, clusters, resamples=600, seed=1)["exact_match"]
        by_example = intervals(EXACT, score_rows, resamples=600, seed=1)["exact_match"]
        contained_by_document.append(by_document.low <= 25 <= by_document.high)
        contained_by_example.append(by_example.low <= 25 <= by_example.high)
    assert minimum <= np.mean(contained_by_document) <= 0.98
    assert np.mean(contained_by_example) < 0.86


def test_a_bleu_that_is_0_but_for_its_guards_has_the_exact_interval() -> None:
    metric = metrics.get("bleu-4")
    pairs = [("the mill by the river", "a mill"), ("two gulls", "gulls"), ("a ship", "the ship"), ("yes", "no")]
    examples = [Example(str(n), Document("d", "x"), references=(gold,)) for n, (_, gold) in enumerate(pairs * 3)]
    rows = [metric.statistics(text, example) for (text, _), example in zip(pairs * 3, examples, strict=True)]
    interval = intervals(metric, rows, [str(n) for n in range(12)])["bleu-4"]
    assert (round(interval.low, 1), round(interval.high, 1)) == (0.0, 26.5)  # none of 12 is otherwise
