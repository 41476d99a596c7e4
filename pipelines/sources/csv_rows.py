"""Rows of CSV and TSV files, in the forms that spreadsheets write: with commas, semicolons or tabs.

Where the comma is the decimal sign, spreadsheets separate a CSV file's cells by semicolons, and Excel's "Unicode Text"
has tabs whatever its name; Excel reads a first line `sep=;` as the separator, and so does this module.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from longdoc.errors import UserError
from pipelines.sources import reading
from pipelines.sources.reading import InputFile

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_DECLARED = re.compile(r'"?sep=(.)"?\s*')
_QUOTED = re.compile(r'"[^"]*"?')


def rows(path: InputFile, is_tsv: bool) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """The rows as number, location and cells by column. `is_tsv`: a TSV file, else the header shows the separator.

    Raises `UserError` with file and line for what cannot be read.
    """
    csv.field_size_limit(reading.LONGEST)  # a cell may hold a book; the module's own limit is 128 KiB
    lines, separator, skipped_lines = _lines_and_separator(path, is_tsv)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    header: list[str] = []
    number, line = 0, 1 + skipped_lines
    try:
        for cells in reader:
            if not header:
                header = [cell.strip() for cell in cells]
                check_columns(path, header)
            elif cells:
                number += 1
                if len(cells) != len(header):
                    raise UserError(
                        f"{path.name}:{line}: {len(cells)} cells, but the header has "
                        f"{len(header)}; put a cell with {SEPARATORS.get(separator, separator)} in quotes"
                    )
                yield number, f"{path.name}:{line}", dict(zip(header, cells, strict=True))
            line = reader.line_num + 1 + skipped_lines
    except csv.Error as error:
        raise UserError(f"{path.name}:{line}: not {'TSV' if is_tsv else 'CSV'}: {_problem(path, error)}") from None


def check_columns(path: InputFile, names: Sequence[str]) -> None:
    """Raise `UserError` for two columns of the same name: a row would keep only the last."""
    for name, count in Counter(filter(None, names)).items():
        if count > 1:
            raise UserError(f"{path.name} has {count} columns {name[:80]!r}; rename them, or leave out all but one")


def _lines_and_separator(path: InputFile, is_tsv: bool) -> tuple[Iterator[str], str, int]:
    """The lines from the header on, the separator of their cells, and how many lines were before the header."""
    lines = reading.lines(path)
    first = next(lines, "")
    if match := _DECLARED.fullmatch(first):
        return lines, match[1], 1
    return chain([first], lines), "\t" if is_tsv else _separator(first), 0


def _separator(header: str) -> str:
    """The most frequent separator in a header, outside quotes; the comma if there is none."""
    counts = Counter(_QUOTED.sub("", header))
    return max(SEPARATORS, key=lambda separator: counts[separator])


def _problem(path: InputFile, error: csv.Error) -> str:
    if "new-line character" in str(error):
        command = rf"tr '\r' '\n' < {path.name} > lines-{path.name}"
        return f"lines end in carriage returns alone; if they are a Macintosh's, type: {command}"
    return str(error)
