"""Whole pages by title, with their links: a folder of texts, or JSON Lines. Texts are read on demand."""

import html
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.plugins.builders._rows import texts
from pipelines.sources import parsing, reading
from pipelines.sources.tables import Row

NEEDS = (
    "pages: a folder of TITLE.txt (links, one title per line, in TITLE.links; a slash in a title is %2F), "
    "or a .jsonl file with title, text and links"
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's text and the titles it links to."""

    text: str
    links: tuple[str, ...]


def key(title: str) -> str:
    """The normalized title for look-ups, without Wikipedia's encodings (%20, underscores, &amp;)."""
    name = unicodedata.normalize("NFC", html.unescape(unquote(title))).replace("_", " ")
    return " ".join(name.split())


def files(pages: Path) -> list[Path]:
    """The files that hold the pages. Raises `UserError` naming what is needed."""
    if not reading.existing(pages).is_dir():
        if pages.suffix != ".jsonl":
            raise UserError(f"{pages} cannot be read page by page; extend_multihop needs {NEEDS}")
        return [pages]
    paths = [check_inside(path, pages) for path in sorted(pages.iterdir()) if path.suffix in (".txt", ".links")]
    if not any(path.suffix == ".txt" for path in paths):
        raise UserError(f"{pages} has no pages; extend_multihop needs {NEEDS}")
    return paths


@dataclass(slots=True)
class Pages:
    """The pages of a folder or file.

    `places`: where the page of each title is stored, a file or the position and number of a line. Of several pages with
    one title the first counts; `duplicates` counts the others.
    """

    source: Path
    places: dict[str, Any] = field(default_factory=dict)
    duplicates: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for place, title in self._titles():
            if (name := key(title)) in self.places:
                self.duplicates[name] += 1
            else:
                self.places[name] = place

    def get(self, name: str) -> Page | None:
        """The page of a key, None if there is none or it is empty."""
        if name not in self.places:
            return None
        place = self.places[name]
        page = self._page_of_file(place) if isinstance(place, Path) else self._page_of_line(*place)
        return page if page.text.strip() else None

    def _titles(self) -> Iterator[tuple[Any, str]]:
        """The place of each page and its title."""
        if self.source.is_dir():
            yield from ((path, path.stem) for path in files(self.source) if path.suffix == ".txt")
            return
        position = 0
        with self.source.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield (position, number), texts(self._row(line, number), "title")[0]
                position += len(line)

    def _page_of_file(self, path: Path) -> Page:
        text = parsing.clean(reading.text(path)) if path.stat().st_size else ""
        links_file = path.with_name(f"{path.stem}.links")
        lines = reading.text(links_file).splitlines() if links_file.is_file() and links_file.stat().st_size else []
        return Page(text.strip(), tuple(line.strip() for line in lines if line.strip()))

    def _page_of_line(self, position: int, number: int) -> Page:
        with self.source.open("rb") as file:
            file.seek(position)
            row = self._row(file.readline(), number)
        links = row.strings("links")
        return Page(row.string("text").strip(), links)

    def _row(self, line: bytes, number: int) -> Row:
        location = f"{self.source.name}:{number}"
        try:
            fields = plain_json.loads(line)
        except ValueError as error:
            raise UserError(f"{location}: not JSON ({error}); extend_multihop needs {NEEDS}") from None
        if not isinstance(fields, dict):
            raise UserError(f"{location}: expected an object with title, text and links, got {type(fields).__name__}")
        return Row(number, location, fields)
