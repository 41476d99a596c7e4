"""A finished run as a log of inspect_ai, read back by inspect_ai."""

import json
import shutil

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log, recompute_metrics

import pipelines
from longdoc.errors import UserError
from pipelines.cli.main import main
from pipelines.plugins.bridges import for_inspect  # noqa: F401  (its metrics, for recompute_metrics)
from tests.api_server import ApiServer, chat

METRICS = ["f1", "bleu-1", "evidence_recall"]


@pytest.fixture
def finished_run(rows, tmp_path):
    return pipelines.run(
        "qa", data=rows, model="extractive", retriever="bm25", chunker="sentences:size=20", k=2, metrics=METRICS,
        out=tmp_path / "run", report=False,
    )  # fmt: skip


def export(run, tmp_path, ending="eval", **arguments):
    exported = pipelines.export(run.folder, to="inspect", out=tmp_path / "logs" / f"log.{ending}", **arguments)
    return exported, read_eval_log(str(exported.file))


def metric_values(log):
    return {one.name: {name: metric.value for name, metric in one.metrics.items()} for one in log.results.scores}


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_numbers_read_back_are_those_of_the_run(finished_run, tmp_path, ending):
    exported, log = export(finished_run, tmp_path, ending)
    assert (exported.samples, exported.without_prompts, log.status) == (4, "", "success")
    assert metric_values(log)["f1"]["mean"] == finished_run.scores["f1"]
    assert metric_values(log)["longdoc_corpus_scorer"]["bleu-1"] == finished_run.scores["bleu-1"]
    predictions = {one.id: one for one in finished_run.predictions}
    assert {one.id for one in log.samples} == set(predictions)
    for sample in log.samples:
        prediction = predictions[sample.id]
        assert (sample.input, tuple(sample.target)) == (prediction.query, prediction.references)
        assert sample.output.completion == prediction.prediction
        assert sample.scores["longdoc_scorer"].value["f1"] == prediction.statistics["f1"]["f1"]
        assert sample.scores["longdoc_corpus_scorer"].metadata["rows"]["bleu-1"] == prediction.statistics["bleu-1"]
        assert sample.metadata["document"] == prediction.document
        assert sample.metadata["shown_spans"] == [list(span) for span in prediction.shown_spans]
        usage = sample.model_usage["longdoc/extractive"]
        assert (usage.input_tokens, usage.output_tokens) == (prediction.tokens_in, prediction.tokens_out)
    assert log.stats.model_usage["longdoc/extractive"].total_tokens == finished_run.tokens_in + finished_run.tokens_out


def test_the_prompts_are_those_that_the_reader_got(finished_run, rows, tmp_path):
    _, log = export(finished_run, tmp_path)
    arguments = {"data": rows, "model": "extractive", "retriever": "bm25", "chunker": "sentences:size=20", "k": 2}
    for sample in log.samples:
        prompt, reply = sample.messages
        assert prompt.text == pipelines.prompt("qa", sample.id, **arguments).text
        assert reply.text == sample.output.completion
        assert [event.event for event in sample.events] == ["model"]
        assert sample.events[0].output.usage.input_tokens == sample.output.usage.input_tokens


def test_the_log_has_the_requests_of_all_rounds(rows, tmp_path):
    run = pipelines.run(
        "qa", data=rows, model="extractive", strategy="map_reduce", metrics="f1", out=tmp_path / "run", report=False,
        chunker="tokens:size=100", k=3,
    )  # fmt: skip
    _, log = export(run, tmp_path)
    requests = {one.id: one.requests for one in run.predictions}
    assert {sample.id: len(sample.events) for sample in log.samples} == requests
    assert max(requests.values()) > 1


def test_the_error_of_a_mean_is_clustered_by_document(finished_run, inspect_log_of, rows, tmp_path):
    _, log = export(finished_run, tmp_path)
    arguments = {"retriever": "bm25", "chunker": "sentences:size=20", "k": 2}
    inspect_log = inspect_log_of(for_inspect.longdoc_task("qa", data=str(rows), metrics="f1", **arguments))
    assert metric_values(log)["f1"]["stderr"] == pytest.approx(metric_values(inspect_log)["f1"]["stderr"], abs=1e-9)


def test_a_score_of_one_document_has_no_error(rows, tmp_path):
    arguments = {"model": "extractive", "metrics": "f1", "out": tmp_path / "run", "report": False}
    _, log = export(pipelines.run("qa", data=rows, limit=2, **arguments), tmp_path)
    assert list(metric_values(log)["f1"]) == ["mean"]
    assert log.eval.config.limit == 2


def test_metrics_can_be_recomputed_from_the_log(finished_run, tmp_path):
    _, log = export(finished_run, tmp_path)
    before = metric_values(log)
    recompute_metrics(log)
    assert metric_values(log) == {name: pytest.approx(one, abs=1e-9) for name, one in before.items()}


def test_a_second_export_is_the_same_log(finished_run, tmp_path):
    _, first = export(finished_run, tmp_path)
    _, again = export(finished_run, tmp_path)
    assert first.model_dump() == again.model_dump()


def test_without_the_data_there_is_everything_but_prompts(finished_run, rows, tmp_path):
    moved = rows.rename(tmp_path / "moved.jsonl")
    exported, log = export(finished_run, tmp_path)
    assert f"the data of the run in {finished_run.folder} are not at {rows} any more" in exported.without_prompts
    assert [sample.messages for sample in log.samples] == [[], [], [], []]
    assert metric_values(log)["f1"]["mean"] == finished_run.scores["f1"]
    exported, log = export(finished_run, tmp_path, data=moved)
    assert (exported.without_prompts, len(log.samples[0].messages)) == ("", 2)


def test_other_data_make_no_prompts(finished_run, rows, tmp_path):
    rows.write_text(rows.read_text(encoding="utf-8").replace("hills", "woods"), encoding="utf-8")
    exported, log = export(finished_run, tmp_path)
    assert exported.without_prompts.startswith(
        "these data, or this version of longdoc, make other requests than the run"
    )
    assert log.samples[0].messages == []
    with pytest.raises(UserError, match="make other requests"):
        export(finished_run, tmp_path, data=rows)


def test_an_example_that_failed_is_a_sample_with_an_error(rows, tmp_path):
    long = {"id": "c", "document": "Text.", "question": "Where " * 60, "answers": ["x"]}
    with rows.open("a", encoding="utf-8") as file:
        file.write(json.dumps(long) + "\n")
    run = pipelines.run(
        "qa", data=rows, model="extractive:max_input_tokens=50", metrics="f1", out=tmp_path / "run", report=False
    )
    assert list(run.failures) == ["c"]
    exported, log = export(run, tmp_path)
    (failed,) = [sample for sample in log.samples if sample.error]
    assert (failed.id, failed.error.message, failed.scores) == ("c", run.failures["c"], None)
    assert (exported.samples, log.results.total_samples, log.results.completed_samples) == (5, 5, 4)


def test_a_reader_behind_an_api_has_to_be_named_again_and_is_not_asked(rows, tmp_path, monkeypatch, inspect_log_of):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat("clocks", usage=None))
    try:
        model = f"openai:gpt-x,base_url={server.url}/v1"
        run = pipelines.run("qa", data=rows, model=model, metrics="f1", out=tmp_path / "run", report=False)
        task = for_inspect.longdoc_task("qa", data=str(rows), metrics="f1")
        log = inspect_log_of(task, model="longdoc/openai:gpt-x", model_base_url=f"{server.url}/v1")
    finally:
        server.close()
    assert metric_values(log)["f1"]["mean"] == pytest.approx(run.scores["f1"], abs=1e-9)
    exported, log = export(run, tmp_path)
    assert exported.without_prompts.endswith(f"counts only where you type it yourself: give model={model!r}")
    exported, log = export(run, tmp_path, "json", model=model)
    assert (exported.without_prompts, log.samples[0].messages[1].text) == ("", "clocks")
    assert "sk-secret" not in exported.file.read_text(encoding="utf-8")


def test_an_unfinished_run_is_refused(finished_run, tmp_path):
    (finished_run.folder / "scores.json").unlink()
    with pytest.raises(UserError, match="is not finished: start it again as before"):
        export(finished_run, tmp_path)


def test_an_unknown_ending_or_format_is_refused(finished_run, tmp_path):
    with pytest.raises(UserError, match=r"a log of inspect_ai is FILE\.eval or FILE\.json, got .*log\.txt"):
        export(finished_run, tmp_path, "txt")
    with pytest.raises(UserError, match="unknown format of another harness 'inspct'; did you mean inspect"):
        pipelines.export(finished_run.folder, to="inspct")


def test_without_inspect_ai_the_error_has_the_pip_command(finished_run, monkeypatch):
    monkeypatch.setattr("longdoc.optional.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"a log of inspect_ai needs inspect_ai, .* 'longdoc\[inspect\]'"):
        pipelines.export(finished_run.folder)


def test_the_command_writes_where_inspect_looks(finished_run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.rmtree("logs", ignore_errors=True)
    monkeypatch.setattr("sys.argv", ["longdoc", "bridge", "export", str(finished_run.folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    (entry,) = list_eval_logs(str(tmp_path / "logs"))
    assert entry.task == "qa"
    assert capsys.readouterr().out.splitlines() == [
        f"logs/{entry.name.rpartition('/')[2]}: 4 samples",
        "to look at it: inspect view --log-dir logs",
    ]


def test_a_score_that_equals_a_mean_by_chance_is_not_exported_as_one(tmp_path):
    for split in ("train", "test"):
        rows = [
            {"id": f"{label}-{n}", "document": f"{words} {n}", "label": label}
            for label, words in (("a", "mill river"), ("b", "ice hill"))
            for n in range(6)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{split}.jsonl").write_text(text, encoding="utf-8")
    run = pipelines.run("classify", data=tmp_path, out=tmp_path / "run", report=False)
    assert run.scores["macro_f1"] == 100.0
    _, log = export(run, tmp_path)
    assert list(metric_values(log)) == ["accuracy", "longdoc_corpus_scorer"]
    assert metric_values(log)["longdoc_corpus_scorer"]["macro_f1"] == 100.0
    prompt, reply = log.samples[0].messages
    assert prompt.text.startswith(("mill river", "ice hill"))
    assert set(json.loads(reply.text)) == {"a", "b"}
