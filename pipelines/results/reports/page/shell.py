"""What all pages share: styles, scripts, the policy that allows only these, sections."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from xml.etree.ElementTree import Element

from pipelines.results.reports.page.markup import element

ASSETS = Path(__file__).with_name("assets")


def section(name: str, title: str, *children: Element) -> Element:
    """A section with its heading."""
    heading = element("h2", title, id=f"{name}-heading")
    return element("section", heading, *children, id=name, aria_labelledby=f"{name}-heading")


def policy(style: str, script: str) -> str:
    """Allow only these styles and this script, no requests, and no text turned into markup."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


@cache
def style() -> str:
    """The styles."""
    return (ASSETS / "style.css").read_text(encoding="utf-8")


def script(names: Sequence[str]) -> str:
    """Scripts of `assets` as one, in a scope of its own."""
    parts = [(ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in names]
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"
