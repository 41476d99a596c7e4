"""Writing submissions to SCROLLS and ZeroSCROLLS from finished runs, and checking them.

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
from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from longdoc.folders import make_folder
from longdoc.links import check_inside
from longdoc.plain_values import plain_fields
from pipelines import sources, tasks
from pipelines.results.leaderboards import prediction_files as files
from pipelines.results.leaderboards.average import TASK_SCORES, runs_by_task
from pipelines.results.run_folders.run import Run
from pipelines.sources import Dataset, DataSpec

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")  # zero bytes and halves of surrogate pairs


@dataclass(frozen=True, slots=True)
class Submission:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """One line per task, then missing tasks and warnings."""
        known_values = {True: "ids as in the data", False: "ids not compared: give data= (--data)"}
        lines = [f"{self.benchmark}: {', '.join(self.files)} in {self.folder}"]
        lines += [
            f"  {task:<16} {count:>7,} predictions, {known_values[task in self.ids_checked]}"
            for task, count in self.counts.items()
        ]
        if self.missing:
            lines.append(f"  partial, without {', '.join(self.missing)}: the benchmark gives it no score")
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])


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
    chosen_runs = runs_by_task(benchmark, runs)
    missing = _missing(benchmark, chosen_runs, partial)
    predictions, warnings = {}, []
    for task, run in chosen_runs.items():
        texts = {prediction.id: prediction.prediction for prediction in run.predictions}
        dataset, differing_names = _dataset_of(run, _data_of_task(data, benchmark, task))
        _compare(task, texts, dataset, run)
        predictions[task], replaced = _writable(texts)
        warnings += [f"{task}: {text}" for text in (*differing_names, *replaced, *_empty(texts))]
    warnings += _splits(chosen_runs)
    _write(benchmark, predictions, Path(out))
    counts = {task: len(texts) for task, texts in predictions.items()}
    names = [f"{benchmark}_predictions.csv", *(f"{task}.json" for task in predictions)]
    return Submission(benchmark, Path(out), names, counts, list(counts), missing, warnings)


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
        names = [path / f"{name}_predictions.csv" for name in TASK_SCORES if benchmark in (None, name)]
        path = next((check_inside(name, path) for name in names if name.is_file()), path)
    if split is not None and data is None:
        raise UserError(f"split={split!r} is of data to compare the ids with: pass data= too, or leave split out")
    chosen_text = _benchmark_of(path, benchmark)
    predictions = files.read(path, TASK_SCORES[chosen_text])
    single = path.suffix == ".json"
    missing = [] if single else _missing(chosen_text, predictions, partial)
    checked = []
    for task, texts in predictions.items():
        task_data = _data_of_task(data, chosen_text, task)
        if task_data is not None:
            declared = tasks.get(f"{chosen_text}/{task}")
            _compare(task, texts, sources.load(declared.name, declared.dataset, task_data, split or "test"), None)
            checked.append(task)
    warnings = [f"{task}: {text}" for task, texts in predictions.items() for text in _empty(texts)]
    counts = {task: len(texts) for task, texts in predictions.items()}
    return Submission(chosen_text, path.parent, [path.name], counts, checked, missing, warnings)


def _missing(benchmark: str, present: Mapping[str, Any], partial: bool) -> list[str]:
    known_tasks = TASK_SCORES[benchmark]
    missing = [task for task in known_tasks if task not in present]
    if missing and not partial:
        raise UserError(
            f"{len(missing)} of the {len(known_tasks)} tasks of {benchmark} are missing: {', '.join(missing)}; "
            "add their runs, or allow a part of a submission with partial=True (--partial)"
        )
    return missing


def _data_of_task(data: Any, benchmark: str, task: str) -> Any:
    """The data of one task. A mapping names tasks with or without their benchmark."""
    if not isinstance(data, Mapping):
        return data
    known_names = {f"{benchmark}/{name}" for name in TASK_SCORES[benchmark]}
    for name in data:
        if f"{benchmark}/{name.removeprefix(f'{benchmark}/')}" not in known_names:
            raise unknown(f"task of {benchmark}", name, TASK_SCORES[benchmark])
    return data.get(task, data.get(f"{benchmark}/{task}"))


def _dataset_of(run: Run, data: Any) -> tuple[Dataset, list[str]]:
    """A run's data, loaded again, and a warning where they differ. Raises `UserError` where they cannot be loaded."""
    task, recorded = run.declared_task, run.spec.get("data", {})
    if data is not None:
        dataset = sources.load(task.name, task.dataset, data, run.split)
        same_value = dict(dataset.fingerprint) == recorded
        return dataset, [] if same_value else [f"data= is not what {run.folder} was run on"]
    if "repository" not in recorded:
        raise UserError(
            f"{run.folder} was run on data of your own, and its ids have to be compared with them: pass data=PATH "
            f"(--data PATH, or --data {task.name.partition('/')[2]}=PATH)"
        )
    return sources.load(task.name, task.dataset, None, run.split, recorded.get("revision")), []


def _compare(task: str, texts: Mapping[str, Any], dataset: Dataset, run: Run | None) -> None:
    """Raise `UserError` for ids without a prediction and for predictions without an example."""
    expected = dict.fromkeys(example.id for example in dataset.examples())
    missing = [name for name in expected if name not in texts]
    extra = [name for name in texts if name not in expected]
    problems = []
    if missing:
        reason = f" (the run was of {run.part})" if run and run.part else ""
        reason = reason or (f" ({len(run.failures):,} failed: start the run again)" if run and run.failures else "")
        problems.append(
            f"{len(missing):,} of {len(expected):,} predictions are missing{reason}: {files.first_names(missing)}"
        )
    if extra:
        problems.append(f"{len(extra):,} predictions are for no example: {files.first_names(extra)}")
    if len(missing) == len(expected):
        problems.append("no id is the same: is another split meant, or other data?")
    if problems:
        raise UserError(f"{task}: {'; '.join(problems)}")


def _writable(texts: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The predictions with U+FFFD for what no UTF-8 text file can hold, and a warning that counts them."""
    clean = {name: _UNWRITABLE.sub("\ufffd", text) for name, text in texts.items()}
    changed = sum(clean[name] != text for name, text in texts.items())
    return clean, [f"{changed:,} predictions have characters that no text file holds; now U+FFFD"] if changed else []


def _empty(texts: Mapping[str, str]) -> list[str]:
    count = sum(not text.strip() for text in texts.values())
    return [f"{count:,} predictions are empty"] if count else []


def _splits(runs: Mapping[str, Run]) -> list[str]:
    other = [f"{task} ({run.split})" for task, run in runs.items() if run.split != "test"]
    return [f"leaderboards take the split test; these are of another: {', '.join(other)}"] if other else []


def _write(benchmark: str, predictions: Mapping[str, Mapping[str, str]], out: Path) -> None:
    """Write all files, and read the CSV back. Raises `UserError` for a folder with anything else in it."""
    table = f"{benchmark}_predictions.csv"
    contents = {
        f"{task}.json": json.dumps(texts, indent=1, ensure_ascii=False) + "\n" for task, texts in predictions.items()
    }
    contents[table] = _csv(predictions)
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a submission needs a folder: choose another with out=")
    other_names = sorted(path.name for path in out.iterdir() if path.name not in contents) if out.is_dir() else []
    if other_names:
        raise UserError(f"{out} holds other files ({files.first_names(other_names)}): choose another folder with out=")
    make_folder(out)
    for name, text in contents.items():
        write_whole(out, name, text)
    assert files.read(out / table, TASK_SCORES[benchmark]) == predictions, "the CSV is not read back as it was written"


def _csv(predictions: Mapping[str, Mapping[str, str]]) -> str:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(files.COLUMNS)
    writer.writerows((task, name, text) for task, texts in predictions.items() for name, text in texts.items())
    return lines.getvalue()


def _benchmark_of(path: Path, benchmark: str | None) -> str:
    """The benchmark of a file: as the user says, else by the file's name."""
    if benchmark is not None:
        if benchmark not in TASK_SCORES:
            raise unknown("benchmark", benchmark, TASK_SCORES)
        return benchmark
    named_names = [name for name in TASK_SCORES if path.name == f"{name}_predictions.csv"]
    named_names = named_names or [
        name for name in TASK_SCORES if path.suffix == ".json" and path.stem in TASK_SCORES[name]
    ]
    if len(named_names) != 1:
        commands = " or ".join(f"longdoc benchmark submit {name} --check {path}" for name in named_names or TASK_SCORES)
        raise UserError(f"{path.name} may be of {' or '.join(named_names or TASK_SCORES)}: type {commands}")
    return named_names[0]
