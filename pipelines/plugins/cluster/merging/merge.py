"""Merge the shards of a run: its logs, predictions and scores, as the run without shards would have them.

Scores and intervals are computed over all predictions in the order of the data; nothing of the shards' own is averaged.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import Any

from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from longdoc.files import digest_of, output_folder, write_whole
from longdoc.messages import counted
from models.accounting import Usage, cost_by
from pipelines import metrics, tasks
from pipelines.engine.planning.metric_names import optional_metrics
from pipelines.engine.recording import final_files, shard_file
from pipelines.engine.running.active_run import check_answered, folder_name
from pipelines.engine.running.scoring import Scorer
from pipelines.metrics import Metric
from pipelines.plugins.cluster.merging.atomic_folder import check_place, replacing
from pipelines.plugins.cluster.merging.logs import JoinedLogs
from pipelines.plugins.cluster.merging.shard_runs import ShardRun, shard_runs
from pipelines.records import Prediction
from pipelines.results.excerpts import excerpts
from pipelines.results.final_files import FILE, check_digest, read_predictions
from pipelines.results.remarks import remarks
from pipelines.results.result import Result
from pipelines.results.run_folders.record import run_text, signature_suffix
from pipelines.results.run_folders.run import run_of, run_record
from pipelines.results.run_folders.spec_differences import signatures_in_words
from pipelines.results.run_folders.versions import count_examples, mixed_versions
from pipelines.results.unread import unread_warnings

SHARD_KEYS = ("shard", "starts", "examples_by_version", "served")  # of `run.json`: the merge writes its own


def merge_runs(folders: Sequence[Path], out: Path | None, own_metrics: Mapping[str, Metric]) -> Result:
    """Join the shards of a run into a run's folder. Raises `UserError`, which names all that is wrong with them.

    `own_metrics` are metrics of the run in the user's own code, which its record does not name.
    """
    start_time = time.monotonic()
    shards = shard_runs(folders)
    spec = shards[0].record["spec"]
    place = output_folder(out if out is not None else Path("runs") / folder_name(spec["task"], spec))
    check_place(place, spec, [start for shard in shards for start in shard.record["starts"]])
    with replacing(place) as new:
        merged = write_merged(shards, new, own_metrics)
    return merged.result(place, time.monotonic() - start_time)


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged run as it was written."""

    shards: Sequence[ShardRun]
    scorer: Scorer
    scored: Mapping[str, Any]
    predictions: Sequence[Prediction]
    logs: JoinedLogs
    versions: Mapping[str, Mapping[str, int]]

    def result(self, folder: Path, seconds: float) -> Result:
        """The record of the merged run."""
        spec, scored = self.shards[0].record["spec"], self.scored
        primary, sample = excerpts(self.scorer.ready, self.predictions, scored["scores"])
        warnings = [*mixed_versions(self.versions), *remarks(self.predictions, spec)]
        if number := self.logs.differing:
            replies = f"{counted(number, 'equal request')} got other replies in other shards"
            warnings.append(f"{replies}: the reader does not always answer alike, so a run without shards may differ")
        warnings += unread_warnings(scored["usage"])
        prices = _prices(self.shards)
        return Result.of(
            run_of(folder, run_record(folder), scored),
            primary_metric=primary,
            excerpts=sample,
            documents=len({prediction.document for prediction in self.predictions}),
            seconds=seconds,
            **asdict(self.logs.usage),
            cost=scored["usage"]["cost"] if prices is None else cost_by(prices, self.logs.paid),
            warnings=tuple(warnings),
        )


def write_merged(shards: Sequence[ShardRun], folder: Path, own_metrics: Mapping[str, Metric]) -> Merged:
    """Write the run that shards make up into an empty folder. Raises `UserError`."""
    scorer = _scorer(shards, own_metrics)
    logs = JoinedLogs()
    logs.write(shards, folder)
    examples = sorted((pair for shard in shards for pair in _examples(shard, logs)), key=lambda pair: pair[0])
    for place, (position, _) in enumerate(examples):
        if place != position:
            raise UserError(
                f"the shards do not make up the data: example {min(place, position):,} is in none, or in two"
            )
    predictions = [value for _, value in examples if isinstance(value, Prediction)]
    reasons = {name: reason for shard in shards for name, reason in shard.scored.get("failures", {}).items()}
    failures = {name: reasons[name] for _, name in examples if isinstance(name, str)}
    spec = shards[0].record["spec"]
    check_answered(len(predictions), failures, spec["task"], spec["split"])
    versions = count_examples(logs.starts, [logs.used[prediction.id] for prediction in predictions])
    write_whole(folder, "run.json", run_text(_record(shards, logs, versions)))
    scored = scorer.scores(predictions) | {
        "failures": failures,
        "usage": _usage(shards, predictions) | logs.prompts.unread.record,
    }
    final_files.write(folder, predictions, scored)
    return Merged(shards, scorer, scored, predictions, logs, versions)


def _scorer(shards: Sequence[ShardRun], own_metrics: Mapping[str, Metric]) -> Scorer:
    """The metrics of the shards. Raises `UserError` for one that cannot be made here, or differs here."""
    first = shards[0]
    spec, described = first.record["spec"], first.record["metrics"]
    known, refused = metrics.recorded(first.folder / "run.json", described)
    known |= {name: metric for name, metric in own_metrics.items() if name in refused}
    if missing := next((name for name in refused if name not in own_metrics), None):
        problem = f"the metric {missing} of {first.folder} cannot be made here ({refused[missing]})"
        raise UserError(f"{problem}: name it, longdoc runs merge RUN… --metric MODULE:CLASS (Python: metrics=[…])")
    known = {name: known[name] for name in described}
    task = tasks.declared(spec["task"])
    scorer = Scorer(known, signature_suffix(spec), optional_metrics(described, task.metrics if task else ()))
    for name, signature in scorer.signatures.items():
        if (text := first.signatures.get(name, signature)) != signature:
            note = f"{name}: {signatures_in_words(text, signature)} here"
            raise UserError(f"the shards were scored differently from this version ({note}): start them again here")
    return scorer


def _examples(shard: ShardRun, logs: JoinedLogs) -> Iterator[tuple[int, Prediction | str]]:
    """The examples of a shard with their positions in the run: predictions, and the ids of those that failed."""
    text = f"start shard {shard.shard} again, which writes it anew"
    predictions = iter(read_predictions(shard.folder, shard.scored))
    failures = shard.scored.get("failures", {})
    check_digest(shard.folder, shard_file.FILE, digest_of(shard.folder / shard_file.FILE), shard.scored)
    try:
        for position, name in shard_file.read(shard.folder):
            value = name if name in failures else next(predictions, None)
            if isinstance(value, Prediction) and (value.id != name or name not in logs.used):
                raise UserError(f"the files of {shard.folder} do not belong together ({name}): {text}")
            if value is None:
                raise UserError(f"{FILE} in {shard.folder} has no prediction for {name}: {text}")
            yield position, value
    except Malformed as error:
        raise UserError(f"{error} in {shard.folder}: {text}") from None


def _record(shards: Sequence[ShardRun], logs: JoinedLogs, versions: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the merged run's `run.json`: the fields that the shards share, and the starts of all."""
    first = shards[0].record
    record = {name: value for name, value in first.items() if name not in SHARD_KEYS}
    if "arguments" in first:
        record["arguments"] = {name: value for name, value in first["arguments"].items() if name != "shard"}
    inexact = [value for shard in shards if (value := shard.record.get("repetition", "exact")) != "exact"]
    values = {
        "repetition": inexact[0] if inexact else first.get("repetition"),
        "examples_by_version": versions,
        "served": {kind: sorted(names) for kind, names in sorted(logs.served.items())},
    }
    merged = {"merged": {"shards": len(shards)}, "starts": logs.starts}
    return {**record, **{name: value for name, value in values.items() if value}, **merged}


def _usage(shards: Sequence[ShardRun], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """The requests and tokens of all predictions, and their cost: the sum of the shards' costs where prices differ."""
    total = Usage.total(predictions)
    usage = {"requests": sum(prediction.requests for prediction in predictions), **total.record}
    if (prices := _prices(shards)) is not None:
        return usage | {"cost": cost_by(prices, total)}
    costs = [cost for shard in shards if (cost := shard.scored["usage"]["cost"]) is not None]
    return usage | {"cost": fsum(costs) if costs else None}


def _prices(shards: Sequence[ShardRun]) -> Mapping[str, float] | None:
    """The prices of the shards' reader; None without prices, or where they differ between shards."""
    prices = shards[0].prices
    return prices if prices and all(shard.prices == prices for shard in shards) else None
