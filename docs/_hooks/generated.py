"""What the pages have from the code: a line `{{ KIND ARGUMENTS }}` becomes Markdown made at build time.

So a table of recipes, counts, parameters or options cannot say anything else than the code does. A line that names
nothing known breaks the build.
"""

import re
from collections.abc import Callable
from typing import Any

import benchmarks_pages
import commands_pages
import components_pages
import verbs_pages

PARTS: dict[str, Callable[..., str]] = {
    "benchmark": benchmarks_pages.tables,
    "published": benchmarks_pages.figures,
    "figures": benchmarks_pages.figures_alone,
    "tasks": benchmarks_pages.every_task,
    "overview": components_pages.overview,
    "components": components_pages.pages,
    "verbs": verbs_pages.pages,
    "records": verbs_pages.records,
    "commands": commands_pages.pages,
}
_LINE = re.compile(r"^\{\{ (\w+)((?: [\w/-]+)*) \}\}$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its generated parts, called by mkdocs."""
    return filled(markdown)


def filled(markdown: str) -> str:
    """The same Markdown, every line that asks for a part replaced by it. Raises `KeyError` for an unknown part."""
    return _LINE.sub(lambda found: PARTS[found[1]](*found[2].split()), markdown)
