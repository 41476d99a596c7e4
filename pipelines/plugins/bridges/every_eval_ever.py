"""Writes a finished run in the form of Every Eval Ever: a JSON file of scores, and a file with those of each sample.

The form is that of `eval.schema.json` and `instance_level_eval.schema.json`, both 0.2.1, of the repository
evaleval/every_eval_ever. Scores keep this project's scale, 0–100. A line is one score of one sample; documents and
prompts are not in it. Fields of the form that a run does not know are "not stated".
"""

import json
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.files import write_whole
from pipelines.records import Prediction, references_text
from pipelines.results.comparisons.summary import less_is_better
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run

VERSION = "0.2.1"
UNSTATED = "not stated"
SAMPLES = "_samples.jsonl"  # after the name of the file of scores
RIGHT = 100.0  # the score from which an answer counts as correct


def write(run: Run, record: Mapping[str, Any], file: Path) -> Path:
    """Write the file of scores and, beside it, that of the samples; returns the latter. `record` is the `run.json`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    now = str(int(time.time()))
    evaluation_id = "/".join((run.task.replace("/", "_"), _model(run).replace("/", "_"), now))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in sample_rows(run, evaluation_id)]
    text, samples = "".join(lines), file.with_name(file.stem + SAMPLES)
    write_whole(samples.parent, samples.name, text, is_typed=True)
    details = {
        "format": "jsonl",
        "file_path": samples.name,
        "hash_algorithm": "sha256",
        "checksum": sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "total_rows": len(lines),
    }
    scores = evaluation(run, record, evaluation_id, now) | {"detailed_evaluation_results": details}
    write_whole(file.parent, file.name, json.dumps(scores, indent=2, ensure_ascii=False) + "\n", is_typed=True)
    return samples


def evaluation(run: Run, record: Mapping[str, Any], evaluation_id: str, now: str) -> dict[str, Any]:
    """The record of the scores over all samples; `now` is the time, in seconds since 1970."""
    start = record["starts"][0]
    model = _model(run)
    return {
        "schema_version": VERSION,
        "evaluation_id": evaluation_id,
        "evaluation_timestamp": start["time"],
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "longdoc",
            "source_type": "evaluation_run",
            "source_organization_name": UNSTATED,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "longdoc", "version": start["longdoc"]},
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": _texts({"reader": run.spec["model"], "resolved": run.spec.get("resolved")}),
        },
        "evaluation_results": [_result(run, name) for name in run.scores],
    }


def _result(run: Run, name: str) -> dict[str, Any]:
    """The record of one score, with its interval."""
    result: dict[str, Any] = {
        "evaluation_name": name,
        "source_data": _source_data(run),
        "metric_config": {
            "evaluation_description": run.scores.signatures.get(name, name),
            "lower_is_better": less_is_better(name),
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 100.0,
        },
        "score_details": {"score": run.scores[name]},
        "generation_config": {
            "generation_args": {"max_tokens": run.spec["max_new_tokens"]},
            "additional_details": _texts({"recipe": recipe_of_spec(run.spec), "part": run.part}),
        },
    }
    interval = run.scores.intervals.get(name)
    if interval is not None:
        result["score_details"]["uncertainty"] = {
            "confidence_interval": {
                "lower": interval.low,
                "upper": interval.high,
                "confidence_level": interval.level,
                "method": f"bootstrap by {interval.unit}",
            },
            "num_samples": run.examples,
            "num_bootstrap_samples": interval.resamples,
        }
    return result


def _source_data(run: Run) -> dict[str, Any]:
    """The record of the data: a data set of the hub, or the user's files."""
    data = run.spec.get("data") or {}
    if "repository" not in data:
        return {"dataset_name": run.task, "source_type": "other", "additional_details": _texts({"split": run.split})}
    return {
        "dataset_name": run.task,
        "source_type": "hf_dataset",
        "hf_repo": data["repository"],
        "hf_split": run.split,
        "samples_number": run.examples,
    }


def sample_rows(run: Run, evaluation_id: str) -> Iterator[dict[str, Any]]:
    """A row for each score of each sample; scores that are not means over samples have none."""
    for name, scores in run.sample_scores.items():
        for prediction, score in zip(run.predictions, scores, strict=True):
            if score is not None:
                yield _sample_row(run, prediction, evaluation_id, name, score)


def _sample_row(run: Run, prediction: Prediction, evaluation_id: str, name: str, score: float) -> dict[str, Any]:
    references = list(references_text(prediction.references))
    content = "\n".join([prediction.query, *references])
    attribution = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": prediction.prediction,
        "extraction_method": "none",
        "is_terminal": True,
    }
    return {
        "schema_version": VERSION,
        "evaluation_id": evaluation_id,
        "model_id": _model(run),
        "evaluation_name": name,
        "sample_id": prediction.id,
        "sample_hash": sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": prediction.query, "reference": references},
        "output": {"raw": [prediction.prediction]},
        "answer_attribution": [attribution],
        "evaluation": {"score": score, "is_correct": score >= RIGHT},
        "token_usage": {
            "input_tokens": prediction.tokens_in,
            "output_tokens": prediction.tokens_out,
            "total_tokens": prediction.tokens_in + prediction.tokens_out,
        },
        "metadata": {"document": prediction.document},
    }


def _model(run: Run) -> str:
    """The model's name; the reader's where it has no model."""
    spec = run.spec["model"]
    return str(spec["model"]) if isinstance(spec.get("model"), str) else str(spec["name"])


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """The values as texts, which the form requires; empty ones are left out."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in values.items()
        if value
    }
