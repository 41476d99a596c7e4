"""Tasks of longdoc in inspect_ai have the numbers of a run."""

import inspect_ai
import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.bridges.for_inspect import longdoc_task


def means(log):
    return {one.name: one.metrics["mean"].value for one in log.results.scores if "mean" in one.metrics}


def run(task, out, **arguments):
    return pipelines.run(task, **{"model": "extractive", **arguments}, out=out, report=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "selection",
    [
        {"retriever": "bm25", "k": 5, "chunker": "tokens:size=100"},
        {"retriever": "tfidf", "budget": "200 words", "chunker": "sentences"},
        {"retriever": "bm25", "budget": "300 tokens", "chunker": "tokens:size=50", "order": "document"},
    ],
    ids=lambda one: "-".join(one),
)
def test_the_papers_of_qasper_have_the_score_of_a_run(realdata, tmp_path, inspect_log_of, selection):
    arguments = {"data": str(realdata / "qasper"), **selection}
    result = run("scrolls/qasper", tmp_path / "run", **arguments)
    log = inspect_log_of(longdoc_task("scrolls/qasper", **arguments))
    assert log.status == "success"
    assert means(log)["f1"] == pytest.approx(result.scores["f1"], abs=1e-9)
    predictions = {one.id: one for one in result.predictions}
    assert len(log.samples) == len(predictions) == 33
    for sample in log.samples:
        prediction = predictions[sample.id]
        assert sample.scores["longdoc_scorer"].answer == prediction.prediction
        assert sample.scores["longdoc_scorer"].value["f1"] == prediction.statistics["f1"]["f1"]
        assert [tuple(span) for span in sample.store["longdoc"]["shown_spans"]] == list(prediction.shown_spans)
        assert sample.metadata["document"] == prediction.document
        assert sample.model_usage["longdoc/extractive"].input_tokens == prediction.tokens_in


def test_a_readers_own_limit_bounds_the_prompt_as_in_a_run(realdata, tmp_path, inspect_log_of):
    arguments = {"data": str(realdata / "qasper"), "retriever": "bm25", "chunker": "tokens:size=100"}
    result = run("scrolls/qasper", tmp_path / "run", model="extractive:max_input_tokens=250", **arguments)
    log = inspect_log_of(longdoc_task("scrolls/qasper", **arguments), model_args={"max_input_tokens": 250})
    assert means(log)["f1"] == pytest.approx(result.scores["f1"], abs=1e-9)
    usage = log.stats.model_usage["longdoc/extractive"]
    assert (usage.input_tokens, usage.output_tokens) == (result.tokens_in, result.tokens_out)


def test_scores_of_all_examples_together_are_those_of_a_run(tmp_path, inspect_log_of):
    arguments = {"data": "sample", "retriever": "bm25", "k": 3, "limit": 12, "metrics": ["f1", "bleu-1", "bleu-4"]}
    result = run("narrativeqa", tmp_path / "run", **arguments)
    log = inspect_log_of(longdoc_task("narrativeqa", **arguments))
    corpus = {name: value.value for one in log.results.scores for name, value in one.metrics.items()}
    assert means(log)["f1"] == pytest.approx(result.scores["f1"], abs=1e-9)
    for name in ("bleu-1", "bleu-4"):
        assert corpus[name] == pytest.approx(result.scores[name], abs=1e-9)
        assert corpus[f"{name} low"] == pytest.approx(result.scores.intervals[name].low, abs=1e-9)
        assert corpus[f"{name} high"] == pytest.approx(result.scores.intervals[name].high, abs=1e-9)


def test_a_sample_has_the_question_the_references_and_the_document_by_its_id(rows):
    task = longdoc_task("qa", data=str(rows), metrics="f1")
    assert [(one.id, one.input, one.target) for one in task.dataset][:2] == [
        ("a1", "Where does Anna keep bees?", ["in the hills above the town"]),
        ("a2", "What does Bert mend in Vienna?", ["clocks"]),
    ]
    documents = [one.metadata["document"] for one in task.dataset]
    assert documents[0] == documents[1] != documents[2]
    assert "honey" not in str([one.model_dump() for one in task.dataset])


def test_answers_in_tags_are_taken_out_of_the_output(realdata, tmp_path, inspect_log_of):
    data = str(realdata / "zero_scrolls_published" / "quality.jsonl")
    arguments = {"data": data, "limit": 3, "prompt": "tags", "split": "validation"}
    result = run("zero_scrolls/quality", tmp_path / "run", **arguments)
    log = inspect_log_of(longdoc_task("zero_scrolls/quality", **arguments))
    assert means(log)["accuracy"] == pytest.approx(result.scores["accuracy"], abs=1e-9)
    answers = {sample.id: sample.scores["longdoc_scorer"].answer for sample in log.samples}
    assert answers == {one.id: one.prediction for one in result.predictions}


def test_every_task_is_known_to_inspect_ai_by_its_name(rows, inspect_log_of):
    log = inspect_log_of("longdoc/qa", task_args={"data": str(rows), "retriever": "bm25", "k": 1, "metrics": "f1"})
    assert (log.status, log.eval.task) == ("success", "longdoc/qa")
    assert log.eval.task_args_passed == {"data": str(rows), "retriever": "bm25", "k": 1, "metrics": "f1"}
    with pytest.raises(UserError, match="several tasks are called 'qasper'"):
        inspect_ai.eval("longdoc/qasper", model="longdoc/extractive", display="none")


@pytest.mark.parametrize(
    ("task", "arguments", "message"),
    [
        ("style_change", {}, "style_change does not ask one prompt an example (its strategy, pairs,"),
        ("qa", {"model": "extractive"}, "a task in inspect_ai does not take model: the model is its own"),
        ("qa", {"retreiver": "bm25"}, "unknown argument 'retreiver'; did you mean retriever"),
        ("qa", {"data": "sample", "metrics": "answer_recall"}, "qa has no metric of the answer here (answer_recall)"),
    ],
)
def test_invalid_arguments_are_refused_in_a_line(task, arguments, message):
    with pytest.raises(UserError) as refused:
        longdoc_task(task, **arguments)
    assert message in str(refused.value)


def test_a_metric_that_cannot_be_computed_here_is_left_out_of_the_tasks_own(monkeypatch, capsys):
    from pipelines.metrics import NotComputable
    from pipelines.metrics.meteor import Meteor

    def missing(self):
        raise NotComputable("WordNet is missing")

    monkeypatch.setattr(Meteor, "prepare", missing)
    task = longdoc_task("narrativeqa", data="sample", limit=4)
    assert task.metadata["not_computed"] == {"meteor": "WordNet is missing"}
    assert "longdoc: meteor is not computed: WordNet is missing" in capsys.readouterr().err
    with pytest.raises(UserError, match="meteor cannot be computed here: WordNet is missing"):
        longdoc_task("narrativeqa", data="sample", limit=4, metrics="meteor")
