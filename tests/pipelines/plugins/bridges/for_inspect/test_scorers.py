"""The metrics of longdoc as scorers of inspect_ai."""

from math import sqrt

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import recompute_metrics
from inspect_ai.model import get_model
from inspect_ai.scorer import mean, stderr

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.plugins.bridges.for_inspect import longdoc_corpus_scorer, longdoc_scorer
from tests.pipelines.plugins.bridges.for_inspect.conftest import model_output

ANSWERS = ["the red dog", "a cat", "blue birds sing", "fish"]
REFERENCES = [["red dog"], ["the dog", "cat"], ["birds sing"], []]
DOCUMENTS = ["one", "one", "two", "two"]


def evaluate_answers(inspect_log_of, scorer, answers=ANSWERS, **options):
    model = get_model("mockllm/model", custom_outputs=lambda messages, *_: model_output(answers[int(messages[0].text)]))
    samples = [
        Sample(input=str(n), target=REFERENCES[n], id=f"s{n}", metadata={"document": DOCUMENTS[n]})
        for n in range(len(ANSWERS))
    ]
    return inspect_log_of(Task(samples, scorer=scorer), model=model, **options)


def metric_values(log):
    return {one.name: {name: metric.value for name, metric in one.metrics.items()} for one in log.results.scores}


def test_means_are_percentages_with_an_error_clustered_by_document(inspect_log_of):
    log = evaluate_answers(inspect_log_of, longdoc_scorer(["f1", "exact_match"]))
    rows = metrics.get("f1").score(ANSWERS[:3], REFERENCES[:3])
    scores = metric_values(log)
    assert scores["f1"]["mean"] == pytest.approx(rows["f1"], abs=1e-9)
    assert scores["exact_match"]["mean"] == pytest.approx(200 / 3, abs=1e-9)
    # 100, 100 | 0: the sums of deviations of two clusters are 66.7 and -66.7
    assert scores["exact_match"]["stderr"] == pytest.approx(sqrt(2 * 2 * (200 / 3) ** 2) / 3, abs=1e-9)


def test_a_sample_without_references_is_not_scored(inspect_log_of):
    log = evaluate_answers(inspect_log_of, longdoc_scorer("f1"))
    assert (log.results.scores[0].scored_samples, log.results.scores[0].unscored_samples) == (3, 1)
    assert log.samples[3].scores["longdoc_scorer"].reason == "no references"


def test_corpus_scores_are_those_of_all_rows(inspect_log_of):
    log = evaluate_answers(inspect_log_of, longdoc_corpus_scorer(["bleu-1", "rouge"]))
    expected = {
        **metrics.get("bleu-1").score(ANSWERS[:3], REFERENCES[:3]),
        **metrics.get("rouge").score(ANSWERS[:3], REFERENCES[:3]),
    }
    assert metric_values(log)["longdoc_corpus_scorer"] == pytest.approx(
        expected, abs=1e-9
    )  # three examples: no interval


def test_with_epochs_every_row_counts(inspect_log_of):
    log = evaluate_answers(inspect_log_of, longdoc_corpus_scorer("bleu-1"), epochs=2)
    expected = metrics.get("bleu-1").score(ANSWERS[:3] * 2, REFERENCES[:3] * 2)
    corpus_scores = metric_values(log)["longdoc_corpus_scorer"]
    assert corpus_scores["bleu-1"] == pytest.approx(expected["bleu-1"], abs=1e-9)


def test_metrics_are_recomputed_from_the_log(inspect_log_of):
    log = evaluate_answers(inspect_log_of, [longdoc_scorer("f1"), longdoc_corpus_scorer("bleu-1")])
    before = metric_values(log)
    recompute_metrics(log)
    assert {name: pytest.approx(one) for name, one in before.items()} == metric_values(log)


def test_the_signature_of_a_score_is_in_the_log(inspect_log_of):
    log = evaluate_answers(inspect_log_of, longdoc_scorer("f1"))
    signatures = log.samples[0].scores["longdoc_scorer"].metadata["signatures"]
    assert signatures == {"f1": "f1|normalization:squad-1.1|references:max"}


@pytest.mark.parametrize("name", ["bleu-4", "macro_f1", "rouge"])
def test_a_metric_that_is_no_mean_names_the_other_scorer(name):
    with pytest.raises(UserError, match=f"longdoc_corpus_scorer\\('{name}'\\)"):
        longdoc_scorer(name)


@pytest.mark.parametrize("name", ["evidence_recall", "answer_recall"])
def test_a_metric_of_the_selection_is_refused(name):
    with pytest.raises(UserError, match=f"{name} does not score the answer but the .*: longdoc run computes it"):
        longdoc_scorer(name)


def test_every_metric_of_answers_has_one_of_the_two_scorers():
    from pipelines.metrics import NotComputable
    from pipelines.plugins.bridges.for_inspect.scorers import scorers_of

    for name in metrics.names():
        if metrics.get(name).target == "prediction":
            try:
                metrics.get(name).prepare()
            except NotComputable:
                continue
            assert len(scorers_of([name])) == 1


def test_metrics_of_inspect_ai_can_be_given_instead(inspect_log_of):
    samples = [Sample(input="0", target="red dog", metadata={"document": "one"})]
    model = get_model("mockllm/model", custom_outputs=[model_output("red dog")])
    task = Task(samples, scorer=longdoc_scorer("f1"), metrics={"f1": [mean(), stderr()]})
    assert metric_values(inspect_log_of(task, model=model))["f1"]["mean"] == 100.0
