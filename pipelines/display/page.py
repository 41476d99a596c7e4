"""The parts of a page that are the same in all of them: styles, scripts, what these are allowed, sections.

A strict content security policy allows only these, by their hashes.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from xml.etree.ElementTree import Element

from pipelines.display.markup import element, rendered, sound

ASSETS = Path(__file__).with_name("assets")


def static(title: str, brand: str, main: str, sections: Iterable[Element], style: str, script: str) -> str:
    """A page that is whole without its script; `main` names the section that keyboards may skip to."""
    return Template(_text(ASSETS / "static.html")).substitute(
        title=escape(sound(title)),
        brand=brand,
        main=main,
        policy=escape(policy(style, script)),
        style=style,
        script=script,
        content=rendered(sections),
    )


def policy(style: str, script: str) -> str:
    """Allow only these styles and this script, no requests, and no text turned into markup."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def styles(*files: Path) -> str:
    """The style sheet of all pages, then others."""
    return "\n".join(_text(file) for file in (ASSETS / "style.css", *files))


def scripts(names: Sequence[str], *files: Path) -> str:
    """Scripts of `assets` by their names, then others, as one, in a scope of its own."""
    parts = [_text(file) for file in (*(ASSETS / f"{name}.js" for name in names), *files)]
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def section(name: str, title: str, *children: Element) -> Element:
    """A section with its heading."""
    heading = element("h2", title, id=f"{name}-heading")
    return element("section", heading, *children, id=name, aria_labelledby=f"{name}-heading")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
