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

PREPARED = (
    "pipelines.cli.main",
    "pipelines.api",
    "sklearn.feature_extraction.text",
    "scipy.stats",
    "transformers",
    "openai",
    "lm_eval.__main__",
    "inspect_ai",
)
SHOWN = 160  # characters of a message in the table


def made() -> tuple[str, list[str]]:
    """The section, and what is wrong."""
    found = list(run(cases.all_cases()))
    wrong = [f"{trials.shown(one.case)}: {', '.join(one.problems)}: {one.message}" for one in found if one.problems]
    return _text(found), wrong


def run(chosen: Iterable[trials.Case]) -> Iterable[trials.Trial]:
    """Each case in a process forked from this one, which has imported what commands import."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        place = Path(folder)
        os.environ["LONGDOC_CACHE"] = str(place / ".cache")
        world.make(place)
        world.make_runs(place)
        for name in PREPARED:
            with suppress(ImportError):  # then the command that needs it is refused
                import_module(name)
        for number, case in enumerate(chosen):
            one = trials.attempt(case, place, number)
            one = replace(one, out=one.out.replace(f"{place}/", ""), error=one.error.replace(f"{place}/", ""))
            if one.problems:
                print(f"{trials.shown(case)}: {one.problems}: {one.message}", file=sys.stderr, flush=True)
            yield one


def _text(found: list[trials.Trial]) -> str:
    codes = Counter(one.code for one in found)
    wrong = [one for one in found if one.problems]
    slowest, largest = max(one.seconds for one in found), max(one.megabytes for one in found)
    counted = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items(), key=str))
    head = (
        f"{len(found)} bad inputs, each in a process forked from one that has imported the command line, torch and "
        f"scikit-learn: {counted} as exit code. The law: exit code 2 and one line on stderr that ends with what to do (0 where "
        "the input is read as what it is), no traceback, no control character on the terminal, at most "
        f"{trials.SECONDS:.0f} s and {trials.MEGABYTES:.0f} MB above the process forked from. Broken: {len(wrong)}. The slowest "
        f"took {slowest:.1f} s, the largest {largest:.0f} MB. Files are those of tests/attacks/fuzz/bad_inputs/world.py; s and MB are "
        "of a machine with other work."
    )
    parts = [head]
    for group in dict.fromkeys(one.case.group for one in found):
        rows = [one for one in found if one.case.group == group]
        lines = [f"{group} ({len(rows)})", "", "    code    s   MB  command", "                    message", ""]
        for one in rows:
            mark = " !" if one.problems else ""
            lines.append(f"    {one.code:>4} {one.seconds:>4.1f} {one.megabytes:>4.0f}  {_shortened(one)}{mark}")
            lines.append(f"                    {_message(one)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _shortened(one: trials.Trial) -> str:
    """The command without what the others of its group have too."""
    return trials.shown(one.case).replace(" --model extractive --no-report --out @out", " …").replace("longdoc ", "", 1)


def _message(one: trials.Trial) -> str:
    """Its message, shortened in the middle."""
    text = " ".join(trials.CONTROL.sub("?", one.message).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 60]} … {text[-57:]}"
