"""Documents of several authors, one paragraph per line: folders as PAN releases them, and MuLD's rows.

A folder holds `problem-N.txt` with `truth-problem-N.json` beside it, at any depth (PAN 2021 to 2024; the AO3 set that
MuLD took). Splits are folders whose names contain the split as a word (`train`, `…-validation`); without such a
folder, everything is one split. The truth has `paragraph-authors`, or only `changes` and `authors`. The rows are
`{input, output}`: the document, and the author of each paragraph. References are written as `models.authorship` says.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from models.authorship import Authorship, joined, numbers
from pipelines.benchmarks.muld.layouts.muld import recognizes as recognizes
from pipelines.records import Example
from pipelines.sources import json_rows, parsing, reading, split_names
from pipelines.sources.boundary import BOM
from pipelines.sources.layouts import LocalData, SplitRequest
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "MuLD's rows (input, output), PAN's folders (problem-N.txt, truth-problem-N.json)"
MOST_AUTHORS = 4

_UNEQUAL = "documents with more or fewer labels than paragraphs (lines)"


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row: the whole input is the document."""
    for row in table.rows():
        text = row.fields.get("input")
        if not isinstance(text, str):
            raise row.refusal("a row of MuLD needs a text 'input'")
        document = parsing.document(BOM.sub("", text, count=1) if BOM.match(text) else text, row.location)
        metadata = row.fields.get("metadata")
        references = tuple(str(authorship) for authorship in _references(row, document.text, warnings))
        meta = {"metadata": metadata} if metadata else {}
        yield Example(f"{split}-{row.number}", document, references=references, meta=meta)


def find(path: Path, request: SplitRequest) -> LocalData | None:
    """The texts of a split in a folder, or the text that `path` is; None where there are no problems at all.

    Raises `UserError` where there are problems of other splits only.
    """
    root = path if path.is_dir() else path.parent
    if not (texts := _texts(path, request.split)):
        return None
    truths = [truth for text in texts if (truth := _truth_file(text)).is_file()]
    return LocalData(partial(_read_problems, root, texts), root, [], [*texts, *truths], layout="style_change")


def _texts(path: Path, split: str) -> list[Path]:
    """The texts of a split in a folder by number, or the text that `path` is, if a truth file is beside it."""
    if path.is_file():
        return [path] if _truth_file(path).is_file() else []
    paths = [text for text in path.rglob("*.txt") if text.name.startswith("problem-") or _truth_file(text).is_file()]
    splits = {text: _split(text.relative_to(path).parent) for text in paths}
    found_splits = {name for name in splits.values() if name}
    if found_splits and split not in found_splits:
        problem = f"{path} has no folder for the split {split!r}, only for {', '.join(sorted(found_splits))}"
        raise split_names.NoSplit(f"{problem}: split={min(found_splits)!r}")
    return sorted((text for text in paths if not found_splits or splits[text] == split), key=_sort_key)


def _read_problems(root: Path, paths: Sequence[Path], warnings: Warnings) -> Iterator[Example]:
    """One example per text, without references where there is no truth. Its id is its path in `root`."""
    for path in paths:
        name = path.relative_to(root).with_suffix("").as_posix()
        document = parsing.document(reading.text(path), str(path))
        truth = _truth_file(path)
        authorships = [_authorship(truth)] if truth.is_file() else []
        _check_length(authorships, document.text, name, warnings)
        yield Example(name, document, references=tuple(map(str, authorships)))


def _truth_file(text: Path) -> Path:
    return text.with_name(f"truth-{text.stem}.json")


def _split(folder: Path) -> str:
    """The split in the name of the innermost folder that is named after one; "" without such a folder."""
    for part in reversed(folder.parts):
        if splits := split_names.splits_named_in(part):
            return min(splits)
    return ""


def _sort_key(path: Path) -> list[Any]:
    """Numbers in names count as numbers: problem-2 before problem-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path))]


def _authorship(path: Path) -> Authorship:
    """The labels of a truth file. Raises `UserError` naming it if there are none, or they are invalid."""
    _, fields = next(json_rows.objects(path), (0, {}))
    authors, changes, count = (fields.get(key) for key in ("paragraph-authors", "changes", "authors"))
    if authors is not None:
        return _checked(Authorship.of(joined(_whole_numbers(authors, path.name, "paragraph-authors"))), path.name)
    if changes is None:
        columns = ", ".join(fields) or "nothing"
        raise UserError(f"{path.name} needs 'paragraph-authors', or 'changes' and 'authors'; found {columns}")
    values = _whole_numbers(changes, path.name, "changes")
    if not set(values) <= {0, 1}:
        raise UserError(f"{path.name}: changes must be 0 or 1, got {max(values)}")
    return Authorship(None, values, count if isinstance(count, int) else None)


def _references(row: Row, text: str, warnings: Warnings) -> list[Authorship]:
    """The references of a row; a list that has one number in each of its entries is a single reference."""
    output = row.fields.get("output")
    texts = parsing.strings(output, row.location, "output")
    if len(texts) > 1 and all(len(numbers(text)) == 1 for text in texts):
        texts = (",".join(texts),)
    authorships = [_checked(Authorship.of(text), row.location) for text in texts]
    _check_length(authorships, text, row.location, warnings)
    return authorships


def _whole_numbers(values: Any, location: str, field: str) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(isinstance(value, int) for value in values):
        raise UserError(f"{location}: {field} must be a list of whole numbers, got {values!r}"[:300])
    return tuple(map(int, values))


def _checked(authorship: Authorship, location: str) -> Authorship:
    """The labels, if they are valid. Raises `UserError` naming the first that is invalid."""
    if authorship.authors == ():
        raise UserError(f"{location}: expected the author of each paragraph, such as 1,1,2, and found no number")
    for number, author in enumerate(authorship.authors or (), 1):
        if not 1 <= author <= MOST_AUTHORS:
            raise UserError(f"{location}: paragraph {number} has the author {author}; authors are 1 to {MOST_AUTHORS}")
    return authorship


def _check_length(authorships: Sequence[Authorship], text: str, location: str, warnings: Warnings) -> None:
    lines = sum(1 for line in text.split("\n") if line.strip())
    if any(authorship.paragraphs != lines for authorship in authorships):
        warnings.count(_UNEQUAL, location)
