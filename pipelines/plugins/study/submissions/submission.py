"""Writes submissions to SCROLLS and ZeroSCROLLS from finished runs, and checks them.

A submission has a JSON object `{id: prediction}` per task, and one CSV file with the columns Task, ID, Prediction for
all. Every field of the CSV is quoted, so that an empty prediction, `NA`, quotes and line breaks are read back unchanged
(with pandas: `read_csv(file, keep_default_na=False)`). It has each id of a task's split exactly once, and no other.
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError, listed, unknown
from longdoc.files import make_folder, write_whole
from longdoc.links import check_inside
from longdoc.messages import counted
from pipelines import sources, tasks
from pipelines.display.table import Table, numbered_columns
from pipelines.display.view import View
from pipelines.plugins.study.submissions import prediction_files as files
from pipelines.results.leaderboards.average import task_scores
from pipelines.results.run_folders.run import Run, finished_run
from pipelines.sources import Dataset, DataSpec

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")  # zero bytes and halves of surrogate pairs


@dataclass(frozen=True, slots=True)
class Submission(View):
    """A submission that was written or checked: the number of predictions by task, and the benchmark's missing tasks.

    `folder` has the `files`; `ids_checked` are the tasks whose ids were compared with the data.
    """

    benchmark: str
    folder: Path
    files: Sequence[str]
    counts: Mapping[str, int]
    ids_checked: Sequence[str]
    missing: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """The files with one row per task, missing tasks, and warnings."""
        statuses = {True: "ids as in the data", False: "ids not compared: give data= (--data)"}
        rows = [
            (task, counted(count, "prediction"), statuses[task in self.ids_checked])
            for task, count in self.counts.items()
        ]
        notes = [f"warning: {warning}" for warning in self.warnings]
        if self.missing:
            notes.insert(0, f"partial, without {', '.join(self.missing)}: the benchmark gives it no score")
        caption = f"{self.benchmark}: {', '.join(self.files)} in {self.folder}"
        return [Table(caption, tuple(numbered_columns(("", "", ""), right={1})), rows, tuple(notes))]


@checks_names
def submit(
    benchmark: str, runs: Sequence[str | Path], *, out: str | Path, data: DataSpec | None = None, partial: bool = False
) -> Submission:
    """Write the submission of `scrolls` or `zero_scrolls` from the folders of one finished run per task.

    - `out`: a folder, new or with only such files in it, which are replaced.
    - `data`: where the examples are, to compare the ids with them: None for runs on the published files, which are
      loaded again as `run.json` says; a path (a folder of the benchmark's zips), or a mapping from tasks to the `data`
      of `run`.
    - `partial`: allow tasks to be missing.

    Raises `UserError` for missing tasks, for missing or extra predictions with names and counts, and for data that
    cannot be loaded again.
    """
    chosen_runs = _runs_by_task(benchmark, runs)
    missing = _missing(benchmark, chosen_runs, partial)
    predictions, warnings = {}, []
    for task, run in chosen_runs.items():
        texts = {prediction.id: prediction.prediction for prediction in run.predictions}
        dataset, data_warnings = _dataset_of(run, _data_of_task(data, benchmark, task))
        _compare(task, texts, dataset, run)
        predictions[task], character_warnings = _writable(texts)
        warnings += [f"{task}: {warning}" for warning in (*data_warnings, *character_warnings, *_empty_warnings(texts))]
    warnings += _split_warnings(chosen_runs)
    _write(benchmark, predictions, Path(out))
    counts = {task: len(texts) for task, texts in predictions.items()}
    file_names = [f"{benchmark}_predictions.csv", *(f"{task}.json" for task in predictions)]
    return Submission(benchmark, Path(out), file_names, counts, list(counts), missing, warnings)


@checks_names
def check_submission(
    file: str | Path,
    *,
    benchmark: str | None = None,
    data: DataSpec | None = None,
    split: str | None = None,
    partial: bool = False,
) -> Submission:
    """Check a submission's CSV, or a task's JSON; with `data` (as for `submit`) also its ids.

    `benchmark` may be left out where the name of the file shows it; `split` is the data's, "test" by default. Raises
    `UserError` for wrong columns, tasks, ids or predictions, with names and counts.
    """
    path = Path(file)
    if path.is_dir():
        tables = [path / f"{name}_predictions.csv" for name in task_scores() if benchmark in (None, name)]
        path = next((check_inside(table, path) for table in tables if table.is_file()), path)
    if split is not None and data is None:
        raise UserError(f"split={split!r} is the split of data=: give data= too, or leave split out")
    chosen_benchmark = _benchmark_of(path, benchmark)
    predictions = files.read(path, task_scores()[chosen_benchmark])
    is_one_task = path.suffix == ".json"
    missing = [] if is_one_task else _missing(chosen_benchmark, predictions, partial)
    checked_tasks = []
    for task, texts in predictions.items():
        task_data = _data_of_task(data, chosen_benchmark, task)
        if task_data is not None:
            full_task = tasks.get(f"{chosen_benchmark}/{task}")
            _compare(task, texts, sources.load(full_task.name, full_task.dataset, task_data, split or "test"), None)
            checked_tasks.append(task)
    warnings = [f"{task}: {warning}" for task, texts in predictions.items() for warning in _empty_warnings(texts)]
    counts = {task: len(texts) for task, texts in predictions.items()}
    return Submission(chosen_benchmark, path.parent, [path.name], counts, checked_tasks, missing, warnings)


def _runs_by_task(benchmark: str, runs: Sequence[str | Path]) -> dict[str, Run]:
    """The runs in the benchmark's order. Raises `UserError` for a run of another task, and for two runs of one task."""
    if benchmark not in task_scores():
        raise unknown("benchmark", benchmark, task_scores())
    runs_by_task: dict[str, Run] = {}
    for run in map(finished_run, [runs] if isinstance(runs, (str, Path)) else runs):
        task = run.task.removeprefix(f"{benchmark}/")
        if run.task != f"{benchmark}/{task}" or task not in task_scores()[benchmark]:
            raise UserError(f"{run.folder} is a run of {run.task}, which is not a task of {benchmark}: leave it out")
        if task in runs_by_task:
            raise UserError(f"{runs_by_task[task].folder} and {run.folder} are both runs of {run.task}: choose one")
        runs_by_task[task] = run
    if not runs_by_task:
        raise UserError(f"name the folders of finished runs of {benchmark}, one per task")
    return {task: runs_by_task[task] for task in task_scores()[benchmark] if task in runs_by_task}


def _missing(benchmark: str, present: Mapping[str, Any], partial: bool) -> list[str]:
    """The benchmark's tasks that are not present. Raises `UserError` where there are any, unless `partial`."""
    benchmark_tasks = task_scores()[benchmark]
    missing = [task for task in benchmark_tasks if task not in present]
    if missing and not partial:
        raise UserError(
            f"{len(missing)} of the {len(benchmark_tasks)} tasks of {benchmark} are missing: {', '.join(missing)}; "
            "add their runs, or allow a part of a submission with partial=True (--partial)"
        )
    return missing


def _data_of_task(data: Any, benchmark: str, task: str) -> Any:
    """The data of one task. A mapping names tasks with or without their benchmark."""
    if not isinstance(data, Mapping):
        return data
    full_names = {f"{benchmark}/{name}" for name in task_scores()[benchmark]}
    for name in data:
        if f"{benchmark}/{name.removeprefix(f'{benchmark}/')}" not in full_names:
            raise unknown(f"task of {benchmark}", name, task_scores()[benchmark])
    return data.get(task, data.get(f"{benchmark}/{task}"))


def _dataset_of(run: Run, data: Any) -> tuple[Dataset, list[str]]:
    """A run's data, loaded again, and a warning where they differ. Raises `UserError` where they cannot be loaded."""
    task, recorded = run.declared_task, run.spec.get("data", {})
    if data is not None:
        dataset = sources.load(task.name, task.dataset, data, run.split)
        is_same = dict(dataset.fingerprint) == recorded
        return dataset, [] if is_same else [f"data= is not what {run.folder} was run on"]
    if "repository" not in recorded:
        raise UserError(
            f"{run.folder} was run on your own data, whose ids have to be checked: pass data=PATH "
            f"(--data PATH, or --data {task.name.partition('/')[2]}=PATH)"
        )
    return sources.load(task.name, task.dataset, None, run.split, recorded.get("revision")), []


def _compare(task: str, texts: Mapping[str, Any], dataset: Dataset, run: Run | None) -> None:
    """Raise `UserError` for ids without a prediction and for predictions without an example."""
    expected = dict.fromkeys(example.id for example in dataset.examples())
    missing = [example_id for example_id in expected if example_id not in texts]
    extra = [example_id for example_id in texts if example_id not in expected]
    problems = []
    if missing:
        reason = f" (the run was of {run.part})" if run and run.part else ""
        reason = reason or (f" ({len(run.failures):,} failed: start the run again)" if run and run.failures else "")
        problems.append(
            f"{len(missing):,} of {len(expected):,} predictions are missing{reason}: {listed(missing, files.LISTED)}"
        )
    if extra:
        problems.append(f"{len(extra):,} predictions have no example: {listed(extra, files.LISTED)}")
    if len(missing) == len(expected):
        problems.append("no id is the same: give the data of the same split")
    if problems:
        raise UserError(f"{task}: {'; '.join(problems)}")


def _writable(texts: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The predictions with U+FFFD for characters that UTF-8 cannot encode, and a warning with the number of these."""
    clean = {example_id: _UNWRITABLE.sub("\ufffd", text) for example_id, text in texts.items()}
    changed_count = sum(clean[example_id] != text for example_id, text in texts.items())
    return clean, [
        f"{changed_count:,} predictions have characters that no text file holds; now U+FFFD"
    ] if changed_count else []


def _empty_warnings(texts: Mapping[str, str]) -> list[str]:
    count = sum(not text.strip() for text in texts.values())
    return [f"{count:,} predictions are empty"] if count else []


def _split_warnings(runs: Mapping[str, Run]) -> list[str]:
    other_splits = [f"{task} ({run.split})" for task, run in runs.items() if run.split != "test"]
    return (
        [f"leaderboards take the split test; these are of another: {', '.join(other_splits)}"] if other_splits else []
    )


def _write(benchmark: str, predictions: Mapping[str, Mapping[str, str]], out: Path) -> None:
    """Write all files, and read the CSV back. Raises `UserError` for a folder with anything else in it."""
    table = f"{benchmark}_predictions.csv"
    contents = {
        f"{task}.json": json.dumps(texts, indent=1, ensure_ascii=False) + "\n" for task, texts in predictions.items()
    }
    contents[table] = _csv(predictions)
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a submission needs a folder: choose another with out=")
    other_files = sorted(path.name for path in out.iterdir() if path.name not in contents) if out.is_dir() else []
    if other_files:
        raise UserError(
            f"{out} holds other files ({listed(other_files, files.LISTED)}): choose another folder with out="
        )
    make_folder(out)
    for name, text in contents.items():
        write_whole(out, name, text)
    assert files.read(out / table, task_scores()[benchmark]) == predictions, (
        "the CSV is not read back as it was written"
    )


def _csv(predictions: Mapping[str, Mapping[str, str]]) -> str:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(files.COLUMNS)
    writer.writerows(
        (task, example_id, text) for task, texts in predictions.items() for example_id, text in texts.items()
    )
    return lines.getvalue()


def _benchmark_of(path: Path, benchmark: str | None) -> str:
    """The benchmark of a file: `benchmark` where it is given, else by the file's name. Raises `UserError`."""
    if benchmark is not None:
        if benchmark not in task_scores():
            raise unknown("benchmark", benchmark, task_scores())
        return benchmark
    candidates = [name for name in task_scores() if path.name == f"{name}_predictions.csv"]
    candidates = candidates or [
        name for name in task_scores() if path.suffix == ".json" and path.stem in task_scores()[name]
    ]
    if len(candidates) != 1:
        commands = " or ".join(
            f"longdoc benchmark submit {name} --check {path}" for name in candidates or task_scores()
        )
        raise UserError(f"{path.name} may be of {' or '.join(candidates or task_scores())}: type {commands}")
    return candidates[0]
