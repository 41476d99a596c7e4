"""Plain text, and any other text file (.log, .csv, a program); also compressed (.gz, .bz2)."""

from pathlib import Path

from pipelines.documents import Text, _files

VERSION = 1
LIBRARY = None


def read(path: Path) -> Text:
    """The file as it is, line ends included. Raises `UserError` for binary data."""
    data = _files.contents(path)
    _files.check(path, data)
    text, warnings = _files.decoded(path, data)
    return Text(text, lined=True, warnings=warnings)
