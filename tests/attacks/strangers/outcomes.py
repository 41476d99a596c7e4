"""What the commands say of a stranger's file, and what a line of the table is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Write = Callable[[Path], object]
GAP = " … "  # between the parts of an expected output


@dataclass(frozen=True, slots=True)
class Refused:
    """Exit code 2 and one line, with these words in it."""

    words: str


Outcome = str | Refused  # a text: parts of the output in this order, white space made one


@dataclass(frozen=True, slots=True)
class Stranger:
    """A file, who writes it, and what each command says; `task` is that of run, evidence and train."""

    name: str
    write: Write
    run: Outcome
    ask: Outcome
    evidence: Outcome
    train: Outcome
    task: str = "qa"


SCORED = "f1 94.44 … 6 examples over 4 documents in"
ASKED = "Most relevant: Åse Berg owned the mill until her death. … [1] {name}"
BELOW_QUESTION = "Most relevant: … Åse Berg … [1] {name}"  # rows read as text: what follows their question leads
FROM_ROWS = f"{ASKED}, document 1"
PLACED = "test: 6 examples over 4 documents … bm25 20 100.00 100.00 6.81 6.81"
NO_GOLD = "warning: qa: no example has gold evidence"
UNPLACED = f"test: 6 examples over 4 documents, 0 with evidence … 1 passage sentences bm25 … 100.00 … {NO_GOLD}"
TRAINED = "training_documents 4 training_questions 6"
WITHOUT_GOLD = Refused("has evidence; … and your own rows with a field `evidence`")
AS_WESTERN = f"{BELOW_QUESTION} … warning: {{name}} is not UTF-8 and was read as Western European"
NOTHING = "Nothing in the documents matches … warning: no word of the question is in the documents"


def with_places(name: str, write: Write) -> Stranger:
    """A file of the six questions with the places of their answers, which every command reads."""
    return Stranger(name, write, SCORED, FROM_ROWS, PLACED, TRAINED)


def with_answers(name: str, write: Write) -> Stranger:
    """A file of the six questions with their answers alone: a reader can be scored, a retriever not be trained."""
    return Stranger(name, write, SCORED, FROM_ROWS, UNPLACED, WITHOUT_GOLD)


def refused(name: str, write: Write, words: str, ask: Outcome | None = None) -> Stranger:
    """A file whose rows no command reads; `ask`: but which may be asked as the text that it is."""
    return Stranger(name, write, Refused(words), ask or Refused(words), Refused(words), Refused(words))
