"""Texts by topic group and author, as paragraphs: the source of `style_mix`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chunkers.shared.boundaries import lines, paragraphs
from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.builders import BuildStats
from pipelines.builders._rows import lengths, texts
from pipelines.sources import parsing, reading, tables

NEEDS = (
    "texts by topic group and author: a folder GROUP/AUTHOR.txt, or JSON Lines with group, author and text "
    "(several rows of one author are put together)"
)
SHORTEST = 100  # characters of a paragraph
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff\ufffc]")  # soft hyphens, zero-width marks, placeholders of images

Groups = dict[str, dict[str, "Texts"]]


@dataclass(frozen=True, slots=True)
class Texts:
    """An author's paragraphs and their lengths; `length` of all."""

    paragraphs: tuple[str, ...]
    lengths: tuple[int, ...]
    length: int


def files(source: Path) -> list[Path]:
    """The files that a source consists of. Raises `UserError` naming what it needs."""
    if not reading.existing(source).is_dir():
        tables.kind(source)
        return [source]
    paths = sorted(path for group in source.iterdir() if group.is_dir() for path in group.glob("*.txt"))
    for path in paths:
        check_inside(path, source)
    if not paths:
        raise UserError(f"{source} holds no such files; style_mix needs {NEEDS}")
    return paths


def read(source: Path, stats: BuildStats) -> Groups:
    """The paragraphs of at least `SHORTEST` characters by group and author, in an order that does not depend on the
    files.

    A paragraph that occurs in texts of several authors of a group is left out; one that an author repeats counts once.
    """
    gathered: dict[str, dict[str, list[str]]] = {}
    for group, author, text in _texts(source):
        gathered.setdefault(group, {}).setdefault(author, []).append(text)
    return {group: _group(gathered[group], stats) for group in sorted(gathered)}


def split(text: str) -> Iterator[str]:
    """The paragraphs of a text, white space made single.

    Between blank lines every line is a paragraph, unless none of the lines has `SHORTEST` characters: then they are one
    wrapped paragraph.
    """
    for start, end in paragraphs(text):
        block = text[start:end]
        rows = [" ".join(_UNSEEN.sub("", block[left:right]).split()) for left, right in lines(block)]
        wrapped = all(len(row) < SHORTEST for row in rows)
        yield from [" ".join(rows)] if wrapped else rows


def _texts(source: Path) -> Iterator[tuple[str, str, str]]:
    if source.is_dir():
        for path in files(source):
            yield path.parent.name, path.stem, parsing.clean(reading.text(path))
        return
    for row in tables.Files((source,)).rows():
        try:
            group, author, text = texts(row, "group", "author", "text")
        except UserError as error:
            raise UserError(f"{error}. style_mix needs {NEEDS}") from None
        yield group, author, text


def _group(gathered: dict[str, list[str]], stats: BuildStats) -> dict[str, Texts]:
    by_author = {author: list(_long_enough(gathered[author], stats)) for author in sorted(gathered)}
    owners = Counter(paragraph for entries in by_author.values() for paragraph in entries)
    usable = {}
    for author, entries in by_author.items():
        unique = tuple(paragraph for paragraph in entries if owners[paragraph] == 1)
        stats.notes["paragraphs of several authors left out"] += len(entries) - len(unique)
        if unique:
            sizes = tuple(lengths(unique, "words"))
            usable[author] = Texts(unique, sizes, sum(sizes))
    return usable


def _long_enough(texts: Iterable[str], stats: BuildStats) -> dict[str, None]:
    """An author's paragraphs without repetition, in order; the texts in the order of their contents."""
    paragraphs = [paragraph for text in sorted(texts) for paragraph in split(text)]
    long = [paragraph for paragraph in paragraphs if len(paragraph) >= SHORTEST]
    distinct = dict.fromkeys(long)
    stats.notes["paragraphs"] += len(paragraphs)
    stats.notes[f"paragraphs of fewer than {SHORTEST} characters left out"] += len(paragraphs) - len(long)
    stats.notes["repeated paragraphs left out"] += len(long) - len(distinct)
    return distinct
