"""The metrics that a run can have: two with equal names of scores would overwrite each other."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import metrics, tasks
from pipelines.engine.planning.metric_names import run_metrics


def test_metrics_with_scores_of_one_name_are_refused_before_the_run() -> None:
    with pytest.raises(UserError, match="two metrics give scores called rouge, and a run has one score of a name"):
        run_metrics(["rouge", "f1", "rouge:stemming=true"])


@pytest.mark.parametrize(
    "wanted", [["bleu-1", "bleu:n=1", "bleu-4"], ["f1", "f1"], ["exact_match", "exact_match_hard"]]
)
def test_different_metrics_and_the_same_one_twice_are_accepted(wanted: Any) -> None:
    assert len(run_metrics(wanted)) == len(set(wanted))


@pytest.mark.parametrize("name", tasks.names())
def test_no_task_has_such_metrics(name: str) -> None:
    assert list(run_metrics(tasks.get(name).metrics)) == list(tasks.get(name).metrics)


def test_a_bare_name_is_the_metric_in_the_form_that_the_task_declares() -> None:
    def signature(task: str, name: str) -> str:
        return run_metrics([name], tasks.get(task).metrics)[name].signature

    assert signature("qa", "f1") == signature("qa", "f1:unicode") == metrics.get("f1:unicode").signature
    assert signature("qa", "f1:squad") == signature("narrativeqa", "f1") == metrics.get("f1").signature
    assert "labels:Hero/Protagonist,Villain/Antagonist|" in signature("character_types", "macro_f1")
