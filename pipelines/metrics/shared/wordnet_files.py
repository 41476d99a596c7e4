"""Whether WordNet's files are in one of nltk's data folders, without importing nltk: that takes a second and 150 MB.

The folders are those that nltk.data documents: NLTK_DATA, the user's, those of the Python that runs, the system's. A
program that has imported nltk may have changed `nltk.data.path`, which then holds.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

_BELOW_PYTHON = ("nltk_data", "share/nltk_data", "lib/nltk_data")
_UNIX = ("/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data", "/usr/local/lib/nltk_data")
_WINDOWS = ("C:\\nltk_data", "D:\\nltk_data", "E:\\nltk_data")


def is_present() -> bool:
    """Whether there is a folder or an archive of WordNet; whether nltk can read it is not looked at."""
    names = ("corpora/wordnet", "corpora/wordnet.zip")
    return any((folder / name).exists() for folder in _data_folders() for name in names)


def _data_folders() -> Iterator[Path]:
    imported = sys.modules.get("nltk.data")
    if imported is not None:
        yield from map(Path, imported.path)
        return
    names = [*filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))]
    if "APPENGINE_RUNTIME" not in os.environ:
        names.append("~/nltk_data")
    yield from (Path(os.path.expanduser(name)) for name in names)  # noqa: PTH111 - of pathlib it fails without a home
    yield from (Path(sys.prefix, name) for name in _BELOW_PYTHON)
    if os.name == "nt":
        yield Path(os.environ.get("APPDATA", "C:\\"), "nltk_data")
    yield from map(Path, _WINDOWS if os.name == "nt" else _UNIX)
