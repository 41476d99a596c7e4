"""BookSumSort out of any ordered summaries: which order do they come in? (Shaham et al. 2023, section 3.1.3).

The summaries of a book's chapters are numbered in four random orders; the output lists the numbers in the book's order:
"3, 1, 2" where the summary that comes first is number 3. Words that tell a position go by rule (`_positions`), where
the authors edited by hand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.benchmarks.zero_scrolls.builders import _positions
from pipelines.benchmarks.zero_scrolls.builders._prompts import frame, wording_of
from pipelines.plugins.builders._rows import check_minimum
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources import parsing, reading, tables
from pipelines.sources.pieces import Pieces
from pipelines.sources.reading import file_identity

NEEDS = (
    "summaries in order: a folder a book with section_N_part_M.txt, or JSON Lines with book and summary (a chapter a "
    "row, in order) or with book and summaries (a list)"
)
MINIMUM, MAXIMUM = 3, 86
_PART = re.compile(r"section_(\d+)_part_(\d+)\.txt")
_EXTRAS = re.compile(r"\W*(?:introduction|preface|foreword|overview|plot overview|context|character list)\W*", re.I)


@dataclass(frozen=True)
class BookSumSort(Builder):
    """`book_sum_sort.zip` with ZeroSCROLLS' rows, the summaries being the inner documents.

    The source: a folder with a folder a book, at any depth, of files `section_N_part_M.txt` (text, or an object with
    `name` and `summary`) in the order of N and then M; or rows. Books of fewer than 3 or more than 86 summaries are
    left out, and so are introductions, prefaces and overviews. As many books as make `test` examples of `permutations`
    orders each are the test split, `validation` of the other books likewise. Books and orders depend on the seed and
    the book's name. Prompts as in `zero_scrolls`. An id is the book's and the order's; the published ones are not known
    here. Raises `UserError` for a source without summaries.
    """

    is_random = True
    archive = "book_sum_sort"

    test: int = 500
    validation: int = 20
    permutations: int = 4
    prompts_from: str | None = None

    def __post_init__(self) -> None:
        for name, minimum in (("test", 1), ("validation", 0), ("permutations", 1)):
            check_minimum(getattr(self, name), minimum, f"book_sum_sort: {name}")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        root = source if source.is_dir() else source.parent
        files = [path for paths in _folders(source).values() for path in paths] if source.is_dir() else [source]
        if not source.is_dir():
            tables.kind(reading.existing(source))
        return {"files": [file_identity(path, root) for path in files], **wording_of(self.archive, self.prompts_from)}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The books that are taken in the order of the source, each in its orders."""
        prompt_frame, books = frame(self.archive, self.prompts_from), self._books(source, stats)
        splits = self._splits(list(books), seed, stats)
        for book, summaries in books.items():
            if book not in splits:
                continue
            cleaned = []
            for summary in summaries:
                text, replaced = _positions.without_positions(summary)
                cleaned.append(text)
                for kind, count in replaced.items():
                    stats.notes[f"words that tell a position: {kind}"] += count
            for place, order in enumerate(_orders(len(cleaned), self.permutations, SeededRandom(seed, book)), 1):
                pieces, inner = Pieces(), []
                for label, chapter in enumerate(order, 1):
                    inner.append(pieces.add(f"Summary {label}:\n{cleaned[chapter]}", "\n\n")[0])
                output = ", ".join(str(order.index(chapter) + 1) for chapter in range(len(order)))
                for row in prompt_frame.rows(f"{book}-{place}", pieces.text, "", (output,), inner):
                    yield splits[book], row

    def _books(self, source: Path, stats: BuildStats) -> dict[str, list[str]]:
        """The summaries of each book that has enough of them; the stats count the orders of the others as dropped."""
        books = {}
        for book, summaries in (_folder_summaries(source) if source.is_dir() else _row_summaries(source)).items():
            texts = [text for name, text in summaries if text.strip() and not _EXTRAS.fullmatch(name)]
            if removed := sum(1 for _, text in summaries if not text.strip()):
                stats.notes["summaries left out, because they are empty"] += removed
            if removed := len(summaries) - removed - len(texts):
                stats.notes["introductions, prefaces and overviews left out"] += removed
            stats.read += self.permutations
            if len(texts) < MINIMUM:
                stats.dropped[f"orders of books with fewer than {MINIMUM} summaries"] += self.permutations
            elif len(texts) > MAXIMUM:
                stats.dropped[f"orders of books with more than {MAXIMUM} summaries"] += self.permutations
            elif any(not _positions.without_positions(text)[0] for text in texts):
                stats.dropped["orders of books with summaries that only tell their position"] += self.permutations
            else:
                books[book] = texts
        return books

    def _splits(self, books: Sequence[str], seed: int, stats: BuildStats) -> dict[str, str]:
        """The split of each book that is drawn."""
        shuffled = sorted(books, key=lambda book: (SeededRandom(seed, "split", book).random(), book))
        test, validation = -(-self.test // self.permutations), -(-self.validation // self.permutations)
        if undrawn := shuffled[test + validation :]:
            stats.dropped["orders of books that were not drawn"] += len(undrawn) * self.permutations
        return {
            book: "test" if place < test else "validation" for place, book in enumerate(shuffled[: test + validation])
        }


def _orders(length: int, count: int, random: SeededRandom) -> list[list[int]]:
    """Random orders, all different where there are as many."""
    orders: list[list[int]] = []
    possible = 1
    for factor in range(2, length + 1):
        possible = min(possible * factor, count)
    while len(orders) < count:
        order = random.shuffled(range(length))
        if order not in orders or len(orders) >= possible:
            orders.append(order)
    return orders


def _folders(source: Path) -> dict[str, list[Path]]:
    """The files of each book in order, the books by name. Raises `UserError` where there are none."""
    parts_by_book: dict[str, list[tuple[int, int, Path]]] = {}
    for path in sorted(source.rglob("section_*_part_*.txt")):
        if match := _PART.fullmatch(path.name):
            part = (int(match[1]), int(match[2]), check_inside(path, source))
            parts_by_book.setdefault(path.parent.relative_to(source).as_posix(), []).append(part)
    if not parts_by_book:
        raise UserError(f"{source} has no section_N_part_M.txt; book_sum_sort needs {NEEDS}")
    return {
        book if book != "." else "book": [path for *_, path in sorted(parts)] for book, parts in parts_by_book.items()
    }


def _folder_summaries(source: Path) -> dict[str, list[tuple[str, str]]]:
    """Name and text of the summaries of each book."""
    return {book: [_file_summary(path) for path in paths] for book, paths in _folders(source).items()}


def _file_summary(path: Path) -> tuple[str, str]:
    """Name and text of the summary in a file, which is the text or an object with both."""
    if path.stat().st_size == 0:
        return "", ""
    text = reading.text(path)
    if not text.lstrip().startswith("{"):
        return "", parsing.clean(text).strip()
    try:
        fields = plain_json.loads(text)
    except ValueError:
        return "", parsing.clean(text).strip()
    return _summary(fields, str(path))


def _summary(fields: Any, location: str) -> tuple[str, str]:
    """Name and text of a summary, which is a text or an object. Raises `UserError` for an object without one."""
    if isinstance(fields, str):
        return "", parsing.clean(fields).strip()
    summary = fields.get("summary", fields.get("text")) if isinstance(fields, Mapping) else None
    if summary is None:
        columns = ", ".join(map(str, fields)) if isinstance(fields, Mapping) else type(fields).__name__
        raise UserError(f"{location}: the summary is missing; found {columns}. book_sum_sort needs {NEEDS}")
    name = next((fields[key] for key in ("name", "title", "chapter") if fields.get(key) is not None), "")
    return parsing.string(name, location, "name"), "\n".join(parsing.strings(summary, location, "summary")).strip()


def _row_summaries(source: Path) -> dict[str, list[tuple[str, str]]]:
    """Name and text of the summaries of each book, from rows. Raises `UserError` for a row without a book."""
    summaries_by_book: dict[str, list[tuple[str, str]]] = {}
    for row in tables.Files((source,)).rows():
        keys = ("book", "book_id", "book_title", "bid")
        book = next((value for key in keys if (value := row.fields.get(key)) not in (None, "")), None)
        if book is None:
            columns = ", ".join(map(str, row.fields)) or "nothing"
            raise UserError(f"{row.location}: the row has no book; found {columns}. book_sum_sort needs {NEEDS}")
        summaries = summaries_by_book.setdefault(parsing.string(book, row.location, "book"), [])
        nested = row.fields.get("summaries")
        items = nested if isinstance(nested, list) else [row.fields]
        summaries += [_summary(item, row.location) for item in items]
    return summaries_by_book
