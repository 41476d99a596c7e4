"""What the commands say of a stranger's file, and what a line of the table is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

GAP = " … "  # between the parts of an expected output


@dataclass(frozen=True, slots=True)
class Refused:
    """Exit code 2 and one line, with these words in it; `field` is what it names."""

    words: str


@dataclass(frozen=True, slots=True)
class Warned:
    """An output, and one line of warning besides."""

    words: str
    warning: str


Outcome = str | Refused | Warned


@dataclass(frozen=True, slots=True)
class Stranger:
    """A file, who writes it, and what each command says: parts of its output in this order, spaces made one."""

    name: str
    write: Callable[[Path], object]
    run: Outcome
    ask: Outcome
    evidence: Outcome
    train: Outcome
    task: str = "qa"


MOST = "Most relevant: Åse Berg owned the mill until her death. — [1] {name}"
PLACED = "test: 6 examples over 4 documents … bm25 20 100.00 100.00 6.81 6.81"
SCORED = "6 examples over 4 documents in … f1 94.44"
TRAINED = "training_documents 4 training_questions 6"
WITHOUT_GOLD = Refused("has evidence; … and your own rows with a field `evidence`")


def six(name: str, write: Callable[[Path], object], place: str = "row 1") -> Stranger:
    """A file of the six questions with the places of their answers, which every command reads."""
    return Stranger(name, write, SCORED, f"{MOST}, {place}", PLACED, TRAINED)


def answered(name: str, write: Callable[[Path], object], place: str = "row 1") -> Stranger:
    """A file of the six questions with their answers alone: a reader can be scored, a retriever not be trained."""
    without_places = "test: 6 examples over 4 documents, 0 with evidence … bm25 20 100.00"
    return Stranger(name, write, SCORED, f"{MOST}, {place}", without_places, WITHOUT_GOLD)


def refused(name: str, write: Callable[[Path], object], words: str, ask: Outcome = MOST) -> Stranger:
    """A file whose rows no command reads; it may be asked as the text that it is."""
    return Stranger(name, write, Refused(words), ask, Refused(words), Refused(words))
