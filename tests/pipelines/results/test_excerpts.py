"""Three examples of a run in short."""

from dataclasses import replace
from typing import Any

import pytest

from pipelines import metrics
from pipelines.records import Prediction
from pipelines.results.excerpts import LONGEST, Excerpt, excerpts

F1 = {"f1": metrics.get("f1")}


def prediction(name: str, f1: float | None = 0.0, **values: Any) -> Prediction:
    given = {"query": f"Who is {name}?", "references": ("Anna",), "prediction": "Bert", "requests": 1, **values}
    rows = {} if f1 is None else {"f1": {"f1": f1}}
    return Prediction(
        id=name, document="d", selected=(), shown_spans=(), tokens_in=1, tokens_out=1, truncated_tokens=0,
        statistics=rows, **given,
    )  # fmt: skip


def of(*predictions: Prediction) -> tuple[str, tuple[Excerpt, ...]]:
    rows = [one.statistics["f1"] for one in predictions if one.statistics]
    return excerpts(F1, predictions, F1["f1"].aggregate(rows))


@pytest.mark.parametrize(
    ("f1", "shown"),
    [
        ([0.0, 100.0], [0, 1]),  # three or fewer are shown as they come
        ([0.0, 100.0, 50.0], [0, 1, 2]),
        ([0.0, 20.0, 100.0, 40.0, 0.0, 100.0], [2, 3, 4]),
        ([10.0] * 6, [0, 1, 5]),
        ([None, 30.0, None, 90.0, None], [3, 1]),
        ([None, None, 30.0, None], [2]),
    ],
)
def test_the_best_a_middle_and_the_worst_example_are_shown(f1: list[float | None], shown: list[int]) -> None:
    _, found = of(*(prediction(str(number), score) for number, score in enumerate(f1)))
    assert [int(one.id) for one in found] == shown


@pytest.mark.parametrize(("count", "shown"), [(3, [0, 1, 2]), (7, [1, 3, 5]), (68, [11, 34, 56])])
def test_without_scores_examples_stand_at_equal_distances_in_the_data(count: int, shown: list[int]) -> None:
    name, found = excerpts({}, [prediction(str(number), None) for number in range(count)], {})
    assert name == ""
    assert [int(one.id) for one in found] == shown


@pytest.mark.parametrize(
    ("f1", "mark"), [(100.0, "✓"), (0.0, "✗"), (40.4, "~ 40"), (99.9, "~ 99"), (0.2, "~ 1"), (None, "")]
)
def test_an_example_is_right_at_100_and_wrong_at_0(f1: float | None, mark: str) -> None:
    name, found = of(prediction("a", f1), prediction("b", 50.0))
    assert name == "f1"
    assert found[0].mark == mark


def test_scores_of_a_corpus_decide_nothing() -> None:
    bleu = metrics.get("bleu-1")
    rows = [bleu.statistics("a", one) for one in metrics.examples(["a", "a"], [["b"], ["b c"]])]
    predictions = [replace(prediction(str(place)), statistics={"bleu-1": row}) for place, row in enumerate(rows)]
    name, found = excerpts({"bleu-1": bleu}, predictions, bleu.aggregate(rows))
    assert name == ""
    assert [one.mark for one in found] == ["", ""]


def test_texts_are_one_line_and_cut() -> None:
    _, (one,) = of(prediction("a", prediction="two\n lines", references=("x" * 1000,)))
    assert one.prediction == "two lines"
    assert one.references == ("x" * (LONGEST - 1) + "…",)


def test_what_there_is_not_has_no_line() -> None:
    _, (summary, silent, selected) = of(
        prediction("a", query=""), prediction("b", prediction=""), prediction("c", prediction="", requests=0)
    )
    assert summary.texts() == [("prediction", "Bert"), ("reference", "Anna")]
    assert silent.texts()[1] == ("prediction", "(empty)")
    assert selected.texts() == [("question", "Who is c?"), ("reference", "Anna")]
