"""Verify a folder: its numbers are computed again from its logs and its data, and compared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.plugins.verify.check import Check, Verified
from pipelines.plugins.verify.final_files import page_checks
from pipelines.plugins.verify.run_verification import verify_run
from pipelines.plugins.versus import table_folder
from pipelines.plugins.versus.given_predictions import read_given_predictions
from pipelines.results.ablations.ablation_file import read_stored
from pipelines.results.run_folders.record import ABLATION
from pipelines.sources import DataSpec


@checks_names
def verify(folder: str | Path, *, data: DataSpec | None = None, model: str | None = None) -> Verified:
    """Make a run's prompts, predictions and scores again from its data and logs, and compare them with its files.

    Nothing is asked and nothing is written: replies are those of the log, whose keys are digests of the prompts. What
    reads documents needs the data; where they are gone, predictions and scores are compared with the journal alone, and
    the result says what could not be checked. It also says which versions differ from today's.

    - `folder`: that of a run, finished or not, of a shard or a merged run, of an ablation or a table of ways.
    - `data`: where the data are now, by default where the run had them.
    - `model`: the reader as it was given to the run, for one behind an API, which counts only where you type it.

    Raises `UserError` for a folder that holds none of these.
    """
    path = Path(folder)
    changes = {name: value for name, value in (("data", data), ("model", model)) if value is not None}
    if not (path / ABLATION).is_file():
        return verify_run(path, changes)
    folders: list[Path] = []
    is_versus = table_folder.is_here(path)
    checks = [_cells(path, is_versus, folders), *page_checks(path)]
    runs = [_run(folder, changes) for folder in dict.fromkeys(folder.resolve() for folder in folders)]
    holds = "a table of ways" if is_versus else "an ablation"
    return Verified(path, f"{holds} with {counted(len(runs), 'run')}", checks, runs=tuple(runs))


def _cells(path: Path, is_versus: bool, folders: list[Path]) -> Check:
    """Check that the record and kept predictions can be read; adds the folders of the runs to `folders`."""
    try:
        cells = (table_folder.stored_conditions(path) if is_versus else read_stored(path)).cells
        for cell in cells:
            if cell.get("predictions") is not None:
                read_given_predictions(path / cell["predictions"])
    except UserError as error:
        return Check(ABLATION, "differs", "damaged", (str(error),))
    folders += [path / cell["folder"] for cell in cells if cell["folder"] is not None and cell["error"] is None]
    return Check(ABLATION, "agrees", counted(len(cells), "way" if is_versus else "cell"))


def _run(path: Path, changes: Mapping[str, Any]) -> Verified:
    """Verify one of several runs; a missing folder is a difference."""
    try:
        return verify_run(path, changes)
    except UserError as error:
        return Verified(path, "no run", [Check("run.json", "differs", "it cannot be read", (str(error),))])
