"""Check the final files of a run against its journal, and compute its scores again from its predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import digest_of
from longdoc.messages import counted
from models.accounting import Usage, cost_by
from pipelines import metrics, tasks
from pipelines.engine.planning.metric_names import optional_metrics
from pipelines.engine.recording import shard_file
from pipelines.engine.running.scoring import Scorer
from pipelines.metrics.judged import NAME as JUDGED
from pipelines.plugins.verify import value_comparison
from pipelines.plugins.verify.check import Check
from pipelines.plugins.verify.logs import ReadLog
from pipelines.records import Example, Prediction, prediction_of
from pipelines.results.final_files import FILE, check_digest, read_predictions, read_scores
from pipelines.results.reports import PAGE
from pipelines.results.reports.checked_page import is_damaged
from pipelines.results.run_folders.record import signature_suffix

COMPARED = (
    "scores", "intervals", "no_interval", "signatures", "examples", "scored", "truncated", "selection", "outputs",
    "passages",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FinalFiles:
    """The predictions and scores of a finished run, as its final files have them."""

    predictions: Sequence[Prediction]
    scored: Mapping[str, Any]


def read(folder: Path) -> FinalFiles | Check:
    """The final files, or a check that says why they are missing or cannot be read."""
    if not all((folder / name).is_file() for name in (FILE, "scores.json")):
        return Check("scores", "not checked", "the run is not finished")
    try:
        scored = read_scores(folder)
        return FinalFiles(read_predictions(folder, scored), scored)
    except UserError as error:
        return Check("final files", "differs", "they cannot be read", (str(error),))


def finished_in(journal: ReadLog) -> dict[str, Prediction]:
    """The predictions in a journal, by example; the last one where an example has several."""
    return {record["id"]: prediction_of(record) for record in journal.records}


def journal_check(final: FinalFiles, finished: Mapping[str, Prediction]) -> Check:
    """Check that the predictions and their rows are those of the journal."""
    problems = []
    for prediction in final.predictions:
        if prediction.id not in finished:
            problems.append(f"{prediction.id} is not in the journal")
        else:
            problems += value_comparison.prediction_differences(prediction, finished[prediction.id], "in the journal")
            problems += value_comparison.row_differences(
                prediction, finished[prediction.id].statistics, "in the journal"
            )
    return value_comparison.check(FILE, problems, f"{counted(len(final.predictions), 'prediction')}, as in the journal")


class Rescored:
    """The metrics of a run as they are today. `signatures` are those of the run, by metric."""

    def __init__(self, folder: Path, record: Mapping[str, Any], final: FinalFiles) -> None:
        known_metrics, self.refused = metrics.recorded(folder / "run.json", record["metrics"])
        task = tasks.all_tasks().get(record["spec"]["task"])
        optional = optional_metrics(record["metrics"], task.metrics if task else ())
        self.scorer = Scorer(known_metrics, signature_suffix(record["spec"]), optional)
        self.signatures = _signatures(record)
        self._record, self._final = record, final

    @cached_property
    def other_signatures(self) -> dict[str, tuple[str, str]]:
        """The signatures then and now, by metric, where they differ."""
        pairs = {name: (self.signatures.get(name, now), now) for name, now in self.scorer.signatures.items()}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def computable_today(self, with_documents: bool) -> tuple[list[str], list[str]]:
        """The metrics whose rows can be computed today, and why others cannot; a judge's is in neither list."""
        names, unavailable = [], [f"{name}: {reason}" for name, reason in (self.refused | self._lacking).items()]
        for name, metric in self.scorer.ready.items():
            if name in self.other_signatures:
                unavailable.append(f"{name}: another signature today")
            elif not with_documents and (metric.needs_example or metric.target in metrics.SELECTION_TARGETS):
                unavailable.append(f"{name}: it reads the documents")
            elif name != JUDGED:
                names.append(name)
        return names, unavailable

    @cached_property
    def _metrics_with_documents(self) -> list[str]:
        return self.computable_today(with_documents=True)[0]

    @cached_property
    def _metrics_without_documents(self) -> list[str]:
        return self.computable_today(with_documents=False)[0]

    def row_differences(self, example: Example, prediction: Prediction, with_documents: bool) -> list[str]:
        """The differences between the rows of a prediction and those that today's metrics compute."""
        names = self._metrics_with_documents if with_documents else self._metrics_without_documents
        rows = self.scorer.prediction_rows(example, prediction, self.scorer.ready.keys() - set(names))
        return value_comparison.row_differences(prediction, rows, "computed again")

    def check(self) -> Check:
        """Check the scores, intervals and counts against those computed again from the predictions' rows."""
        fields = self.scorer.scores(self._final.predictions)
        stored = self._final.scored
        unknown = self._unknown()
        problems = (
            value_comparison.value_differences(_computable(stored, fields), fields, COMPARED)
            + self._usage_differences()
        )
        if not problems and unknown:
            reasons = tuple(f"{name}: {reason}" for name, reason in unknown.items())
            count = f"{len(unknown):,} of {counted(len(self._record['metrics']), 'metric')}"
            return Check("scores.json", "not checked", count, reasons)
        description = f"{counted(len(fields['scores']), 'score')}, with intervals and counts"
        return value_comparison.check("scores.json", problems, description)

    def _unknown(self) -> dict[str, str]:
        """The metrics whose scores cannot be computed here, with the reason."""
        return self.refused | self._lacking | dict.fromkeys(self.other_signatures, "another signature today")

    @cached_property
    def _lacking(self) -> dict[str, str]:
        """The metrics that cannot be computed here, and could where the run was made."""
        rows = {name for prediction in self._final.predictions for name in prediction.statistics}
        return {name: reason for name, reason in self.scorer.lacking.items() if name in rows}

    def _usage_differences(self) -> list[str]:
        """The differences between the stored usage and the sums over the predictions."""
        usage = self._final.scored.get("usage", {})
        total = Usage.total(self._final.predictions)
        caches = {name: 0 for name in ("cached_tokens", "cache_write_tokens") if name in usage}
        requests = sum(prediction.requests for prediction in self._final.predictions)
        sums: dict[str, Any] = {"requests": requests, **caches, **total.record}
        prices = [start.get("environment", {}).get("prices") for start in self._record.get("starts", ())]
        costs = [cost_by(price, total) for price in prices if price]
        if costs and usage.get("cost") not in costs and "merged" not in self._record:
            sums["cost"] = costs[-1]
        return value_comparison.value_differences({"usage": usage}, {"usage": {**usage, **sums}}, ["usage"])


def _computable(stored: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The stored scores without those of metrics that cannot be computed here."""
    by_score = ("scores", "intervals", "no_interval", "signatures")
    names = fields["scores"].keys()
    return dict(stored) | {
        part: {name: value for name, value in stored[part].items() if name in names}
        for part in by_score
        if part in stored
    }


def _signatures(record: Mapping[str, Any]) -> dict[str, str]:
    """The signatures of the metrics, each from the last start that had it."""
    signatures: dict[str, str] = {}
    for start in record.get("starts", ()):
        signatures |= start.get("signatures", {})
    return signatures


def page_checks(folder: Path) -> list[Check]:
    """Check that the page of a folder is as it was written; empty without a page."""
    page = folder / PAGE
    if not page.is_file():
        return []
    if not is_damaged(page):
        return [Check(PAGE, "agrees", "its checksum")]
    return [Check(PAGE, "differs", "damaged or edited", (f"longdoc report {folder} makes it anew",))]


def shard_check(folder: Path, final: FinalFiles) -> Check:
    """Check that `shard.jsonl` has the examples of the final files, in their order."""
    try:
        check_digest(folder, shard_file.FILE, digest_of(folder / shard_file.FILE), final.scored)
        examples = list(shard_file.read(folder))
    except (OSError, ValueError, UserError) as error:
        return Check(shard_file.FILE, "differs", "damaged", (f"{error}: start the same shard again",))
    positions, ids = [position for position, _ in examples], [id for _, id in examples]
    failures = final.scored.get("failures", {})
    is_same = [id for id in ids if id not in failures] == [prediction.id for prediction in final.predictions] and set(
        failures
    ) <= {*ids}
    problems = [] if is_same else ["its examples are not those of the final files"]
    problems += [] if positions == sorted(set(positions)) else ["its positions are not in order"]
    return value_comparison.check(shard_file.FILE, problems, f"{counted(len(ids), 'example')} of the whole run")
