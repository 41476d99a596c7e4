"""Film scripts with the types of their characters: MuLD's rows, the annotations that they came from, and own rows.

- Annotations: `{film, script, character, character_type}`, where `script` is a file beside the rows' file.
- MuLD's rows: `{input, output}`, the name of the character on the first line, the script from the second on. The name
  counts even if the script never mentions it, with a warning. Also read are rows with a question instead of the name,
  with the name before an HTML tag or a byte order mark, and with name and script on one line, if the first words occur
  together elsewhere in the script. A first line that starts a script, or is too long, is not a name: such a row is left
  out, and named in the warnings.
- Own rows, as in `rows`, with `character` or `question` and `label`.

MuLD keeps two of the annotated types (Hudson and Al Moubayed 2022, section 3.2): rows of the others are dropped and
counted. An unknown type is refused with its row. Scripts that are HTML become text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from chunkers.shared.names import mentions
from longdoc.errors import unknown
from pipelines.benchmarks.muld.layouts import muld
from pipelines.records import Document, Example
from pipelines.sources import parsing
from pipelines.sources.boundary import BOM, boundary
from pipelines.sources.own_data import row_references, rows
from pipelines.sources.tables import DerivedTable, Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "character types (script, character, character_type), MuLD's rows (input, output)"
HERO, VILLAIN = LABELS = ("Hero/Protagonist", "Villain/Antagonist")
SPELLINGS = {
    "hero": HERO,
    "protagonist": HERO,
    "hero/protagonist": HERO,
    "villain": VILLAIN,
    "antagonist": VILLAIN,
    "villain/antagonist": VILLAIN,
}
DROPPED = frozenset(
    {"mentor", "no applicable type"}
    | {
        role + owner
        for role in ("sidekick", "spouse/partner/lover", "spouse")
        for owner in ("", " of hero", " of villain")
    }
    | {f"supporting role character of {side}" for side in ("hero", "villain")}
)
NAME_WORDS = 6  # words of the longest query that counts as a name
LINE_WORDS = 12  # words of the longest name on a line of its own

_FIELDS = {"character": "question", "character_type": "label", "script": "document_path", "film": "title"}
_OTHER_TYPE = "rows dropped, because their character is of a type that MuLD leaves out"
_NO_NAME = "rows left out, because nothing tells the character from the script"
_UNMENTIONED = "rows kept whose script never mentions the name on their first line"
_NAME_PREFIX = re.compile(r"\s*(?:character|name)\s*:\s*", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“'‘]([^\"“”]+?)[\"”'’](?!\w)")
_CAPITALS = re.compile(r"[^\W\d_a-z][\w.'’-]*(?:\s+[^\W\d_a-z][\w.'’-]*)*")
_NOT_NAMES = re.compile(
    r"\b(?:hero|protagonist|villain|antagonist|is|what|which|who|does|do|are|was|the|character|type|of|in|or|a)\b",
    re.IGNORECASE,
)
_SCRIPT_OPENING = re.compile(r"\b(?:INT|EXT)\b\s?\.|\b(?i:fade (?:in|up)|cut to|title card)\b")
_HTML = re.compile(r"\s*<(?:!doctype|!--|html|head|body|pre|title|meta|table|div|p|b|center|font)\b", re.IGNORECASE)


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row has one of the three layouts that are read here."""
    return muld.recognizes(fields) or rows.recognizes(_renamed(fields))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples whose query is the character's name; those of one script share it.

    Raises `UserError` with the row for a type that is unknown, and for a script that is missing or empty.
    """
    labelled_table, scripts = _LabelledTable(table, warnings), _Scripts()
    first = next(table.rows(), None)
    if first is not None and muld.recognizes(first.fields):
        for row in labelled_table.rows():
            yield from _example(row, split, warnings, scripts)
        return
    for example in rows.read(labelled_table, split, warnings, has_query):
        document = scripts.without_html(example.document)
        query = example.query
        name = _bare_name(query) if query in labelled_table.character_names else character(query, document.text)
        yield replace(example, document=document, query=name)


def files(table: Table) -> list[Path]:
    """The scripts that the rows name."""
    first = next(table.rows(), None)
    return [] if first is None or muld.recognizes(first.fields) else rows.files(_LabelledTable(table, None))


def canonical(label: str, location: str) -> str | None:
    """The label of a type in any of its spellings, None for a type that is left out. Raises `UserError` for others."""
    key = re.sub(r"\s*/\s*", "/", " ".join(label.replace("_", " ").lower().split()))
    if key in SPELLINGS or key in DROPPED:
        return SPELLINGS.get(key)
    raise unknown(f"character type in {location}:", label, LABELS)


def character(query: str, script: str) -> str:
    """The name in a query: all of it if it is short, else its quoted or capitalized words that occur most often."""
    query = _bare_name(query)
    if "?" not in query and len(query.split()) <= NAME_WORDS:
        return query
    names = [match[1] for match in _QUOTED.finditer(query)] + _CAPITALS.findall(_NOT_NAMES.sub(" · ", query))
    return max((name.strip(" .,'’") for name in names), key=lambda name: len(mentions(script, name)), default=query)


def _bare_name(name: str) -> str:
    return _NAME_PREFIX.sub("", name, count=1).strip().rstrip(":").rstrip()


@dataclass(frozen=True, slots=True)
class _LabelledTable(DerivedTable):
    """A table with fields named as in `rows` and types in one spelling, without rows of other types."""

    warnings: Warnings | None
    character_names: set[str] = field(default_factory=set)  # values of a field `character`: names, however long
    _dropped: set[str] = field(default_factory=set)

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """The rows but those of other types, with fields and labels in one spelling."""
        for row in self.table.rows(columns):
            fields = _renamed(row.fields)
            if isinstance(name := row.fields.get("character"), str):
                self.character_names.add(name.strip())
            references = ((key, parsing.strings(fields.get(key), row.location, key)) for key in row_references.FIELDS)
            label_field, labels = next((pair for pair in references if pair[1]), ("", ()))
            if labels:
                spellings = [spelling for label in labels if (spelling := canonical(label, row.location)) is not None]
                if not spellings:
                    self._drop(row.location)
                    continue
                fields[label_field] = spellings
            yield replace(row, fields=fields)

    def _drop(self, location: str) -> None:
        if self.warnings is not None and location not in self._dropped:  # rows are read more than once
            self._dropped.add(location)
            self.warnings.count(_OTHER_TYPE, location)


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_FIELDS[name] if _FIELDS.get(name, name) not in fields else name: fields[name] for name in fields}


def _example(row: Row, split: str, warnings: Warnings, scripts: "_Scripts") -> Iterator[Example]:
    text = row.fields.get("input")
    if not isinstance(text, str) or not text.strip():
        parsing.document("", row.location)
        return
    text = text.lstrip()
    text = text[mark.end() :] if (mark := BOM.match(text)) else text
    end = _name_end(text)
    if end is None or not text[end:].strip():
        warnings.count(_NO_NAME, row.location)
        return
    head = BOM.sub("", text[:end])
    script = BOM.sub("", text[end:].lstrip(" \t"), count=1) if BOM.match(text[end:].lstrip()) else text[end:]
    document = scripts.without_html(parsing.document(script.removeprefix(" ").removeprefix("\n"), row.location))
    name = character(head, document.text) if "?" in head else _bare_name(head)
    if not mentions(document.text, name):
        warnings.count(_UNMENTIONED, row.location)
    references = row.strings("output")
    yield Example(f"{split}-{row.number}", document, name, references)


def _name_end(text: str) -> int | None:
    """Where the character's name before a script ends, None if unknown."""
    end = boundary(text)
    if end is not None and text[:end].strip() and "\n" not in text[:end].strip():
        return end
    line = text.partition("\n")[0]
    if len(line.split()) <= LINE_WORDS and not _SCRIPT_OPENING.search(line):
        return len(line)
    last_stop = None
    for stop in [match.end() for match in re.finditer(r"\S+", line)][:NAME_WORDS]:
        if not _occurs_in(line[:stop], text[stop:]):
            break
        last_stop = stop
    return last_stop


def _occurs_in(phrase: str, text: str) -> bool:
    """Whether whole words of a text are the phrase, whatever their case and the white space between them."""
    pattern = r"\s+".join(map(re.escape, phrase.rstrip(":").split()))
    return re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) is not None


@dataclass(slots=True)
class _Scripts:
    """Keeps the last script, so that neighbouring examples of it share one document."""

    last: tuple[str, Document] | None = None

    def without_html(self, document: Document) -> Document:
        """The document as text, if it is HTML."""
        if self.last is None or self.last[0] != document.id:
            text = without_tags(document.text) if _HTML.match(document.text) else document.text
            result = document if text == document.text else replace(document, id=parsing.identity(text), text=text)
            self.last = document.id, result
        return self.last[1]


def without_tags(text: str) -> str:
    """The text of an HTML page: no tags, scripts, styles or title; a line break for every block and `<br>`."""
    parser = _Page()
    parser.feed(text)
    parser.close()
    return "".join(parser.parts)


class _Page(HTMLParser):
    SILENT = frozenset({"script", "style", "title"})
    BLOCKS = frozenset({"br", "p", "div", "pre", "tr", "table", "li", "ul", "center", "h1", "h2", "h3", "h4", "hr"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.SILENT:
            self.silent = tag
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = ""
        if tag in self.BLOCKS - {"br"}:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)
