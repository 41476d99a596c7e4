"""Finds WordNet's files and their version in nltk's or Debian's folders without importing nltk.

Importing it takes a second and 150 MB.

The folders are those that nltk.data documents: NLTK_DATA, the user's, those of the Python that runs, the system's. A
program that has imported nltk may have changed `nltk.data.path`, which then holds. Without these it is the folder of
Debian's package wordnet-base.
"""

import os
import re
import sys
import zipfile
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

DEBIAN = Path("/usr/share/wordnet")
_PYTHON_FOLDERS = ("nltk_data", "share/nltk_data", "lib/nltk_data")
_UNIX = ("/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data", "/usr/local/lib/nltk_data")
_WINDOWS = ("C:\\nltk_data", "D:\\nltk_data", "E:\\nltk_data")
_PARTS = ("adj", "adv", "noun", "verb")
_LEXNAMES = "lexnames"  # a file of nltk's with the names of 45 groups of words, which Debian's folder lacks
_REQUIRED_FILES = (_LEXNAMES, "data.adj", *(f"index.{part}" for part in _PARTS), *(f"{part}.exc" for part in _PARTS))
_VERSION = re.compile(rb"Word[nN]et (\d+\+?|\d+\.\d+) Copyright")  # nltk's
_LICENSE_LINES = 50  # no more than these, at the start of each file, tell the version


def is_present() -> bool:
    """Whether nltk's data folders have WordNet, as a folder or an archive; it is not opened."""
    names = ("corpora/wordnet", "corpora/wordnet.zip")
    return any((folder / name).exists() for folder in _data_folders() for name in names)


def is_debian() -> bool:
    """Whether the files of Debian's package are installed."""
    return all((DEBIAN / name).is_file() for name in _REQUIRED_FILES if name != _LEXNAMES)


def debian_reader() -> Any:
    """An nltk reader for Debian's files, which lack the names of word groups; METEOR does not need them.

    It opens files with Python's reader, which loads the index four times as fast as nltk's own.
    """
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def open(self, file: str) -> Any:
            if file == _LEXNAMES:
                return StringIO("".join(f"{n} - 0\n" for n in range(45)))
            return (DEBIAN / file).open(encoding="ascii", newline="\n")

        def map_wn(self, version: str = "wordnet") -> None:
            """Do nothing: only other languages need a mapping to other versions."""

    nltk.data.path.append(str(DEBIAN))  # nltk opens nothing elsewhere
    return Reader(str(DEBIAN), omw_reader=False)


def version() -> str | None:
    """The version in the license of the WordNet that nltk reads; None where it is unknown.

    It is unknown where a required file is missing, or where the license has no version.
    """
    try:
        files = _files()
        if files is None and is_debian():
            files = DEBIAN
        elif files is None or not all((files / name).is_file() for name in _REQUIRED_FILES):
            return None
        with (files / "data.adj").open("rb") as lines:
            matches = map(_VERSION.search, islice(lines, _LICENSE_LINES))
            return next((match[1].decode() for match in matches if match), None)
    except (OSError, zipfile.BadZipFile):
        return None


def _files() -> Path | zipfile.Path | None:
    """The first folder of WordNet, else the first archive, in nltk's order; None if there is neither."""
    folders = [*_data_folders()]
    for folder in folders:
        if (files := folder / "corpora/wordnet").exists():
            return files
    archives = (folder / "corpora/wordnet.zip" for folder in folders)
    return next((zipfile.Path(archive, "wordnet/") for archive in archives if archive.exists()), None)


def _data_folders() -> Iterator[Path]:
    nltk_data = sys.modules.get("nltk.data")
    if nltk_data is not None:
        yield from map(Path, nltk_data.path)
        return
    names = [*filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))]
    if "APPENGINE_RUNTIME" not in os.environ:
        names.append("~/nltk_data")
    yield from (Path(os.path.expanduser(name)) for name in names)  # noqa: PTH111 - of pathlib it fails without a home
    yield from (Path(sys.prefix, name) for name in _PYTHON_FOLDERS)
    if os.name == "nt":
        yield Path(os.environ.get("APPDATA", "C:\\"), "nltk_data")
    yield from map(Path, _WINDOWS if os.name == "nt" else _UNIX)
