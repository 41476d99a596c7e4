"""Texts and their translations in two files each, text or subtitles, aligned line by line or as whole documents.

Which files are a pair: see `pairing`. Text files: line n of one is the translation of line n of the other. Where the
numbers of lines differ, the pair counts as whole documents, with a warning. Subtitles (`.srt`): cues shown at the same
time make up a line; cues without a counterpart are left out and counted. Text files in a Western European language may
be in Windows-1252, with a warning.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import parsing, reading
from pipelines.sources.layouts import LocalData, SplitRequest
from pipelines.sources.own_data import _subtitles, pairing
from pipelines.sources.own_data.pairing import Pair, language
from pipelines.sources.warnings import Warnings

ACCEPTS = (
    "a folder with a text and its translation (en.txt and de.txt, film.en.srt and film.de.srt), or of such folders"
)
WESTERN = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "fi"})
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|\w+);")
_UNEVEN = "pairs with different numbers of lines, taken as whole documents"
_RECODED = "files are not UTF-8 and were read as Windows-1252"
_ENTITIES = "files had HTML entities (such as &szlig;), which were decoded"
_UNMATCHED = "subtitles left out, because nothing is shown at their time in the other language"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """False: this layout consists of files, not rows."""
    return False


def find(path: Path, request: SplitRequest) -> LocalData | None:
    """The pairs in a folder and its subfolders; None if there are none. Raises `UserError` for ambiguous ones."""
    pairs, warnings = pairing.pairs(path) if path.is_dir() else ([], [])
    files = sorted({file for pair in pairs for file in (pair.source, pair.target)})
    return LocalData(partial(_read_pairs, pairs), path, files, [], warnings, "aligned") if files else None


def _read_pairs(pairs: Sequence[Pair], warnings: Warnings) -> Iterator[Example]:
    """One example per pair: the text, and its translation as the only reference."""
    for pair in pairs:
        subtitles = pair.source.suffix.lower() == ".srt"
        source, target = _aligned_subtitles(pair, warnings) if subtitles else _texts(pair, warnings)
        meta = {"source": pair.source.name, "target": pair.target.name}
        document = parsing.document(source, pair.source.name, pair.name)
        yield Example(
            pair.name, document, references=parsing.strings(target, pair.target.name, "translation"), meta=meta
        )


def _texts(pair: Pair, warnings: Warnings) -> tuple[str, str]:
    source, target = _text(pair.source, warnings), _text(pair.target, warnings)
    counts = source.count("\n") + 1, target.count("\n") + 1
    if counts[0] != counts[1]:
        warnings.count(_UNEVEN, f"{pair.source.name} {counts[0]:,}, {pair.target.name} {counts[1]:,}")
    return source, target


def _aligned_subtitles(pair: Pair, warnings: Warnings) -> tuple[str, str]:
    sides = [_subtitles.cues(_text(path, warnings), path.name) for path in (pair.source, pair.target)]
    lines, unmatched = _subtitles.align(sides[0], sides[1])
    if 2 * len(lines) < min(map(len, sides)):
        names = f"{pair.source.name} and {pair.target.name}"
        raise UserError(
            f"{names} are not of the same version of a film: most subtitles have no counterpart in time; shift one "
            "of the files"
        )
    for cue in unmatched:
        warnings.count(_UNMATCHED, f"{pair.name} {cue.time}")
    return "\n".join(source for source, _ in lines), "\n".join(target for _, target in lines)


def _text(path: Path, warnings: Warnings) -> str:
    """A file's text, line ends `\\n`, without trailing white space. Raises `UserError`."""
    text = _decoded(path, warnings)
    if _ENTITY.search(text):
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
        warnings.count(_ENTITIES, path.name)
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _decoded(path: Path, warnings: Warnings) -> str:
    try:
        return reading.text(path)
    except UserError as error:
        if path.suffix.lower() == ".srt" or language(path) not in WESTERN:
            raise
        try:
            text, _ = reading.text_in(path, ("cp1252",))
        except UserError:
            raise error from None
        warnings.count(_RECODED, path.name)
        return text
