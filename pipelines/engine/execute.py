"""Runs from plan to final files: each prediction is logged as soon as it is finished; in the end all are scored."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines import metrics
from pipelines.engine import pair_counts, training_data
from pipelines.engine.active_run import ActiveRun
from pipelines.engine.engines import Engine
from pipelines.engine.inference import shared_replies
from pipelines.engine.inference.inference import Inference
from pipelines.engine.planning.plan import Plan
from pipelines.engine.progress import Progress
from pipelines.engine.scoring import Scorer
from pipelines.results.records import Result, read_predictions, read_scores
from pipelines.results.run_folders.record import read_run, signature_suffix

COUNTED_BYTES = 64_000_000  # local data up to this size are counted beforehand, to show the time left


def execute(plan: Plan, out: str | Path | None, engine: Engine, reply_cache: bool = False) -> Result:
    """Make a run in its folder, or resume it. Raises `UserError`; what was finished before stays finished."""
    with shared_replies.opened(reply_cache) as replies:
        return _execute(ActiveRun(plan, out, replies), engine)


def _execute(run: ActiveRun, engine: Engine) -> Result:
    plan = run.plan
    try:
        warn_early([run])
        pair_counts.warn(plan, run.lacks)
        inference = Inference(plan.reader, [run.session])
        training_data.fit(plan)
        with Progress(total(plan), run.resumed) as progress:
            for finished in inference.run(engine.prepare(plan, run.wanted)):
                if prediction := run.add(finished):
                    progress.advance(prediction.document, prediction.tokens_in + prediction.tokens_out)
        return run.result()
    finally:
        run.close()


def rescore(path: Path) -> dict[str, Any]:
    """Score a run's folder again from its predictions and rewrite its `scores.json`, without inference.

    Rows of metrics that the predictions have are used as they are; missing ones are computed. The scores of a metric
    that cannot be made from the record (code that is not allowed) stay as they are; `not_recomputed` has the reason.
    Raises `UserError` for a folder without a finished run.
    """
    record, file = read_run(path, whole=True), path / "predictions.jsonl"
    if record is None or not file.is_file():
        raise UserError(f"{path} holds no finished run (run.json and predictions.jsonl)")
    old = read_scores(path) if (path / "scores.json").is_file() else {}
    predictions = read_predictions(path, old.get("examples"))
    recorded, refused = metrics.recorded(path / "run.json", record["spec"]["metrics"])
    scorer = Scorer(recorded, signature_suffix(record["spec"]))
    scored = scorer.scores(predictions)
    if refused:
        scored = _with_earlier(scored, old, refused)
    write_whole(path, "scores.json", json.dumps(old | scored, indent=2, ensure_ascii=False) + "\n")
    return scored | {"not_recomputed": refused}


def _with_earlier(scored: dict[str, Any], old: Mapping[str, Any], refused: Mapping[str, str]) -> dict[str, Any]:
    """The new scores, and the earlier ones of metrics that could not be made again."""
    made_now = scored["scores"].keys() | scored["not_computed"].keys()
    earlier = [name for name in old.get("scores", {}) if name not in made_now]
    merged = {}
    for part in ("scores", "signatures"):
        values = {name: old[part][name] for name in earlier} | scored[part]
        names = dict.fromkeys([*old.get("scores", {}), *values])
        merged[part] = {name: values[name] for name in names if name in values}
    absent = {} if earlier else refused
    return scored | merged | {"not_computed": {**scored["not_computed"], **absent}}


def warn_early(runs: Sequence[ActiveRun]) -> None:
    """Report at the start which metrics will be missing at the end, and which prompts suit their readers badly."""
    for name, reason in {name: reason for one in runs for name, reason in one.scorer.lacking.items()}.items():
        print(f"longdoc: {name} will not be computed: {reason}", file=sys.stderr)
    for advice in dict.fromkeys(advice for one in runs if (advice := one.plan.prompt_advice)):
        print(f"longdoc: {advice}", file=sys.stderr)


def total(plan: Plan) -> int | None:
    """The number of a run's examples; None where only reading large data to the end would tell."""
    if plan.limit is not None or plan.sample is not None:
        return plan.limit or plan.sample
    size: Any = plan.data.fingerprint.get("size")
    if plan.data.expected is None and isinstance(size, int) and size < COUNTED_BYTES:
        return sum(1 for _ in plan.data.examples())
    return plan.data.expected
