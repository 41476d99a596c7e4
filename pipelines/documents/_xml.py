"""Parses XML files, without entities and external resources."""

import re
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.documents import file_bytes

Element = Any  # of lxml
_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]*\?>")
_DECLARED = re.compile(rb"""<\?xml\b[^>]*?encoding\s*=\s*["']([\w.:-]+)""")


def source(path: Path) -> tuple[str, tuple[str, ...]]:
    """An XML file's text by the encoding that it declares, and warnings. Raises `UserError`."""
    data = file_bytes.contents(path)
    file_bytes.check(path, data)
    declared = _DECLARED.match(data[:1024].lstrip())
    return file_bytes.decoded(path, data, declared[1].decode("ascii") if declared else None)


def root(path: Path, text: str) -> Element:
    """The root element. Raises `UserError` for text that is not XML, cut off, or too large."""
    from lxml import etree

    if text.count("<") > file_bytes.TAGS:
        raise UserError(f"{path} has more than {file_bytes.TAGS:,} tags; save it as text, or in parts")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(_DECLARATION.sub("", text, count=1).encode(), parser)
    except etree.XMLSyntaxError as error:
        problem = f"{path} cannot be read as XML ({error.msg})"
        raise UserError(f"{problem}. It is damaged or was cut off; fetch or copy it again, or name it .txt") from None
