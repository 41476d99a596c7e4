"""The code blocks of a Markdown document, and the command lines in them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.cli.commands import path_of
from pipelines.cli.main import command_line

ROOT = Path(__file__).resolve().parent.parent
_FENCE = re.compile(r"^( *)```(\w+)(?: title=\"([^\"]*)\")?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s{2,}#.*$|^#.*$")


@dataclass(frozen=True)
class Fence:
    """A block of code: its language, title and text, and the number of its first line."""

    language: str
    title: str
    text: str
    line: int

    @property
    def commands(self) -> list[str]:
        """The lines of a shell block without comments, continued lines joined."""
        joined = self.text.replace("\\\n", " ").splitlines()
        return [line for line in (_COMMENT.sub("", text).strip() for text in joined) if line]


def fences(text: str) -> list[Fence]:
    """The fences of a document in order, without their indentation."""
    result = []
    for match in _FENCE.finditer(text):
        indent, language, title, body = match.groups()
        lines = [line.removeprefix(indent) for line in body.splitlines()]
        number = text.count("\n", 0, match.start()) + 2
        result.append(Fence(language, title or "", "\n".join(lines) + "\n", number))
    return result


def indented_commands(text: str) -> list[str]:
    """The `longdoc` lines of a document that are indented as code, without comments."""
    return sorted(set(re.findall(r"^    (longdoc .*?)(?:\s{2,}#.*)?$", text, flags=re.MULTILINE)))


def longdoc_in(line: str) -> str | None:
    """The `longdoc` command of a shell line, without variables before it and without a final `&`."""
    match = re.search(r"(?:^|\s)longdoc (.*?)(?:\s&)?$", line)
    return f"longdoc {match[1]}" if match else None


def commands() -> dict[str, Any]:
    """The commands of the command line, by name; those of a group have two words, such as `runs merge`."""
    by_name: dict[str, Any] = {}
    for name, command in command_line().commands.items():
        if hasattr(command, "commands"):
            by_name |= {f"{name} {below}": inner for below, inner in command.commands.items()}
        else:
            by_name[name] = command
    return by_name


def parse(line: str) -> None:
    """Parse a `longdoc` line with the real command line; raise an error if it is invalid."""
    program, *words = shlex.split(line)
    assert program == "longdoc", line
    name = path_of(words)
    commands()[name].make_context(name, words[len(name.split()) :])
