"""Three examples of a run in short."""

from dataclasses import replace
from typing import Any

import pytest

from pipelines import metrics
from pipelines.records import Prediction
from pipelines.results.excerpts import LONGEST, Excerpt, excerpts

F1 = {"f1": metrics.get("f1")}


def prediction(name: str, f1: float | None = 0.0, **values: Any) -> Prediction:
    fields = {"query": f"Who is {name}?", "references": ("Anna",), "prediction": "Bert", "requests": 1, **values}
    rows = {} if f1 is None else {"f1": {"f1": f1}}
    return Prediction(
        id=name, document="d", selected=(), shown_spans=(), tokens_in=1, tokens_out=1, truncated_tokens=0,
        statistics=rows, **fields,
    )  # fmt: skip


def excerpts_of(*predictions: Prediction) -> tuple[str, tuple[Excerpt, ...]]:
    rows = [prediction.statistics["f1"] for prediction in predictions if prediction.statistics]
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
    _, chosen = excerpts_of(*(prediction(str(number), score) for number, score in enumerate(f1)))
    assert [int(excerpt.id) for excerpt in chosen] == shown


@pytest.mark.parametrize(("count", "shown"), [(3, [0, 1, 2]), (7, [1, 3, 5]), (68, [11, 34, 56])])
def test_without_scores_examples_stand_at_equal_distances_in_the_data(count: int, shown: list[int]) -> None:
    name, chosen = excerpts({}, [prediction(str(number), None) for number in range(count)], {})
    assert name == ""
    assert [int(excerpt.id) for excerpt in chosen] == shown


@pytest.mark.parametrize(
    ("f1", "mark"), [(100.0, "✓"), (0.0, "✗"), (40.4, "~ 40"), (99.9, "~ 99"), (0.2, "~ 1"), (None, "")]
)
def test_an_example_is_right_at_100_and_wrong_at_0(f1: float | None, mark: str) -> None:
    name, chosen = excerpts_of(prediction("a", f1), prediction("b", 50.0))
    assert name == "f1"
    assert chosen[0].mark == mark


def test_scores_of_a_corpus_decide_nothing() -> None:
    bleu = metrics.get("bleu-1")
    rows = [bleu.statistics("a", example) for example in metrics.examples(["a", "a"], [["b"], ["b c"]])]
    predictions = [replace(prediction(str(place)), statistics={"bleu-1": row}) for place, row in enumerate(rows)]
    name, chosen = excerpts({"bleu-1": bleu}, predictions, bleu.aggregate(rows))
    assert name == ""
    assert [excerpt.mark for excerpt in chosen] == ["", ""]


def test_texts_are_one_line_and_cut() -> None:
    _, (excerpt,) = excerpts_of(prediction("a", prediction="two\n lines", references=("x" * 1000,)))
    assert excerpt.prediction == "two lines"
    assert excerpt.references == ("x" * (LONGEST - 1) + "…",)


def test_missing_texts_have_no_line() -> None:
    _, (summary, silent, selected) = excerpts_of(
        prediction("a", query=""), prediction("b", prediction=""), prediction("c", prediction="", requests=0)
    )
    assert summary.texts() == [("prediction", "Bert"), ("reference", "Anna")]
    assert silent.texts()[1] == ("prediction", "(empty)")
    assert selected.texts() == [("question", "Who is c?"), ("reference", "Anna")]
