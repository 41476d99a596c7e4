"""The real lm-evaluation-harness with our readers, offline: the scores are those of a run."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models.prompts import Part
from pipelines.engine.planning.plan import make_plan
from pipelines.plugins.bridges.lm_eval_command import evaluate

SELECTION = {"chunker": "sentences:size=200", "retriever": "bm25"}
METRICS = ("f1", "rouge-l")
NAME = "asked_of_longdoc"
MAX_NEW_TOKENS = 40
YAML = f"""task: {NAME}
custom_dataset: !function utils.rows
test_split: test
output_type: generate_until
doc_to_text: "{{{{before}}}}{{{{document}}}}{{{{after}}}}"
doc_to_target: "{{{{references[0]}}}}"
process_results: !function utils.process_results
num_fewshot: 0
generation_kwargs: {{until: [], max_gen_toks: {MAX_NEW_TOKENS}, do_sample: false}}
metric_list:
  - {{metric: f1, aggregation: mean, higher_is_better: true}}
  - {{metric: rouge-l, aggregation: mean, higher_is_better: true}}
"""
UTILS = f"""
import json
from pathlib import Path

from datasets import Dataset

from pipelines import metrics


def rows(**arguments):
    text = Path(__file__).with_name("rows.jsonl").read_text(encoding="utf-8")
    return {{"test": Dataset.from_list([json.loads(line) for line in text.splitlines()])}}


def process_results(doc, results):
    return {{name: metrics.get(name).score(results, [doc["references"]])[name] for name in {METRICS}}}
"""


def write_task(folder: Path, task: str, data: Any) -> Path:
    """A folder for `--include_path`: the prompts of a task with the whole document, scored by our metrics."""
    plan = make_plan(task, data=data, model="lead", chunker="whole", retriever="all", max_new_tokens=MAX_NEW_TOKENS)
    rows = []
    for example in plan.data.examples():
        text = example.document.text
        prompt = plan.template.render(example, (Part("document", text, 0, len(text)),)).text
        before, _, after = prompt.partition(text)
        rows.append({
            "before": before, "document": text, "after": after, "query": example.query,
            "references": list(example.references),
        })  # fmt: skip
    folder.mkdir()
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "utils.py").write_text(UTILS, encoding="utf-8")
    (folder / f"{NAME}.yaml").write_text(YAML, encoding="utf-8")
    return folder


def evaluate_in_harness(folder: Path, cache: str | None = None, **arguments: Any) -> dict[str, float]:
    """The scores of the harness' function for programs, which does not look for its thousands of own tasks."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    import pipelines.plugins.bridges.lm_eval_model  # noqa: F401

    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    evaluation = simple_evaluate("longdoc", model_args=arguments, tasks=[NAME], task_manager=tasks, use_cache=cache)
    return without_filters(evaluation["results"][NAME])


def without_filters(results: dict[str, Any]) -> dict[str, float]:
    return {name.removesuffix(",none"): value for name, value in results.items() if name.endswith(",none")}


def test_qasper_has_the_scores_of_a_run(realdata: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    data = realdata / "qasper" / "qasper_5_papers.json"
    folder = write_task(tmp_path / "task", "scrolls/qasper", data)
    bounds: list[dict[str, Any]] = [{"budget": "300 words"}, {"k": 3}, {}]
    for number, bound in enumerate(bounds):
        reader = "extractive" if bound else "extractive:max_input_tokens=1000"
        expected = pipelines.run(
            "scrolls/qasper", data=data, model=reader, out=tmp_path / f"run-{number}", report=False,
            max_new_tokens=MAX_NEW_TOKENS, **SELECTION, **bound,
        )  # fmt: skip
        scores = evaluate_in_harness(folder, reader=reader, **bound)
        assert scores["f1"] == pytest.approx(expected.scores["f1"], abs=1e-9), bound


@pytest.mark.slow
def test_the_command_gives_the_scores_of_a_run_by_all_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("lm_eval")
    run = pipelines.run(
        "narrativeqa", data="sample", model="lead", metrics=list(METRICS), out=tmp_path / "run", report=False,
        max_new_tokens=MAX_NEW_TOKENS, k=2, **SELECTION,
    )  # fmt: skip
    folder = write_task(tmp_path / "task", "narrativeqa", "sample")
    place = ["--include_path", str(folder), "--output_path", str(tmp_path / "r.json")]
    evaluate(["--model_args", "reader=lead,k=2", "--tasks", NAME, *place])
    (file,) = tmp_path.rglob("r_*.json")
    scores = without_filters(json.loads(file.read_text())["results"][NAME])
    assert {name: scores[name] for name in run.scores} == pytest.approx(run.scores, abs=1e-9)
    assert "bm25 selected 2 chunks of each document" in capsys.readouterr().err


@pytest.mark.slow
def test_replies_that_the_harness_keeps_are_not_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("lm_eval")
    folder = write_task(tmp_path / "task", "narrativeqa", "sample")
    cache = str(tmp_path / "replies")
    first = evaluate_in_harness(folder, cache, reader="extractive", k=2)
    assert capsys.readouterr().err.count("bm25 selected 2 chunks of each document") == 1
    assert evaluate_in_harness(folder, cache, reader="extractive", k=2) == first
    assert "bm25 selected" not in capsys.readouterr().err


def test_the_command_line_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lm_eval")
    monkeypatch.setattr(sys, "argv", ["longdoc", "bridge", "lm-eval"])
    with pytest.raises(UserError, match="runs the model longdoc, not hf"):
        evaluate(["--model", "hf", "--tasks", "x"])
    assert sys.argv == ["longdoc", "bridge", "lm-eval"]
