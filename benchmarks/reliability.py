"""The summary of what an attack printed, in its section of RELIABILITY.md."""

import os
import platform
import re
from itertools import pairwise
from pathlib import Path

RELIABILITY = Path(__file__).parent / "RELIABILITY.md"
HEAD = (
    "# Reliability\n\nWhat faults, random inputs and wrong code do to longdoc, and how much of it is noticed. Every "
    "section sums up what the command above it prints; nothing here is written by hand.\n"
)
TABLE_LINES, LIST_LINES = 20, 3  # the longest that stand in a summary


def publish(title: str, command: str, text: str, file: Path = RELIABILITY) -> None:
    """Print `text`, and write its summary to the section `title` of RELIABILITY.md."""
    print(text)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    write(title, command, f"{machine}.\n\n{text.strip()}", file)


def write(title: str, command: str, text: str, file: Path = RELIABILITY) -> None:
    """Write the summary; sections of other titles stay as they are."""
    section = f"\n## {title}\n\n    {command}\n\n{summary(text)}\n"
    old = file.read_text(encoding="utf-8") if file.exists() else HEAD
    others = re.sub(rf"\n## {re.escape(title)}\n.*?(?=\n## |\Z)", "", old, flags=re.DOTALL)
    file.write_text(others.rstrip() + "\n" + section, encoding="utf-8")


def summary(text: str) -> str:
    """The paragraphs, short tables and lists of a text; of a long table its last row, where that is the sum."""
    blocks = re.split(r"\n{2,}", text.strip("\n"))
    captions = {first for first, second in pairwise(blocks) if second.startswith("    ")}
    shortened = (_shortened(block) for block in blocks if not block.startswith("    ") and block not in captions)
    return "\n\n".join(filter(None, shortened))


def _shortened(block: str) -> str:
    lines = block.splitlines()
    if block.startswith("|"):
        if len(lines) <= TABLE_LINES:
            return block
        return "\n".join([*lines[:2], lines[-1]]) if re.match(r"\| \**(all|together|in all)\b", lines[-1]) else ""
    if block.startswith("- "):
        return block if len(lines) <= LIST_LINES else ""
    return block
