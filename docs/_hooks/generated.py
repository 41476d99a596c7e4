"""The parts of the pages that are generated: a line `{{ KIND ARGUMENTS }}` becomes Markdown when the site is built.

So a table of recipes, counts, parameters or options always agrees with the code. An unknown kind breaks the build.
"""

import re
from collections.abc import Callable
from typing import Any

import architecture_picture
import benchmarks_pages
import chat_pages
import commands_pages
import components_pages
import functions_pages

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


def on_config(config: Any) -> Any:
    """Leave Chinese words in the search index as they are. mkdocs calls this hook.

    Where `jieba` is installed, the plugin `search` would cut them with it, which prints lines and writes a cache
    outside the checkout.
    """
    from material.plugins.search import plugin

    plugin.jieba = None
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page with its generated parts. mkdocs calls this hook."""
    return filled(markdown)


def filled(markdown: str) -> str:
    """The Markdown with each `{{ … }}` line replaced by its part. Raises `KeyError` for an unknown kind."""
    return _LINE.sub(lambda match: PARTS[match[1]](*match[2].split()), markdown)
