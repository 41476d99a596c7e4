"""Verify the folder of one run: its files, and its numbers computed again from logs and data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.engine.planning.spec import start_record
from pipelines.plugins.verify import final_files, judgements, value_comparison
from pipelines.plugins.verify.check import Check, OtherVersion, Verified
from pipelines.plugins.verify.final_files import FinalFiles, Rescored
from pipelines.plugins.verify.logs import ReadLog, journal_of, requests_of
from pipelines.plugins.verify.recomputed_predictions import Recomputation
from pipelines.records import Document, Example
from pipelines.results.run_folders.run import run_record
from pipelines.results.run_folders.spec_differences import data_in_words
from pipelines.results.run_folders.versions import ABSENT, versions_of_start


def verify_run(path: Path, changes: Mapping[str, Any]) -> Verified:
    """Verify the folder of one run; `changes` say where its data and its reader are now."""
    requests, journal = requests_of(path), journal_of(path)
    try:
        record = run_record(path)
    except UserError as error:
        if not (path / "run.json").is_file():
            raise
        damaged = Check("run.json", "differs", "damaged", (str(error),))
        return Verified(path, "a run", [damaged, requests.check, journal.check])
    return _Verification(path, record, requests, journal, changes).verified()


class _Verification:
    """A run's folder while it is verified. `_predictions` are its finished predictions, by example."""

    def __init__(
        self, path: Path, record: Mapping[str, Any], requests: ReadLog, journal: ReadLog, changes: Mapping[str, Any]
    ) -> None:
        self._path, self._record, self._requests, self._changes = path, record, requests, changes
        self._final = final_files.read(path)
        finished = final_files.finished_in(journal)
        self._checks = [Check("run.json", "agrees", "its checksum"), requests.check, journal.check]
        self._rescored: Rescored | None = None
        if isinstance(self._final, FinalFiles):
            self._predictions = {prediction.id: prediction for prediction in self._final.predictions}
            self._rescored = Rescored(path, record, self._final)
            self._checks.append(final_files.journal_check(self._final, finished))
        else:
            self._predictions = finished
            self._checks.append(self._final)

    def verified(self) -> Verified:
        """All checks, from the files to the scores."""
        checks = [*self._checks, *self._recomputed()]
        if self._rescored is not None:
            checks.append(self._rescored.check())
        if isinstance(self._final, FinalFiles):
            checks += judgements.checks(self._path, self._final)
            checks += final_files.page_checks(self._path)
            checks += [final_files.shard_check(self._path, self._final)] if "shard" in self._record else []
        holds = f"a run of {self._record['spec']['task']}, {counted(len(self._predictions), 'prediction')}"
        return Verified(self._path, holds, checks, self._other_versions())

    def _recomputed(self) -> list[Check]:
        """The checks of data, prompts, predictions and rows; without the data only of rows that need no document."""
        try:
            recomputation = Recomputation(self._path, self._requests, dict(self._changes))
            recorded = self._record["spec"].get("data", {})
            if recomputation.fingerprint == recorded:
                return self._compared(recomputation)
        except (UserError, OSError) as error:
            missing = Check("prompts and predictions", "not checked", "they cannot be made again", (str(error),))
            return [missing, *self._rows_alone()]
        before, now = data_in_words(recorded, recomputation.fingerprint)
        note = f"{before} then, {now} now" if before else "the content differs"
        hint = f"these are not the data of the run ({note}): give data=PATH with the run's data"
        return [Check("data", "differs", "other data", (hint,)), *self._rows_alone()]

    def _compared(self, recomputation: Recomputation) -> list[Check]:
        """The checks of data, prompts, predictions and rows against those computed again, example by example."""
        failures = self._final.scored.get("failures", {}) if isinstance(self._final, FinalFiles) else {}
        prompts: list[str] = []
        predictions: list[str] = []
        rows: list[str] = []
        for recomputed in recomputation.examples():
            prediction = self._predictions.get(recomputed.example.id)
            if prediction is None:
                if recomputed.prediction is not None and recomputed.example.id in failures:
                    predictions.append(f"{recomputed.example.id} failed, and the log has its replies")
            elif recomputed.prediction is None:
                prompts.append(f"{prediction.id}: {recomputed.failure}")
            else:
                predictions += value_comparison.prediction_differences(prediction, recomputed.prediction, "made again")
                rows += self._rescored.row_differences(recomputed.example, prediction, True) if self._rescored else []
        predictions += self._out_of_order(recomputation)
        checks = [
            Check("data", "agrees", "their fingerprint"),
            value_comparison.check(
                "prompts", prompts, f"{counted(recomputation.requests, 'request')} made again, all in the log"
            ),
            value_comparison.check("predictions", predictions, f"{len(self._predictions):,} from the logged replies"),
        ]
        return [*checks, *self._rows_check(rows, with_documents=True)]

    def _out_of_order(self, recomputation: Recomputation) -> list[str]:
        """Problems with the examples: predictions without an example in the data, or in another order."""
        data_ids = {*recomputation.order}
        unknown = [f"{id} is not an example of the data" for id in self._predictions if id not in data_ids]
        if unknown or not isinstance(self._final, FinalFiles):
            return unknown
        is_same = [id for id in recomputation.order if id in self._predictions] == list(self._predictions)
        return [] if is_same else ["they are not in the order of the data"]

    def _rows_alone(self) -> list[Check]:
        """The checks of the rows of metrics that need no document."""
        rows: list[str] = []
        if self._rescored is not None:
            for prediction in self._predictions.values():
                example = Example(
                    prediction.id, Document(prediction.document, ""), prediction.query, prediction.references
                )
                rows += self._rescored.row_differences(example, prediction, False)
        return self._rows_check(rows, with_documents=False)

    def _rows_check(self, rows: list[str], with_documents: bool) -> list[Check]:
        """The check of the differences in rows, and that of metrics whose rows could not be computed."""
        if self._rescored is None:
            return []
        names, unavailable = self._rescored.computable_today(with_documents)
        check = value_comparison.check("rows of metrics", rows, f"of {counted(len(names), 'metric')}")
        unchecked = (
            [Check("other rows", "not checked", f"of {counted(len(unavailable), 'metric')}", tuple(unavailable))]
            if unavailable
            else []
        )
        return [check, *unchecked] if names else unchecked

    def _other_versions(self) -> list[OtherVersion]:
        """The versions of the run's starts that differ from today's."""
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
