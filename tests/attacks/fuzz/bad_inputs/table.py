"""The table of bad inputs: all cases, one after the other, and what each ended with."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from tests.attacks.fuzz.bad_inputs import cases, trials, world

MODULES_TO_IMPORT = (
    "pipelines.cli.main",
    "pipelines.api",
    "sklearn.feature_extraction.text",
    "scipy.stats",
    "transformers",
    "openai",
    "lm_eval.__main__",
    "inspect_ai",
)
MESSAGE_CHARACTERS = 160  # characters of a message in the table


def section() -> tuple[str, list[str]]:
    """The section, and what is wrong."""
    all_trials = list(run(cases.all_cases()))
    wrong = [
        f"{trials.command_line(trial.case)}: {', '.join(trial.problems)}: {trial.message}"
        for trial in all_trials
        if trial.problems
    ]
    return _text(all_trials), wrong


def run(chosen: Iterable[trials.Case]) -> Iterable[trials.Trial]:
    """Each case in a process forked from this one, which has imported what commands import."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        place = Path(folder)
        os.environ["LONGDOC_CACHE"] = str(place / ".cache")
        world.make(place)
        world.make_runs(place)
        for name in MODULES_TO_IMPORT:
            with suppress(ImportError):  # then the command that needs it is refused
                import_module(name)
        for number, case in enumerate(chosen):
            trial = trials.attempt(case, place, number)
            trial = replace(trial, out=trial.out.replace(f"{place}/", ""), error=trial.error.replace(f"{place}/", ""))
            if trial.problems:
                print(f"{trials.command_line(case)}: {trial.problems}: {trial.message}", file=sys.stderr, flush=True)
            yield trial


def _text(all_trials: list[trials.Trial]) -> str:
    codes = Counter(trial.code for trial in all_trials)
    wrong = [trial for trial in all_trials if trial.problems]
    slowest, largest = max(trial.seconds for trial in all_trials), max(trial.megabytes for trial in all_trials)
    counts = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items(), key=str))
    head = (
        f"{len(all_trials)} bad inputs, each in a process forked from one that has imported the command line, torch and "
        f"scikit-learn: {counts} as exit code. The law: exit code 2 and one line on stderr that ends with what to do (0 where "
        "the input is read as what it is), no traceback, no control character on the terminal, at most "
        f"{trials.SECONDS:.0f} s and {trials.MEGABYTES:.0f} MB above the process forked from. Broken: {len(wrong)}. The slowest "
        f"took {slowest:.1f} s, the largest {largest:.0f} MB. Files are those of tests/attacks/fuzz/bad_inputs/world.py; s and MB are "
        "of a machine with other work."
    )
    parts = [head]
    for group in dict.fromkeys(trial.case.group for trial in all_trials):
        rows = [trial for trial in all_trials if trial.case.group == group]
        lines = [f"{group} ({len(rows)})", "", "    code    s   MB  command", "                    message", ""]
        for trial in rows:
            mark = " !" if trial.problems else ""
            lines.append(
                f"    {trial.code:>4} {trial.seconds:>4.1f} {trial.megabytes:>4.0f}  {_shortened_command(trial)}{mark}"
            )
            lines.append(f"                    {_message(trial)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _shortened_command(trial: trials.Trial) -> str:
    """The command without what the others of its group have too."""
    return (
        trials.command_line(trial.case)
        .replace(" --model extractive --no-report --out @out", " …")
        .replace("longdoc ", "", 1)
    )


def _message(trial: trials.Trial) -> str:
    """Its message, shortened in the middle."""
    text = " ".join(trials.CONTROL.sub("?", trial.message).split())
    return text if len(text) <= MESSAGE_CHARACTERS else f"{text[: MESSAGE_CHARACTERS - 60]} … {text[-57:]}"
