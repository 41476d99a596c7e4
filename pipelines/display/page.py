"""Pages: jinja2 templates, which escape all text, and the styles and scripts that pages may use.

A template is named by its path in `pipelines`. It lies beside the code that says what it shows, extends
`display/templates/base.html`, and has tables and sections from `display/templates/macros.html`. A strict content
security policy allows only our styles and script, by their hashes.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pipelines.display import numbers

TEMPLATES = Path(__file__).parents[1]
ASSETS = Path(__file__).with_name("assets")
SURROGATES = re.compile("[\ud800-\udfff]")


def page(template: str, style: str, script: str, **values: Any) -> str:
    """The page of a template with these values."""
    return "".join(pieces(template, style, script, **values))


def pieces(template: str, style: str, script: str, **values: Any) -> Iterator[str]:
    """The page of a template in pieces; an iterator among the values is read item by item."""
    values |= {"style": style, "script": script, "policy": policy(style, script)}
    return map(sound, _environment().get_template(template).generate(values))


def sound(text: str) -> str:
    """Text that UTF-8 can hold: surrogates without their other half become U+FFFD, one code point for one."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def policy(style: str, script: str) -> str:
    """The content security policy: only this style and script, no requests, and no text turned into markup."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def styles(*files: Path) -> str:
    """The style sheet of all pages, followed by these files."""
    return "\n".join(_text(file) for file in (ASSETS / "style.css", *files))


def scripts(names: Sequence[str], *files: Path) -> str:
    """The scripts of `assets` by name, then these files, as one script with its own scope."""
    parts = [_text(file) for file in (*(ASSETS / f"{name}.js" for name in names), *files)]
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    formats = (numbers.score, numbers.count, numbers.money, numbers.percent, numbers.line, numbers.shortened)
    environment.filters |= {format.__name__: format for format in formats}
    return environment


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
