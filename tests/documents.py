"""The code of a document in Markdown: its fences, and the command line as it is typed in them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from pipelines.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
_FENCE = re.compile(r"^( *)```(\w+)(?: title=\"([^\"]*)\")?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s{2,}#.*$|^#.*$")


@dataclass(frozen=True)
class Fence:
    """A block of code: its language, the title above it, its text, the number of its first line."""

    language: str
    title: str
    text: str
    line: int

    @property
    def commands(self) -> list[str]:
        """The lines of a shell block, comments and line continuations taken away."""
        whole = self.text.replace("\\\n", " ").splitlines()
        return [line for line in (_COMMENT.sub("", one).strip() for one in whole) if line]


def fences(text: str) -> list[Fence]:
    """The fences of a document in order, the indentation of each taken away."""
    found = []
    for match in _FENCE.finditer(text):
        indent, language, title, body = match.groups()
        lines = [line.removeprefix(indent) for line in body.splitlines()]
        number = text.count("\n", 0, match.start()) + 2
        found.append(Fence(language, title or "", "\n".join(lines) + "\n", number))
    return found


def indented_commands(text: str) -> list[str]:
    """The `longdoc` lines of a document that are indented as code, without comments."""
    return sorted(set(re.findall(r"^    (longdoc .*?)(?:\s{2,}#.*)?$", text, flags=re.MULTILINE)))


def longdoc_in(line: str) -> str | None:
    """What of a shell's line is `longdoc` with its arguments: not what is set before it, nor the `&` behind it."""
    found = re.search(r"(?:^|\s)longdoc (.*?)(?:\s&)?$", line)
    return f"longdoc {found[1]}" if found else None


def commands() -> dict[str, Any]:
    """The commands that the command line has."""
    return dict(get_command(app).commands)  # type: ignore[attr-defined]


def parse(line: str) -> None:
    """Have the real command line parse a line; what it does not take raises."""
    program, name, *arguments = shlex.split(line)
    assert program == "longdoc", line
    commands()[name].make_context(name, arguments)
