"""Writes the pages of the documentation, with their generated parts, as plain Markdown: `make docs` calls it first.

    python docs/_generator/write_pages.py build/pages

A line `{{ KIND ARGUMENTS }}` becomes what the code says now, so a table of recipes, counts, parameters or options is
always right. An unknown kind is an error. Pictures and other files are copied. Any site generator can build the folder.
"""

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import architecture_picture
import benchmarks_pages
import chat_pages
import commands_pages
import components_pages
import functions_pages

DOCS = Path(__file__).resolve().parents[1]
PARTS: dict[str, Callable[..., str]] = {
    "architecture": architecture_picture.picture,
    "benchmark": benchmarks_pages.tables,
    "published": benchmarks_pages.published_scores,
    "scores": benchmarks_pages.published_scores_without_notes,
    "tasks": benchmarks_pages.all_tasks,
    "requests": chat_pages.requests,
    "answers": chat_pages.answers,
    "overview": components_pages.overview,
    "components": components_pages.pages,
    "functions": functions_pages.pages,
    "records": functions_pages.records,
    "commands": commands_pages.pages,
}
_LINE = re.compile(r"^\{\{ (\w+)((?: [\w/-]+)*) \}\}$", re.MULTILINE)


def filled(markdown: str) -> str:
    """The Markdown with each `{{ … }}` line replaced by its part. Raises `KeyError` for an unknown kind."""
    return _LINE.sub(lambda match: PARTS[match[1]](*match[2].split()), markdown)


def write(folder: Path) -> None:
    """Write all pages, pictures and assets into the folder, in place of what it held."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("_*", "__pycache__"))
    for page in folder.rglob("*.md"):
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
