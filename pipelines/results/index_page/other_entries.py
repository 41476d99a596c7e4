"""Entries of folders that hold no run: tables of evidence and trained models."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.files import is_locked
from longdoc.messages import counted
from pipelines.results.index_page.entries import Entry, Kind
from pipelines.results.run_folders.entry import DAMAGE_ERRORS, FileStates, last_written, problem, read_json
from pipelines.results.run_folders.listed_run import ListedRun, State
from pipelines.results.run_folders.resuming import is_ours

EVIDENCE, TRAINING = "evidence.json", "training.json"
CARD = "README.md"
RECALL = "evidence_recall"


def evidence_table(path: Path, states: FileStates) -> Entry:
    """The table in a folder of `longdoc evidence`."""
    try:
        record = read_json(path / EVIDENCE)
        selections = {(row["chunker"], row["retriever"]) for row in record["rows"]}
        run = ListedRun(
            path,
            "finished",
            " ".join(map(str, record["splits"])),
            ", ".join(dict.fromkeys(map(str, record["splits"].values()))),
            f"{counted(len(selections), 'way')} to select; {_best(record)}",
            time=last_written(states),
        )
        return Entry(
            "evidence table",
            run,
            counted(len(record["rows"]), "row"),
            files=_files(path, [f"-{task}" for task in record["splits"]]),
        )
    except DAMAGE_ERRORS as error:
        return _unreadable("evidence table", path, states, error)


def _unreadable(kind: Kind, path: Path, states: FileStates, error: Exception) -> Entry:
    return Entry(kind, ListedRun(path, "unreadable", time=last_written(states)), note=problem(error))


def _best(record: Mapping[str, Any]) -> str:
    """The best recall at each budget, without oracles, in words; for several tasks their mean."""
    best: dict[str, float] = {}
    for row in record["means"] or record["rows"]:
        if not row["oracle"] and RECALL in row["scores"]:
            best[row["budget"]] = max(best.get(row["budget"], 0.0), row["scores"][RECALL])
    recalls = [f"{value:.1f} at {budget}" for budget, value in best.items()]
    return f"best {RECALL} {', '.join(recalls)}" if recalls else f"no {RECALL}"


def _files(path: Path, tasks: Sequence[str]) -> list[tuple[str, str]]:
    """The links to the table as text and CSV, and to the plots."""
    tables = [("table", "evidence.md"), ("CSV", "evidence.csv")]
    suffix = tasks[0] if len(tasks) == 1 else ""
    plots = [(file.stem.removesuffix(suffix), file.name) for file in path.glob("*.svg")]
    return [(text, name) for text, name in tables if (path / name).is_file()] + sorted(plots)


def trained_model(path: Path, states: FileStates) -> Entry:
    """The reader or retriever in a folder of `longdoc train`."""
    try:
        record = read_json(path / TRAINING)
        spec, metrics = record["spec"], record.get("metrics")
        component = spec["retriever"] if spec.get("trains") == "retriever" else spec["model"]
        base = f" from {component['model']}" if isinstance(component.get("model"), str) else ""
        recipe = f"{component['name']}{base}, recipe {spec['recipe']['name']}{_validated(metrics or {})}"
        finished, command = metrics is not None, record.get("command")
        state: State = "running" if is_locked(path) else "finished" if finished else "unfinished"
        hint = "start the same training again" if state == "unfinished" and not is_ours(command) else ""
        return Entry(
            "trained model",
            ListedRun(path, state, str(spec["task"]), str(spec["split"]), recipe, time=last_written(states)),
            share=1.0 if finished else None,
            note=hint,
            command=command if state == "unfinished" and is_ours(command) else "",
            files=[("card", CARD)] if (path / CARD).is_file() else [],
        )
    except DAMAGE_ERRORS as error:
        return _unreadable("trained model", path, states, error)


def _validated(metrics: Mapping[str, Any]) -> str:
    """The validation scores, as in `; best accuracy 0.812`."""
    scores = [
        f"; {name} {value:.4g}"
        for name, value in metrics.items()
        if name.startswith(("best ", "last ")) and name != "best step" and isinstance(value, int | float)
    ]
    return "".join(scores)
