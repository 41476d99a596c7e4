"""From predictions to scores.json."""

from dataclasses import dataclass, replace

from pipelines.engine.running.scoring import Scorer
from pipelines.metrics import Metric, NotComputable
from pipelines.records import Document, Example, Prediction


@dataclass(frozen=True)
class Length(Metric):
    signature = "length|unit:characters"

    def statistics(self, prediction, example):
        return {"n": float(len(prediction))}

    def aggregate(self, rows):
        return {"length": sum(row["n"] for row in rows) / len(rows)} if rows else {}


@dataclass(frozen=True)
class Shown(Length):
    signature = "shown"
    target = "selection"

    def aggregate(self, rows):
        return {"shown": sum(row["n"] for row in rows)}


class Absent(Length):
    def prepare(self):
        raise NotComputable("type: get absent")


def prediction(name, text, references=("r",), statistics=None):
    rows = {"length": {"n": float(len(text))}} if statistics is None and references else statistics or {}
    return Prediction(name, "d", "q", references, text, (), (), 1, 1, 1, 0, statistics=rows)


def test_rows_are_computed_from_the_metrics_target():
    scorer = Scorer({"length": Length(), "shown": Shown(), "absent": Absent()})
    example = Example("e", Document("d", "text"), references=("r",))
    assert scorer.rows(example, {"prediction": "four", "selection": "selected"}) == {
        "length": {"n": 4.0},
        "shown": {"n": 8.0},
    }
    assert scorer.rows(replace(example, references=()), {"prediction": "four"}) == {}


def test_scores_come_with_signatures_and_reasons():
    scores = Scorer({"length": Length(), "absent": Absent()}).scores([prediction("a", "x"), prediction("b", "xyz")])
    assert scores["scores"] == {"length": 2.0}
    assert scores["signatures"] == {"length": "length|unit:characters"}
    assert scores["not_computed"] == {"absent": "type: get absent"}


def test_rows_without_references_are_counted_and_not_scored():
    scores = Scorer({"length": Length()}).scores([prediction("a", "x"), prediction("b", "xyz", references=())])
    assert (scores["examples"], scores["scored"]) == (2, 1)
    assert scores["scores"] == {"length": 1.0}
    assert scores["not_scored"] == "1 of 2 scored: 1 has no reference"


def test_stored_rows_are_used_and_a_metric_without_one_for_every_example_is_not_computed():
    stored = prediction("a", "x", statistics={"length": {"n": 10.0}})
    scores = Scorer({"length": Length(), "shown": Shown()}).scores([stored, prediction("b", "xy")])
    assert scores["scores"] == {"length": 6.0}
    assert scores["not_computed"] == {"shown": "2 of 2 examples were finished without it"}


def test_rows_that_are_known_are_not_computed_again():
    scorer = Scorer({"length": Length(), "shown": Shown()})
    example = Example("e", Document("d", "a document"), references=("r",))
    finished = Prediction("e", "d", "q", ("r",), "four", ((0, 1, 1.0),), ((2, 10),), 1, 1, 1, 0)
    assert scorer.prediction_rows(example, finished) == {"length": {"n": 4.0}, "shown": {"n": 8.0}}
    assert scorer.prediction_rows(example, finished, {"length"}) == {"shown": {"n": 8.0}}
    assert scorer.prediction_rows(example, finished, {"length", "shown"}) == {}


def test_scores_have_their_intervals_by_document_or_the_reason_why_not():
    texts = ["x", "xy", "xyz", "x", "xy", "xyz"]
    predictions = [replace(prediction(str(row), text), document=f"d{row}") for row, text in enumerate(texts)]
    scores = Scorer({"length": Length()}).scores(predictions)
    interval = scores["intervals"]["length"]
    extent = tuple(interval[name] for name in ("unit", "units", "level", "resamples"))
    assert extent == ("document", 6, 0.95, 2000)
    assert 1 < interval["low"] < scores["scores"]["length"] < interval["high"] <= 3
    assert scores["no_interval"] == {}
    few = Scorer({"length": Length()}).scores(predictions[:4])
    assert few["intervals"] == {}
    assert few["no_interval"] == {"length": "4 documents: no interval; at least 5 are needed"}


class Fragile(Length):
    def aggregate(self, rows):
        if len(rows) == 1:
            raise ValueError("two at least")
        return super().aggregate(rows)


def test_a_metric_that_fails_on_resampled_rows_keeps_its_score():
    predictions = [prediction(str(row), "x" * row) for row in range(1, 7)]
    scores = Scorer({"length": Fragile()}).scores(predictions)
    assert scores["scores"] == {"length": 3.5}
    assert scores["intervals"] == {}
    assert scores["no_interval"] == {"length": "the bootstrap failed: ValueError: two at least"}
