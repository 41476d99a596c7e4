"""The folder of one run: each file of it, and what is made again from its logs and its data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines.engine.planning.spec import start_record
from pipelines.evaluation.verifying import final_files, judgements, value_comparison
from pipelines.evaluation.verifying.check import Check, OtherVersion, Verified
from pipelines.evaluation.verifying.final_files import FinalFiles, Rescored
from pipelines.evaluation.verifying.logs import ReadLog, journal_of, requests_of
from pipelines.evaluation.verifying.recomputed_predictions import Remaking
from pipelines.records import Document, Example
from pipelines.results.run_folders.run import run_record
from pipelines.results.run_folders.spec_differences import data_in_words
from pipelines.results.run_folders.versions import ABSENT, versions_of_start


def verify_run(path: Path, changes: Mapping[str, Any]) -> Verified:
    """The folder of one run; `changes` say where its data and its reader are now."""
    requests, journal = requests_of(path), journal_of(path)
    try:
        record = run_record(path)
    except UserError as error:
        if not (path / "run.json").is_file():
            raise
        damaged = Check("run.json", "differs", "damaged", (str(error),))
        return Verified(path, "a run", [damaged, requests.check, journal.check])
    return _Verifying(path, record, requests, journal, changes).verified()


class _Verifying:
    """A run's folder while it is verified. `known` are its predictions, or what is finished of them, by example."""

    def __init__(
        self, path: Path, record: Mapping[str, Any], requests: ReadLog, journal: ReadLog, changes: Mapping[str, Any]
    ) -> None:
        self._path, self._record, self._requests, self._changes = path, record, requests, changes
        self._final = final_files.read(path)
        finished = final_files.finished_in(journal)
        self._checks = [Check("run.json", "agrees", "its checksum"), requests.check, journal.check]
        self._rescored: Rescored | None = None
        if isinstance(self._final, FinalFiles):
            self._known_values = {prediction.id: prediction for prediction in self._final.predictions}
            self._rescored = Rescored(path, record, self._final)
            self._checks.append(final_files.journal_check(self._final, finished))
        else:
            self._known_values = finished
            self._checks.append(self._final)

    def verified(self) -> Verified:
        """All checks, from the files to the scores."""
        checks = [*self._checks, *self._made_again_rows()]
        if self._rescored is not None:
            checks.append(self._rescored.check())
        if isinstance(self._final, FinalFiles):
            checks += judgements.checks(self._path, self._final)
            checks += final_files.page_checks(self._path)
            checks += [final_files.shard_check(self._path, self._final)] if "shard" in self._record else []
        holds = f"a run of {self._record['spec']['task']}, {counted(len(self._known_values), 'prediction')}"
        return Verified(self._path, holds, checks, self._other_versions())

    def _made_again_rows(self) -> list[Check]:
        """Data, prompts, predictions and rows; where they cannot be made again, the rows that need no document."""
        try:
            remaking = Remaking(self._path, self._requests, dict(self._changes))
            present_value = self._record["spec"].get("data", {})
            if remaking.fingerprint == present_value:
                return self._compared(remaking)
        except (UserError, OSError) as error:
            missing = Check("prompts and predictions", "not checked", "they cannot be made again", (str(error),))
            return [missing, *self._rows_alone()]
        before, now = data_in_words(present_value, remaking.fingerprint)
        note = f"{before} then, {now} now" if before else "the content differs"
        hint = f"these are not the data of the run ({note}): give data=PATH of those"
        return [Check("data", "differs", "other data", (hint,)), *self._rows_alone()]

    def _compared(self, remaking: Remaking) -> list[Check]:
        """What is made again, example by example, with the predictions and their rows."""
        failures = self._final.scored.get("failures", {}) if isinstance(self._final, FinalFiles) else {}
        prompts: list[str] = []
        predictions: list[str] = []
        rows: list[str] = []
        for recomputed_prediction in remaking.examples():
            prediction = self._known_values.get(recomputed_prediction.example.id)
            if prediction is None:
                if recomputed_prediction.prediction is not None and recomputed_prediction.example.id in failures:
                    predictions.append(f"{recomputed_prediction.example.id} failed, and the log has its replies")
            elif recomputed_prediction.prediction is None:
                prompts.append(f"{prediction.id}: {recomputed_prediction.failure}")
            else:
                predictions += value_comparison.prediction_differences(
                    prediction, recomputed_prediction.prediction, "made again"
                )
                rows += (
                    self._rescored.row_differences(recomputed_prediction.example, prediction, True)
                    if self._rescored
                    else []
                )
        predictions += self._out_of_order(remaking)
        checks = [
            Check("data", "agrees", "their fingerprint"),
            value_comparison.check(
                "prompts", prompts, f"{counted(remaking.requests, 'request')} made again, all in the log"
            ),
            value_comparison.check("predictions", predictions, f"{len(self._known_values):,} from the logged replies"),
        ]
        return [*checks, *self._rows_check(rows, with_documents=True)]

    def _out_of_order(self, remaking: Remaking) -> list[str]:
        """Predictions of no example in the data, and whether the others are in their order."""
        present_names = {*remaking.order}
        unknown = [f"{id} is no example of the data" for id in self._known_values if id not in present_names]
        if unknown or not isinstance(self._final, FinalFiles):
            return unknown
        is_same = [id for id in remaking.order if id in self._known_values] == list(self._known_values)
        return [] if is_same else ["they are not in the order of the data"]

    def _rows_alone(self) -> list[Check]:
        """The rows of metrics that need no document."""
        rows: list[str] = []
        if self._rescored is not None:
            for prediction in self._known_values.values():
                example = Example(
                    prediction.id, Document(prediction.document, ""), prediction.query, prediction.references
                )
                rows += self._rescored.row_differences(example, prediction, False)
        return self._rows_check(rows, with_documents=False)

    def _rows_check(self, rows: list[str], with_documents: bool) -> list[Check]:
        if self._rescored is None:
            return []
        names, other_names = self._rescored.made_today(with_documents)
        check = value_comparison.check("rows of metrics", rows, f"of {counted(len(names), 'metric')}")
        left = (
            [Check("other rows", "not checked", f"of {counted(len(other_names), 'metric')}", tuple(other_names))]
            if other_names
            else []
        )
        return [check, *left] if names else left

    def _other_versions(self) -> list[OtherVersion]:
        """What the starts were made with and is another today."""
        now = versions_of_start(start_record({}, (), {}))
        versions: dict[str, dict[str, None]] = {}
        for start in self._record.get("starts", ()):
            for name, version in versions_of_start(start).items():
                if name != "device":
                    versions.setdefault(name, {})[version] = None
        other_versions = [
            OtherVersion(name, ", ".join(versions), now.get(name, ABSENT))
            for name, versions in versions.items()
            if list(versions) != [now.get(name, ABSENT)]
        ]
        signatures = self._rescored.other_signatures if self._rescored else {}
        return [*other_versions, *(OtherVersion(f"signature of {name}", *pair) for name, pair in signatures.items())]
