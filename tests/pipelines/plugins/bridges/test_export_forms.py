"""A run in the format of Every Eval Ever: its required fields are there, and the scores are the run's."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.results.run_folders.run import finished_run

# Every Eval Ever 0.2.1 (eval.schema.json, instance_level_eval.schema.json): the fields that must be there, by type.
SCORES = {
    "schema_version": str, "evaluation_id": str, "retrieved_timestamp": str, "evaluation_results": list,
    "source_metadata": {"source_type": str, "source_organization_name": str, "evaluator_relationship": str},
    "model_info": {"name": str, "id": str}, "eval_library": {"name": str, "version": str},
}  # fmt: skip
FURTHER_SCORES = {"evaluation_timestamp", "detailed_evaluation_results"}
RESULT = {
    "evaluation_name": str, "source_data": {"dataset_name": str, "source_type": str},
    "metric_config": {"lower_is_better": bool, "min_score": float, "max_score": float},
    "score_details": {"score": float},
}  # fmt: skip
SAMPLE = {
    "schema_version": str, "evaluation_id": str, "model_id": str, "evaluation_name": str, "sample_id": str,
    "interaction_type": str, "input": {"raw": str, "reference": list}, "output": {"raw": list},
    "answer_attribution": list, "evaluation": {"score": float, "is_correct": bool},
}  # fmt: skip
FURTHER_SAMPLE = {"sample_hash", "token_usage", "metadata"}
ATTRIBUTION = {"turn_idx": int, "source": str, "extracted_value": str, "extraction_method": str, "is_terminal": bool}


def assert_form(value: Mapping[str, Any], form: Mapping[str, Any]) -> None:
    for name, kind in form.items():
        if isinstance(kind, Mapping):
            assert_form(value[name], kind)
        else:
            assert type(value[name]) is kind, (name, value[name])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over six documents, one of them with a metric of all examples together."""
    folder = tmp_path_factory.mktemp("runs")
    examples = []
    for number, name in enumerate(("Anna", "Boris", "Clara", "David", "Elena", "Fritz")):
        document = Document(f"d{number}", f"{name} sat on the wall. The ship left at dawn. Nobody saw {name} again.")
        examples += [
            Example(f"{number}a", document, f"Where did {name} sit?", ("the wall",)),
            Example(f"{number}b", document, "When did the ship leave?", ("at dawn",)),
        ]
    for name, chunker in (("a", "sentences:1"), ("b", "tokens:8")):
        pipelines.run(
            "narrativeqa", data=examples, model="lead", chunker=chunker, retriever="tfidf", k=1,
            metrics=["f1", "bleu-1", "exact_match"], out=folder / name, report=False,
        )  # fmt: skip
    return folder


def test_a_file_for_every_eval_ever_has_the_required_fields(runs: Path, tmp_path: Path) -> None:
    exported = pipelines.export(runs / "a", to="every_eval_ever", out=tmp_path / "a.json")
    scores = json.loads(exported.file.read_text(encoding="utf-8"))
    assert_form(scores, SCORES)
    assert scores.keys() <= {*SCORES, *FURTHER_SCORES}
    run = finished_run(runs / "a")
    assert {row["evaluation_name"]: row["score_details"]["score"] for row in scores["evaluation_results"]} == run.scores
    for row in scores["evaluation_results"]:
        assert_form(row, RESULT)
        assert row["source_data"]["source_type"] == "other"
        bounds = row["score_details"]["uncertainty"]["confidence_interval"]
        assert bounds["lower"] <= row["score_details"]["score"] <= bounds["upper"]
    details = scores["detailed_evaluation_results"]
    content = (tmp_path / details["file_path"]).read_bytes()
    samples = [json.loads(line) for line in content.splitlines()]
    assert (details["checksum"], details["total_rows"]) == (sha256(content).hexdigest(), len(samples))
    assert {sample["evaluation_name"] for sample in samples} == {"f1", "exact_match"}  # not BLEU, which is no mean
    for sample in samples:
        assert_form(sample, SAMPLE)
        assert sample.keys() <= {*SAMPLE, *FURTHER_SAMPLE}
        assert (sample["evaluation_id"], sample["interaction_type"]) == (scores["evaluation_id"], "single_turn")
        for attribution in sample["answer_attribution"]:
            assert_form(attribution, ATTRIBUTION)
        assert all(isinstance(value, str) for value in sample["metadata"].values())


def test_exported_rows_compare_with_the_same_p_as_the_runs(runs: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        pipelines.export(runs / name, to="every_eval_ever", out=tmp_path / f"{name}.json")
    expected = pipelines.compare(runs / "a", runs / "b")
    comparison = pipelines.compare(tmp_path / "a_samples.jsonl", tmp_path / "b_samples.jsonl")
    assert comparison.documents == 6
    assert comparison.differences["f1"].p == expected.differences["f1"].p
    assert comparison.differences["f1"].value == pytest.approx(expected.differences["f1"].value)


def test_arguments_that_a_format_does_not_take_are_refused(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model= is for prompts, which only a log of inspect_ai has"):
        pipelines.export(runs / "a", to="every_eval_ever", model="lead")
    with pytest.raises(UserError, match=r"a file for --to every_eval_ever is FILE\.json"):
        pipelines.export(runs / "a", to="every_eval_ever", out=tmp_path / "a.eval")
    with pytest.raises(UserError, match=r"did you mean inspect\?"):
        pipelines.export(runs / "a", to="inspekt")
