"""Plain text, and any other text file (.log, .csv, a program); also compressed (.gz, .bz2)."""

import re
from pathlib import Path

from pipelines.documents import Text, _hyphens, file_bytes

VERSION = 3
LIBRARY = None

DATA = r"data:[\w/+.-]*(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_%-]*"  # a picture that is written as text
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # of terminals
_LIGATURES = frozenset(map(chr, _hyphens.LIGATURES))
_PROSE = (".txt", ".text")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})(-|\xad)[ \t]*(\r?\n)[ \t]*([^\W\d_A-Z]{2,}[^\s]*)[ \t]?")


def read(path: Path) -> Text:
    """The file's text; in .txt files, words broken by scanning are joined. Raises `UserError` for binary data."""
    text, warnings = file_bytes.text(path)
    if "\n" not in text:
        text = text.replace("\r", "\n")  # of old Macs
    text = COLOURS.sub("", text)
    return Text(_joined(text) if path.suffix.lower() in _PROSE else text, lined=True, warnings=warnings)


def _joined(text: str) -> str:
    """A text without ligatures and soft hyphens, with words that are broken at the end of a line joined."""
    if "-" not in text and "\xad" not in text and not _LIGATURES.intersection(text):
        return text
    words = _hyphens.vocabulary([_BROKEN.sub(" ", text)])

    def whole(match: re.Match[str]) -> str:
        first, hyphen, end, second = match.groups()
        return (first + second if hyphen == "\xad" else _hyphens.unhyphenated(first, second, words)) + end

    return _BROKEN.sub(whole, text).replace("\xad", "").translate(_hyphens.LIGATURES)
