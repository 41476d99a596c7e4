"""Whether RESULTS.md still holds: quick sections are printed again, and the data of the others compared by digest.

It ends with 1 where a figure differs. Sections whose data have changed are listed: what they print may differ.

Run: python -m benchmarks.check (`make results`)
"""

import difflib
import io
import re
import runpy
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks import results

QUICK = ("published", "counting", "wordings")


class Section(NamedTuple):
    """A section of RESULTS.md: its title, command, head and text."""

    title: str
    command: str
    head: str
    text: str

    @property
    def module(self) -> str:
        """The name of the script."""
        return self.command.split()[2].removeprefix("benchmarks.")

    @property
    def data(self) -> tuple[str, list[str]]:
        """The digest and the names of its data, as its head has them; both empty where it has none."""
        match = re.search(r"Data (\w+): (.*)\.$", self.head)
        return (match[1], match[2].split(", ")) if match else ("", [])


def sections(page: str) -> list[Section]:
    """The sections of RESULTS.md."""
    blocks = re.findall(r"^## (.*)\n\n    (.*)\n\n(.*)\n\n((?:(?!^## ).*\n)*)", page, re.MULTILINE)
    return [Section(title, command, head, text.strip()) for title, command, head, text in blocks]


def printed_now(section: Section) -> Section:
    """The section as its script writes it now."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "RESULTS.md"
        arguments = shlex.split(section.command)[2:]
        silent = io.StringIO()
        with (
            patch.object(results, "FILE", file), patch.object(sys, "argv", arguments),
            redirect_stdout(silent), redirect_stderr(silent),
        ):  # fmt: skip
            runpy.run_module(arguments[0], run_name="__main__")
        return next(one for one in sections(file.read_text(encoding="utf-8")) if one.title == section.title)


def differences(section: Section) -> Iterator[str]:
    """The lines in which the section differs from what its script prints now."""
    lines = difflib.unified_diff(section.text.splitlines(), printed_now(section).text.splitlines(), n=0, lineterm="")
    yield from (line for line in lines if not line.startswith(("---", "+++", "@@")))


def main() -> None:
    """Check all sections."""
    all_sections = sections(results.FILE.read_text(encoding="utf-8"))
    reprinted = differing = 0
    for section in all_sections:
        digest, names = section.data
        current_digest = results.digest(names) if names else ""
        if current_digest == "missing":
            print(f"{section.title}: not checked, its data are not here ({', '.join(names)}).")
            continue
        lines = list(differences(section)) if section.title in QUICK else []
        reprinted += section.title in QUICK
        differing += bool(lines)
        if lines:
            print(f"{section.title} differs. If the new figures are right, run `{section.command}`.", *lines, sep="\n")
        elif current_digest != digest:
            print(f"{section.title}: its data have changed since ({', '.join(names)}). Run `{section.command}`.")
    undated = sum(section.head.startswith(results.UNDATED) for section in all_sections)
    print(f"{len(all_sections)} sections, {reprinted} printed again, {differing} differ; {undated} have no date.")
    sys.exit(min(differing, 1))


if __name__ == "__main__":
    main()
