"""Entries of folders that hold no run: tables of evidence and trained models."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.locks import is_locked
from longdoc.plurals import counted
from pipelines.results.index_page.entries import Entry, Kind
from pipelines.results.run_folders.entry import DAMAGE_ERRORS, FileStates, last_written, problem, read_json
from pipelines.results.run_folders.listed_run import ListedRun, State
from pipelines.results.run_folders.resuming import is_ours

EVIDENCE, TRAINING = "evidence.json", "training.json"
CARD = "README.md"
RECALL = "evidence_recall"


def evidence_table(path: Path, written_values: FileStates) -> Entry:
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
            time=last_written(written_values),
        )
        return Entry(
            "evidence table",
            run,
            counted(len(record["rows"]), "row"),
            files=_files(path, [f"-{task}" for task in record["splits"]]),
        )
    except DAMAGE_ERRORS as error:
        return _unreadable("evidence table", path, written_values, error)


def _unreadable(kind: Kind, path: Path, states: FileStates, error: Exception) -> Entry:
    return Entry(kind, ListedRun(path, "unreadable", time=last_written(states)), note=problem(error))


def _best(record: Mapping[str, Any]) -> str:
    """The best recall at each budget, of ways that do not know the gold; of several tasks the mean over them."""
    best: dict[str, float] = {}
    for row in record["means"] or record["rows"]:
        if not row["oracle"] and RECALL in row["scores"]:
            best[row["select"]] = max(best.get(row["select"], 0.0), row["scores"][RECALL])
    shown_names = [f"{value:.1f} at {budget}{' words' if budget.isdigit() else ''}" for budget, value in best.items()]
    return f"best {RECALL} {', '.join(shown_names)}" if shown_names else f"no {RECALL}"


def _files(path: Path, tasks: Sequence[str]) -> list[tuple[str, str]]:
    """The table as text and as CSV, and the plots, whose names end in the task's where there are several."""
    known_pairs = [("table", "evidence.md"), ("CSV", "evidence.csv")]
    end = tasks[0] if len(tasks) == 1 else ""
    plots = [(file.stem.removesuffix(end), file.name) for file in path.glob("*.svg")]
    return [(text, name) for text, name in known_pairs if (path / name).is_file()] + sorted(plots)


def trained_model(path: Path, written_values: FileStates) -> Entry:
    """The reader or retriever in a folder of `longdoc train`."""
    try:
        record = read_json(path / TRAINING)
        spec, metrics = record["spec"], record.get("metrics")
        trained = spec["retriever"] if spec.get("trains") == "retriever" else spec["model"]
        base = f" from {trained['model']}" if isinstance(trained.get("model"), str) else ""
        recipe = f"{trained['name']}{base}, recipe {spec['recipe']['name']}{_validated(metrics or {})}"
        finished, command = metrics is not None, record.get("command")
        state: State = "running" if is_locked(path) else "finished" if finished else "unfinished"
        text = "start the same training again" if state == "unfinished" and not is_ours(command) else ""
        return Entry(
            "trained model",
            ListedRun(path, state, str(spec["task"]), str(spec["split"]), recipe, time=last_written(written_values)),
            share=1.0 if finished else None,
            note=text,
            command=command if state == "unfinished" and is_ours(command) else "",
            files=[("card", CARD)] if (path / CARD).is_file() else [],
        )
    except DAMAGE_ERRORS as error:
        return _unreadable("trained model", path, written_values, error)


def _validated(metrics: Mapping[str, Any]) -> str:
    """What the training was stopped by, as `best accuracy 0.812`."""
    known_names = [
        f"; {name} {value:.4g}"
        for name, value in metrics.items()
        if name.startswith(("best ", "last ")) and name != "best step" and isinstance(value, int | float)
    ]
    return "".join(known_names)
