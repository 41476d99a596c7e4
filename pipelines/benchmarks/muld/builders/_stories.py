"""Texts by topic group and author, as paragraphs: the source of `style_mix`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from chunkers.shared.boundaries import lines, paragraphs
from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.plugins.builders._rows import lengths, texts
from pipelines.plugins.builders.builder import BuildStats
from pipelines.sources import parsing, reading, tables

NEEDS = (
    "texts by topic group and author: a folder GROUP/AUTHOR.txt, or JSON Lines with group, author and text "
    "(several rows of one author are put together)"
)
SHORTEST = 100  # characters that a paragraph has at least
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\ufffc]")  # soft hyphens, zero-width marks, placeholders of images

Groups = dict[str, dict[str, "Texts"]]


@dataclass(frozen=True, slots=True)
class Texts:
    """An author's paragraphs, the words in each (`lengths`), and the words in all (`length`)."""

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
        raise UserError(f"{source} has no files GROUP/AUTHOR.txt; style_mix needs {NEEDS}")
    return paths


def read(source: Path, stats: BuildStats) -> Groups:
    """The paragraphs of at least `SHORTEST` characters by group and author, in an order that does not depend on files.

    A paragraph that several authors of a group have is left out; one that an author repeats counts once.
    """
    texts_by_group: dict[str, dict[str, list[str]]] = {}
    for group, author, text in _texts(source):
        texts_by_group.setdefault(group, {}).setdefault(author, []).append(text)
    return {group: _group(texts_by_group[group], stats) for group in sorted(texts_by_group)}


def split(text: str) -> Iterator[str]:
    """The paragraphs of a text, white space made single.

    Between blank lines every line is a paragraph, unless none of the lines has `SHORTEST` characters: then they are one
    wrapped paragraph.
    """
    for start, end in paragraphs(text):
        block = text[start:end]
        block_lines = [" ".join(_INVISIBLE.sub("", block[left:right]).split()) for left, right in lines(block)]
        is_wrapped = all(len(line) < SHORTEST for line in block_lines)
        yield from [" ".join(block_lines)] if is_wrapped else block_lines


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


def _group(texts_by_author: dict[str, list[str]], stats: BuildStats) -> dict[str, Texts]:
    """The paragraphs of a group that only one of its authors has, by author."""
    by_author = {author: _long_paragraphs(texts_by_author[author], stats) for author in sorted(texts_by_author)}
    author_counts = Counter(chain.from_iterable(by_author.values()))
    usable = {}
    for author, candidates in by_author.items():
        unique = tuple(paragraph for paragraph in candidates if author_counts[paragraph] == 1)
        stats.notes["paragraphs of several authors left out"] += len(candidates) - len(unique)
        if unique:
            sizes = tuple(lengths(unique, "words"))
            usable[author] = Texts(unique, sizes, sum(sizes))
    return usable


def _long_paragraphs(author_texts: Iterable[str], stats: BuildStats) -> list[str]:
    """An author's paragraphs of at least `SHORTEST` characters, each once; the texts sorted by their contents."""
    every = [paragraph for text in sorted(author_texts) for paragraph in split(text)]
    long = [paragraph for paragraph in every if len(paragraph) >= SHORTEST]
    distinct = list(dict.fromkeys(long))
    stats.notes["paragraphs"] += len(every)
    stats.notes[f"paragraphs of fewer than {SHORTEST} characters left out"] += len(every) - len(long)
    stats.notes["repeated paragraphs left out"] += len(long) - len(distinct)
    return distinct
