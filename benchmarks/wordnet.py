"""WordNet for METEOR: nltk's own files, or a folder made from Debian's (package wordnet-base)."""

import atexit
import shutil
import tempfile
from pathlib import Path

DEBIAN = Path("/usr/share/wordnet")
PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
# The lexicographer files of WordNet 3.0 in the order of their numbers (its manual page lexnames(5WN)).
LEXNAMES = """
adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition
noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person
noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state
noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption
verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative
verb.weather adj.ppl
"""


def wordnet() -> bool:
    """Make nltk find WordNet in this process. False if there is none; METEOR is not computed then."""
    import nltk.data
    from nltk.corpus import wordnet as files

    try:
        files.ensure_loaded()
    except LookupError:
        if not (DEBIAN / "data.noun").is_file():
            return False
        data = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, data)
        build(data / "corpora" / "wordnet")
        nltk.data.path.insert(0, str(data))
        files.ensure_loaded()
    return True


def build(folder: Path) -> None:
    """Debian's dictionary with the two files that nltk's reader needs and Debian lacks.

    `index.sense` stays empty: nltk uses it to map other WordNet versions, and METEOR looks up no senses.
    """
    folder.mkdir(parents=True)
    for pattern in ("data.*", "index.*", "*.exc", "cntlist.rev"):
        for path in DEBIAN.glob(pattern):
            shutil.copy(path, folder / path.name)
    lines = (f"{number:02d}\t{name}\t{PARTS[name.partition('.')[0]]}\n" for number, name in enumerate(LEXNAMES.split()))
    (folder / "lexnames").write_text("".join(lines), encoding="ascii")
    (folder / "index.sense").touch()
