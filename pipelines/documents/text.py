"""Plain text, and any other text file (.log, .csv, a program); also compressed (.gz, .bz2)."""

from pathlib import Path

from pipelines.documents import Text, file_bytes

VERSION = 1
LIBRARY = None


def read(path: Path) -> Text:
    """The file as it is, line ends included. Raises `UserError` for binary data."""
    text, warnings = file_bytes.text(path)
    return Text(text, lined=True, warnings=warnings)
