"""Runs from plan to final files: what is finished is journaled at once, the rest is asked, then all is scored."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines import metrics
from pipelines.engine import pair_counts, training_data
from pipelines.engine.active_run import Course
from pipelines.engine.engines.local import Local
from pipelines.engine.inference import Inference
from pipelines.engine.plan import Plan
from pipelines.engine.progress import Progress
from pipelines.engine.scoring import Scorer
from pipelines.results.records import Result, read_predictions, read_scores
from pipelines.results.run_folders.record import read_run, signature_suffix

COUNTED_BYTES = 64_000_000  # local data up to this size are counted beforehand, for the time left


def execute(plan: Plan, out: str | Path | None, engine: Local) -> Result:
    """Run a plan in its folder, resuming what is there. Raises `UserError`; whatever was finished stays finished."""
    course = Course(plan, out)
    try:
        warn_early([course])
        pair_counts.warn(plan, course.lacks)
        inference = Inference(plan.reader, [course.lane])
        training_data.fit(plan)
        with Progress(total(plan), course.resumed) as progress:
            for finished in inference.run(engine.prepared(plan, course.wanted)):
                if prediction := course.take(finished):
                    progress.advance(prediction.document, prediction.tokens_in + prediction.tokens_out)
        return course.result()
    finally:
        course.close()


def rescore(path: Path) -> dict[str, Any]:
    """Score a run's folder again from its predictions and rewrite its `scores.json`; nothing is asked.

    Rows that were made at the time are taken as they are; metrics that were missing then are computed now. Of a metric
    that cannot be made of the record (code that is not allowed) the scores stay as they are, `not_recomputed` says why.
    Raises `UserError` for a folder without a finished run.
    """
    record, file = read_run(path, whole=True), path / "predictions.jsonl"
    if record is None or not file.is_file():
        raise UserError(f"{path} holds no finished run (run.json and predictions.jsonl)")
    old = read_scores(path) if (path / "scores.json").is_file() else {}
    predictions = read_predictions(path, old.get("examples"))
    known, refused = metrics.recorded(path / "run.json", record["spec"]["metrics"])
    scorer = Scorer(known, signature_suffix(record["spec"]))
    scored = scorer.scores(predictions)
    if refused:
        scored = _with_earlier(scored, old, refused)
    write_whole(path, "scores.json", json.dumps(old | scored, indent=2, ensure_ascii=False) + "\n")
    return scored | {"not_recomputed": refused}


def _with_earlier(scored: dict[str, Any], old: Mapping[str, Any], refused: Mapping[str, str]) -> dict[str, Any]:
    """The scores made now, and of those of earlier what belongs to metrics that could not be made now."""
    made_now = scored["scores"].keys() | scored["not_computed"].keys()
    earlier = [name for name in old.get("scores", {}) if name not in made_now]
    merged = {}
    for part in ("scores", "signatures"):
        known = {name: old[part][name] for name in earlier} | scored[part]
        merged[part] = {name: known[name] for name in dict.fromkeys([*old.get("scores", {}), *known]) if name in known}
    absent = {} if earlier else refused
    return scored | merged | {"not_computed": {**scored["not_computed"], **absent}}


def warn_early(courses: Sequence[Course]) -> None:
    """Say at the start which metrics will be missing at the end, and which prompts fit their readers badly."""
    for name, reason in {name: reason for one in courses for name, reason in one.scorer.lacking.items()}.items():
        print(f"longdoc: {name} will not be computed: {reason}", file=sys.stderr)
    for told in dict.fromkeys(told for one in courses if (told := one.plan.advice)):
        print(f"longdoc: {told}", file=sys.stderr)


def total(plan: Plan) -> int | None:
    """The examples of a run, None where only reading large data to the end would tell."""
    if plan.limit is not None or plan.sample is not None:
        return plan.limit or plan.sample
    size: Any = plan.data.fingerprint.get("size")
    if plan.data.expected is None and isinstance(size, int) and size < COUNTED_BYTES:
        return sum(1 for _ in plan.data.examples())
    return plan.data.expected
