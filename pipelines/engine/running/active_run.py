"""A run that is being made: its finished examples, those that are added, and at the end its final files."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from longdoc.errors import RepliesAwaited, UserError
from longdoc.messages import counted, note
from models.accounting import Usage, cost_by
from models.truncation import ALONE_TEXT, MORE_ROOM_TEXT
from pipelines.engine import interruption_note
from pipelines.engine.inference.active_job import ActiveJob
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.stop_rule import SendingStopped, StopRule
from pipelines.engine.planning.metric_names import optional_metrics
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import ShardExample
from pipelines.engine.planning.spec import DATE, details_of, digest, encoders_of, record_of, spec_of, start_record
from pipelines.engine.recording import shard_file
from pipelines.engine.recording.finished_examples import FinishedExamples
from pipelines.engine.recording.run_folder import RunFolder
from pipelines.engine.running.compact_predictions import WithoutTexts
from pipelines.engine.running.scoring import Scorer
from pipelines.records import Example, Prediction, shared_rows
from pipelines.results.excerpts import excerpts
from pipelines.results.remarks import remarks
from pipelines.results.result import Result
from pipelines.results.run_folders.record import DamagedRecord, read_run, signature_suffix
from pipelines.results.run_folders.run import run_of, run_record
from pipelines.results.run_folders.versions import count_examples, mixed_versions
from pipelines.results.selection_counts import SelectionTally
from pipelines.results.suspicious_outputs import SuspiciousOutputs
from pipelines.results.unread import unread_warnings


class NoAnswers(UserError):
    """No example of a run could be answered; `failures` maps their ids to reasons."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        super().__init__(failures)
        self.failures = failures

    def __str__(self) -> str:
        name, reason = next(iter(self.failures.items()))
        remedy = f": {MORE_ROOM_TEXT}" if reason.startswith(ALONE_TEXT) else ""
        return f"no example could be answered; the first, {name}: {reason}{remedy}"


def default_folder(plan: Plan, spec: Mapping[str, Any]) -> Path:
    """The folder of a run without `out`: its name has a digest of everything that decides the predictions.

    The name of a shard's folder ends with its number.
    """
    name = folder_name(plan.task.name, spec)
    return Path("runs") / (name if plan.shard is None else f"{name}-{plan.shard.folder_name}")


def folder_name(task: str, spec: Mapping[str, Any]) -> str:
    """The name of the default folder of a run without shards."""
    return f"{task.replace('/', '-')}-{digest(spec)}"


def with_recorded_date(plan: Plan, out: str | Path | None) -> Plan:
    """The plan with the date that the reader's chat template wrote in the folder's run, so that the run can go on."""
    if plan.reader.template_date is None or DATE in str(plan.given.get("model")):
        return plan
    folder = default_folder(plan, spec_of(plan)) if out is None else Path(out)
    try:
        record = read_run(folder)
    except DamagedRecord as error:
        record = dict(error.record or {})
    reader: Any = plan.reader
    date = ((record or {}).get("spec") or {}).get("model", {}).get(DATE, reader.template_date)
    return plan if date == reader.template_date else replace(plan, reader=replace(reader, template_date=date))


def check_answered(predictions: int, failures: Mapping[str, str], task: str, split: str) -> None:
    """Raise `UserError` for a run without any prediction."""
    if failures and predictions == 0:
        raise NoAnswers(failures)
    if predictions == 0:
        raise UserError(f"the data hold no example for {task}, split {split}")


class ActiveRun:
    """A run of a plan in its folder, which is locked until `close`. `session` is its part in the inference."""

    def __init__(self, plan: Plan, out: str | Path | None, go_on: bool = False) -> None:
        self.plan, self._started = plan, time.monotonic()
        spec = spec_of(plan)
        optional = optional_metrics(plan.metrics, plan.task.metrics)
        self.scorer = Scorer(plan.metrics, signature_suffix(spec), optional)
        path = Path(out) if out is not None else default_folder(plan, spec)
        details = details_of(plan)
        start = start_record(details, encoders_of(plan), self.scorer.signatures)
        self._folder = RunFolder(path, record_of(plan, spec, details), start)
        for damage in self._folder.damage:
            note(damage)
        self._finished = FinishedExamples(self._folder.journal, self._folder.starts)
        self.resumed = 0  # examples that an earlier start has finished, among the data that were read so far
        self._order: list[str] = []
        self._positions: list[int] = []  # of a shard's examples in the whole run
        self._failures: dict[str, str] = {}
        self.awaiting = 0  # examples whose replies come at a later start
        identity = [spec["model"], spec["resolved"]]
        self.session = Session(
            plan.strategy,
            plan.reader,
            plan.max_input_tokens,
            identity,
            self._folder.requests,
            plan.document_limit,
            self._folder.starts,
            StopRule(plan.reader, go_on),
        )

    @property
    def path(self) -> Path:
        """Its folder."""
        return self._folder.path

    def lacks(self, example: Example) -> bool:
        """Whether no earlier start has finished an example."""
        return example.id not in self._finished

    def wants(self, example: Example) -> bool:
        """Whether an example of the data has to be prepared. Call it once for each, in the order of the predictions.

        A finished example gets the rows of metrics that it lacks, while its document is in memory.
        """
        self._order.append(example.id)
        if isinstance(example, ShardExample):
            self._positions.append(example.position)
        if self.lacks(example):
            return self.session.broken is None
        self.resumed += 1
        try:
            usable = self._finished.usable_metrics(example.id)
            if self.scorer.ready.keys() <= set(usable):
                return False
            if rows := self.scorer.prediction_rows(example, self._finished.prediction(example.id), usable):
                self._finished.add_rows(example.id, rows)
        except Exception as error:
            self.session.broken = self.session.broken or error
        return False

    def add(self, finished_job: ActiveJob) -> Prediction | None:
        """Score and log a finished job's prediction; None for a job that failed, or waits for a later start."""
        example = finished_job.job.example
        if finished_job.awaits:
            self.awaiting += 1
            return None
        if finished_job.prediction is None:
            self._failures[example.id] = str(finished_job.failure)
            return None
        rows = self.scorer.prediction_rows(example, finished_job.prediction)
        prediction = replace(finished_job.prediction, statistics=shared_rows(rows))
        self._finished.add(prediction, finished_job.reply_starts)
        return prediction

    def remaining_note(self, examples: int | None) -> str:
        """A line on what a resumed run over so many examples has left to do; empty where that is not known."""
        done, finished_requests = len(self._finished), self._finished.requests
        if not finished_requests or examples is None or done >= examples:
            return ""
        requests = round(examples * finished_requests / done)
        left = max(requests - max(finished_requests, len(self.session.logged_keys)), 0)
        return (
            f"{done:,} of {counted(examples, 'example')} {'is' if done == 1 else 'are'} finished; "
            f"about {left:,} of {counted(requests, 'request')} left (fewer if some are identical)"
        )

    def kept_note(self, examples: int | None) -> str:
        """The note on what is kept of a run over so many `examples` (None: not known), and how to go on; else empty."""
        done, replies = len(self._finished), len(self.session.logged_keys)
        if not done and not replies:
            return ""
        progress = counted(done, "example")
        if examples is not None and done <= examples:  # a folder may hold more examples than this start asks for
            progress = f"{done:,} of {counted(examples, 'example')}"
        folder = self._folder.path
        resume = interruption_note.command_to_resume(
            "run", self.plan.task.name, folder, isinstance(self.session.broken, SendingStopped)
        )
        return f"kept: {progress} and {counted(replies, 'reply', 'replies')} in {folder}; {resume}"

    def _tallied(
        self,
        ids: Sequence[str],
        predictions: list[Prediction],
        selection: SelectionTally,
        suspicious: SuspiciousOutputs,
    ) -> Iterator[Prediction]:
        """The finished predictions, each read once. Fills `predictions`, without their texts, and the two tallies."""
        without_texts = WithoutTexts()
        for prediction in map(self._finished.prediction, ids):
            selection.add(prediction)
            suspicious.add(prediction)
            predictions.append(without_texts(prediction))
            yield prediction

    def result(self) -> Result:
        """Score the run, write its final files, and return the result.

        Raises `UserError` where there is no prediction, except for a shard, or where all outputs of a model are empty.
        """
        if self.awaiting:
            raise RepliesAwaited(f"{counted(self.awaiting, 'example')} in {self._folder.path} wait for replies")
        if not (self.path / "scores.json").exists():
            self.session.check_outputs()
        ids = [id for id in self._order if id in self._finished]
        plan = self.plan
        failures = {id: self._failures[id] for id in self._order if id in self._failures}
        if plan.shard is not None:
            shard_file.write(self._folder.path, zip(self._positions, self._order, strict=True))
        else:
            check_answered(len(ids), failures, plan.task.name, plan.split)
        predictions, selection, suspicious = list[Prediction](), SelectionTally(), SuspiciousOutputs()
        predictions_digest = self._folder.write_predictions(self._tallied(ids, predictions, selection, suspicious))
        content, unread = self.scorer.scores(predictions, selection.means), self.session.unread.record
        content |= {"failures": failures, "usage": _usage(plan, predictions) | unread}
        self._folder.write_scores(predictions_digest, content)
        counts = count_examples(self._folder.starts.all, [self._finished.starts_of(id) for id in ids])
        self._folder.update_record("examples_by_version", counts)
        primary, shown_excerpts = excerpts(
            self.scorer.ready,
            predictions,
            content["scores"],
            lambda prediction: self._finished.prediction(prediction.id),
        )
        return Result.of(
            run_of(self._folder.path, run_record(self._folder.path), content),
            primary_metric=primary,
            excerpts=shown_excerpts,
            documents=len({prediction.document for prediction in predictions}),
            seconds=time.monotonic() - self._started,
            resumed=self.resumed,
            new_requests=self.session.new_requests,
            **asdict(self.session.usage),
            cost=self._cost(),
            warnings=(
                *self._folder.damage,
                *plan.warnings,
                *mixed_versions(counts),
                *unread_warnings(unread),
                *remarks(
                    predictions,
                    {"max_new_tokens": plan.max_new_tokens, "chunker": plan.chunker_record},
                    suspicious,
                ),
            ),
        )

    def _cost(self) -> float | None:
        """The cost of the replies to this run, earlier starts included."""
        return cost_by(self.plan.prices, self.session.usage)

    def close(self) -> None:
        """Flush the files and unlock the folder."""
        served = {kind: sorted(names) for kind, names in sorted(self.session.served.items())}
        try:
            self._folder.update_record("served", served)
        finally:
            self._folder.close()


def _usage(plan: Plan, predictions: list[Prediction]) -> dict[str, Any]:
    """The requests and tokens of the predictions, and their cost where the reader has prices."""
    usage = Usage.total(predictions)
    requests = sum(prediction.requests for prediction in predictions)
    return {"requests": requests, **usage.record, "cost": cost_by(plan.prices, usage)}
