"""Submissions to SCROLLS and ZeroSCROLLS out of finished runs, and their check.

A submission is a JSON object `{id: prediction}` a task, and one CSV file with the columns Task, ID, Prediction for all.
Every field of the CSV is quoted, so that an empty prediction, `NA`, quotes and line breaks come back as they are (with
pandas: `read_csv(file, keep_default_na=False)`). Each id of a task's split is there once, and no other.
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.files import write_whole
from longdoc.folders import made
from pipelines import sources, tasks
from pipelines.results.leaderboards import prediction_files as files
from pipelines.results.leaderboards.average import FIGURES, runs_by_task
from pipelines.results.run_folders.finished import FinishedRun
from pipelines.sources import Dataset

_NO_FILE_HOLDS = re.compile("[\0\ud800-\udfff]")  # zero bytes and halves of surrogate pairs


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission that was written, or checked: `counts` predictions by task, `missing` tasks of the benchmark.

    `folder` holds the `files`; `ids_checked` are the tasks whose ids were compared with the data.
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
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__}
        lists = {name: list(kept[name]) for name in ("files", "ids_checked", "missing", "warnings")}
        return kept | lists | {"folder": str(self.folder), "counts": dict(self.counts)}

    def __str__(self) -> str:
        """A line a task, then what is missing and odd."""
        known = {True: "ids as in the data", False: "ids not compared: give data= (--data)"}
        lines = [f"{self.benchmark}: {', '.join(self.files)} in {self.folder}"]
        lines += [
            f"  {task:<16} {count:>7,} predictions, {known[task in self.ids_checked]}"
            for task, count in self.counts.items()
        ]
        if self.missing:
            lines.append(f"  partial, without {', '.join(self.missing)}: the benchmark gives it no score")
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])


def submit(
    benchmark: str, runs: Sequence[str | Path], *, out: str | Path, data: Any = None, partial: bool = False
) -> Submission:
    """Write the submission of `scrolls` or `zero_scrolls` from the folders of one finished run a task.

    - `out`: a folder, new or with nothing in it but such files, which are written anew.
    - `data`: where the examples are that the ids are compared with: nothing for runs on the published files, which are
      opened again as `run.json` says; a path (a folder of the benchmark's zips), or a mapping from task to what `run`
      takes.
    - `partial`: allow tasks to be missing.

    Raises `UserError` for missing tasks, for missing or extra predictions with names and counts, and for data that
    cannot be opened again.
    """
    chosen = runs_by_task(benchmark, runs)
    missing = _missing(benchmark, chosen, partial)
    predictions, warnings = {}, []
    for task, run in chosen.items():
        said = {one.id: one.prediction for one in run.predictions}
        opened, odd = _data_of(run, _of_task(data, benchmark, task))
        _compare(task, said, opened, run)
        predictions[task], replaced = _writable(said)
        warnings += [f"{task}: {text}" for text in (*odd, *replaced, *_empty(said))]
    warnings += _splits(chosen)
    _write(benchmark, predictions, Path(out))
    counts = {task: len(said) for task, said in predictions.items()}
    names = [f"{benchmark}_predictions.csv", *(f"{task}.json" for task in predictions)]
    return Submission(benchmark, Path(out), names, counts, list(counts), missing, warnings)


def check_submission(
    file: str | Path,
    *,
    benchmark: str | None = None,
    data: Any = None,
    split: str | None = None,
    partial: bool = False,
) -> Submission:
    """Check a submission's CSV, or a task's JSON, by itself; with `data` (as for `submit`) also its ids.

    `benchmark` may be left out where the name of the file tells it; `split` is the data's, "test" by default. Raises
    `UserError` for columns, tasks, ids or predictions that do not do, with names and counts.
    """
    path = Path(file)
    if path.is_dir():
        names = [path / f"{one}_predictions.csv" for one in FIGURES if benchmark in (None, one)]
        path = next((name for name in names if name.is_file()), path)
    if split is not None and data is None:
        raise UserError(f"split={split!r} is of data to compare the ids with: pass data= too, or leave split out")
    chosen = _benchmark_of(path, benchmark)
    predictions = files.read(path, FIGURES[chosen])
    single = path.suffix == ".json"
    missing = [] if single else _missing(chosen, predictions, partial)
    checked = []
    for task, said in predictions.items():
        given = _of_task(data, chosen, task)
        if given is not None:
            whole = tasks.get(f"{chosen}/{task}")
            _compare(task, said, sources.load(whole.name, whole.dataset, given, split or "test"), None)
            checked.append(task)
    warnings = [f"{task}: {text}" for task, said in predictions.items() for text in _empty(said)]
    counts = {task: len(said) for task, said in predictions.items()}
    return Submission(chosen, path.parent, [path.name], counts, checked, missing, warnings)


def _missing(benchmark: str, given: Mapping[str, Any], partial: bool) -> list[str]:
    missing = [task for task in FIGURES[benchmark] if task not in given]
    if missing and not partial:
        raise UserError(
            f"{len(missing)} of the {len(FIGURES[benchmark])} tasks of {benchmark} are missing: {', '.join(missing)}; "
            "add their runs, or allow a part of a submission with partial=True (--partial)"
        )
    return missing


def _of_task(data: Any, benchmark: str, task: str) -> Any:
    """The data of one task. A mapping names tasks with or without the benchmark."""
    if not isinstance(data, Mapping):
        return data
    known = {f"{benchmark}/{name}" for name in FIGURES[benchmark]}
    for name in data:
        if f"{benchmark}/{name.removeprefix(f'{benchmark}/')}" not in known:
            raise unknown(f"task of {benchmark}", name, FIGURES[benchmark])
    return data.get(task, data.get(f"{benchmark}/{task}"))


def _data_of(run: FinishedRun, data: Any) -> tuple[Dataset, list[str]]:
    """The examples that a run was asked, opened again, and what is odd. Raises `UserError` where they cannot be."""
    task, kept = run.declared_task, run.spec.get("data", {})
    if data is not None:
        opened = sources.load(task.name, task.dataset, data, run.split)
        same = dict(opened.fingerprint) == kept
        return opened, [] if same else [f"data= is not what {run.folder} was run on"]
    if "repository" not in kept:
        raise UserError(
            f"{run.folder} was run on data of your own, and its ids have to be compared with them: pass data=PATH "
            f"(--data PATH, or --data {task.name.partition('/')[2]}=PATH)"
        )
    return sources.load(task.name, task.dataset, None, run.split, kept.get("revision")), []


def _compare(task: str, said: Mapping[str, Any], opened: Dataset, run: FinishedRun | None) -> None:
    """Raise `UserError` for ids without a prediction and for predictions without an example."""
    expected = dict.fromkeys(example.id for example in opened.examples())
    lacking = [name for name in expected if name not in said]
    extra = [name for name in said if name not in expected]
    problems = []
    if lacking:
        why = f" (the run was of {run.part})" if run and run.part else ""
        why = why or (f" ({len(run.failures):,} failed: start the run again)" if run and run.failures else "")
        problems.append(f"{len(lacking):,} of {len(expected):,} predictions are missing{why}: {files.few(lacking)}")
    if extra:
        problems.append(f"{len(extra):,} predictions are for no example: {files.few(extra)}")
    if len(lacking) == len(expected):
        problems.append("no id is the same: is another split meant, or other data?")
    if problems:
        raise UserError(f"{task}: {'; '.join(problems)}")


def _writable(said: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The predictions with U+FFFD for what no UTF-8 file of text holds, and how many had such."""
    clean = {name: _NO_FILE_HOLDS.sub("\ufffd", text) for name, text in said.items()}
    changed = sum(clean[name] != text for name, text in said.items())
    return clean, [f"{changed:,} predictions have characters that no text file holds; now U+FFFD"] if changed else []


def _empty(said: Mapping[str, str]) -> list[str]:
    count = sum(not text.strip() for text in said.values())
    return [f"{count:,} predictions are empty"] if count else []


def _splits(runs: Mapping[str, FinishedRun]) -> list[str]:
    other = [f"{task} ({run.split})" for task, run in runs.items() if run.split != "test"]
    return [f"leaderboards take the split test; these are of another: {', '.join(other)}"] if other else []


def _write(benchmark: str, predictions: Mapping[str, Mapping[str, str]], out: Path) -> None:
    """Write all files, and read the CSV back. Raises `UserError` for a folder with anything else in it."""
    table = f"{benchmark}_predictions.csv"
    texts = {
        f"{task}.json": json.dumps(said, indent=1, ensure_ascii=False) + "\n" for task, said in predictions.items()
    }
    texts[table] = _csv(predictions)
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; a submission needs a folder: choose another with out=")
    others = sorted(path.name for path in out.iterdir() if path.name not in texts) if out.is_dir() else []
    if others:
        raise UserError(f"{out} holds other files ({files.few(others)}): choose another folder with out=")
    made(out)
    for name, text in texts.items():
        write_whole(out, name, text)
    assert files.read(out / table, FIGURES[benchmark]) == predictions, "the CSV does not come back as it was written"


def _csv(predictions: Mapping[str, Mapping[str, str]]) -> str:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(files.COLUMNS)
    writer.writerows((task, name, text) for task, said in predictions.items() for name, text in said.items())
    return lines.getvalue()


def _benchmark_of(path: Path, given: str | None) -> str:
    """The benchmark that a file is of: as given, else by its name."""
    if given is not None:
        if given not in FIGURES:
            raise unknown("benchmark", given, FIGURES)
        return given
    named = [name for name in FIGURES if path.name == f"{name}_predictions.csv"]
    named = named or [name for name in FIGURES if path.suffix == ".json" and path.stem in FIGURES[name]]
    if len(named) != 1:
        types = " or ".join(f"longdoc submit {name} --check {path}" for name in named or FIGURES)
        raise UserError(f"{path.name} may be of {' or '.join(named or FIGURES)}: type {types}")
    return named[0]
