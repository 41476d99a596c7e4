"""How to resume an unfinished run or ablation: by the command in its record, if there is one.

Users paste what is printed, and records may come from other people: only commands of longdoc are repeated.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from pipelines.results.run_folders.record import cells_run_here


def run(path: Path, record: Mapping[str, Any]) -> str:
    """The command that last started a run, with its folder; `longdoc rerun` if that command started several runs."""
    command = next((start.get("command") for start in reversed(record.get("starts", ()))), None)
    if not is_ours(command):
        return f"start the same run again with out={str(path)!r}"
    task = record.get("arguments", {}).get("task")
    if task is not None and task not in shlex.split(command):  # of several tasks, or named in a file of --config
        return shlex.join(["longdoc", "rerun", str(path)])
    return command_with_out(command, path)


def ablation(path: Path, record: Mapping[str, Any]) -> str:
    """The command that last started an ablation, with its folder, or with a `cd` if its runs lie elsewhere."""
    command = record.get("command")
    folders = [cell["folder"] for cell in cells_run_here(record["cells"]) if cell["folder"]]
    has_own_runs = not any(folder.startswith("..") for folder in folders)
    if not is_ours(command):
        return (
            f"start the same ablation again with out={str(path)!r}" if has_own_runs else "start the same ablation again"
        )
    if has_own_runs:
        return command_with_out(command, path)
    home = path.resolve().parent  # without --out it is in `runs`, in the folder where it was started
    return command if home == Path("runs").resolve() else f"cd {shlex.quote(str(home.parent))} && {command}"


def is_ours(command: Any) -> TypeGuard[str]:
    """Whether a shell would start longdoc, and nothing else, by this command."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return words[:1] == ["longdoc"] and shlex.join(words) == command


def command_with_out(command: str, path: Path) -> str:
    """The command with `--out` set to the folder's present path."""
    words = shlex.split(command)
    for position, word in enumerate(words):
        if word == "--out":
            words[position + 1 :] = [str(path), *words[position + 2 :]]
            break
        if word.startswith("--out="):
            words[position] = f"--out={path}"
            break
    else:
        words += ["--out", str(path)]
    return shlex.join(words)
