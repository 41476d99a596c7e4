"""WordNet for METEOR: nltk's own files, or a folder made from Debian's (package wordnet-base)."""

import atexit
import shutil
import tempfile
from pathlib import Path

DEBIAN = Path("/usr/share/wordnet")


def wordnet() -> bool:
    """Make nltk find WordNet in this process. False if there is none; METEOR is not computed then."""
    import nltk.data
    from nltk.corpus import wordnet as corpus

    try:
        corpus.ensure_loaded()
    except LookupError:
        if not (DEBIAN / "data.noun").is_file():
            return False
        data = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, data)
        build(data / "corpora" / "wordnet")
        nltk.data.path.insert(0, str(data))
        corpus.ensure_loaded()
    return True


def build(folder: Path) -> None:
    """Debian's dictionary with the two files that nltk's reader needs and Debian lacks.

    `index.sense` stays empty: nltk uses it to map other WordNet versions, and METEOR looks up no senses. Nor does it
    ask for the names of the 45 groups of words (`lexnames`).
    """
    folder.mkdir(parents=True)
    for pattern in ("data.*", "index.*", "*.exc", "cntlist.rev"):
        for path in DEBIAN.glob(pattern):
            shutil.copy(path, folder / path.name)
    (folder / "lexnames").write_text("".join(f"{number} - 0\n" for number in range(45)), encoding="ascii")
    (folder / "index.sense").touch()
