"""The metrics that a run can have: two with equal names of scores would overwrite each other."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import metrics, sources, tasks
from pipelines.engine.planning.metric_names import optional_metrics, run_metrics, with_number_warning
from pipelines.engine.planning.plan import make_plan
from pipelines.metrics.meteor import Meteor
from tests.turns import for_each


def test_metrics_with_scores_of_one_name_are_refused_before_the_run() -> None:
    with pytest.raises(UserError, match="two metrics have scores called rouge, and a run can have only one of them"):
        run_metrics(["rouge", "f1", "rouge:stemming=true"])


@pytest.mark.parametrize("names", [["bleu-1", "bleu:n=1", "bleu-4"], ["f1", "f1"], ["exact_match", "exact_match_hard"]])
def test_different_metrics_and_the_same_one_twice_are_accepted(names: Any) -> None:
    assert len(run_metrics(names)) == len(set(names))


@for_each("name", tasks.names())
def test_no_task_has_two_metrics_with_scores_of_one_name(name: str) -> None:
    assert list(run_metrics(tasks.get(name).metrics)) == list(tasks.get(name).metrics)


def test_a_bare_name_is_the_metric_in_the_form_that_the_task_declares() -> None:
    def signature(task: str, name: str) -> str:
        return run_metrics([name], tasks.get(task).metrics)[name].signature

    assert signature("qa", "f1") == signature("qa", "f1:unicode") == metrics.get("f1:unicode").signature
    assert signature("qa", "f1:squad") == signature("narrativeqa", "f1") == metrics.get("f1").signature
    assert "labels:Hero/Protagonist,Villain/Antagonist|" in signature("character_types", "macro_f1")


def test_without_a_reader_metrics_of_predictions_are_not_even_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: Meteor) -> str:
        raise AssertionError("its word list takes seconds to load")

    monkeypatch.setattr(Meteor, "signature", property(never))
    plan = make_plan("narrativeqa", data="sample", model="none", budget="60 words")
    assert set(plan.metrics) == {
        "answer_recall", "evidence_iou", "evidence_precision", "evidence_recall", "full_evidence",
    }  # fmt: skip


def test_evidence_metrics_are_optional_where_a_run_has_all_that_its_task_declares() -> None:
    declared = ["f1", "evidence_recall"]
    assert optional_metrics(["f1", "evidence_recall", "rouge-l"], declared) == {"evidence_recall"}
    assert optional_metrics(["evidence_recall"], declared) == frozenset()


def test_answers_with_numbers_cause_a_warning_where_only_words_are_compared() -> None:
    begin = "Some references contain a number with a sign or a decimal point, which"
    end = "(3.5 equals 35). The metric numeric_match compares values."

    def warnings(answer: str, names: list[str], **fields: Any) -> list[str]:
        rows = [{"document": "Profit was 3.5.", "question": "Profit?", "answers": [answer], **fields}]
        data = with_number_warning(sources.load("qa", tasks.get("qa").dataset, rows), run_metrics(names))
        assert len(list(data.examples())) == 1
        return data.warnings

    for answer in ("$3.5 million", "-5", "-5 degrees", "about 3.5 m"):
        assert warnings(answer, ["f1", "rouge"]) == [f"{begin} f1 ignores {end}"]
        assert warnings(answer, ["exact_match:unicode", "f1"]) == [f"{begin} exact_match and f1 ignore {end}"]
        assert not warnings(answer, ["f1", "numeric_match"]) + warnings(answer, ["rouge"])
        assert not warnings(answer, ["f1"], options=[answer, "4"])
    assert not warnings("1998", ["f1"]) + warnings("in May 2031", ["f1"]) + warnings("twenty-five", ["f1"])
