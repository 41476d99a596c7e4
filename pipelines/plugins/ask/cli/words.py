"""Which of the words after `longdoc ask` are files, and which is the question."""

import re
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from longdoc.errors import UserError
from longdoc.files import expanded
from pipelines import documents

STDIN = "-"
NEAR = 0.75  # similarity from which a single word is taken for a mistyped name of a file
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")


def files_and_question(words: Sequence[str]) -> tuple[list[str], str | None]:
    """The files, and the question, which is the last word unless that is a path; None where there is none.

    The question "-" stands for standard input. Raises `UserError` where a file's name seems to be mistyped.
    """
    *files, last = words
    if not all(word.strip() for word in words):
        raise UserError(
            "the question is empty: type it last, longdoc ask FILES QUESTION"
            if not last.strip()
            else "the name of a file is empty: leave it out"
        )
    if last != STDIN and _exists(last):
        misplaced = next((file for file in files if " " in file and not _exists(file)), None)
        if misplaced is not None:
            others = " ".join(word for word in words if word != misplaced)
            raise UserError(f"the question comes last: longdoc ask {others} {misplaced!r}")
        files, question = [*files, last], None
    else:
        question = last
    _check_quoted(words)
    for file in files:
        documents.existing(expanded(file))
    if question is None or question == STDIN:
        pass
    elif (near := _intended_path(question)) is not None:
        suggestion = f"; did you mean {near}?" if near else ""
        advice = "if it is the question, end it with a question mark, or type it after: longdoc ask FILES -"
        raise UserError(f"there is no file or folder {question}{suggestion} ({advice})")
    if not files:
        example = question if question not in (None, STDIN) else "QUESTION"
        raise UserError(f"there is no document to ask: longdoc ask FILE-OR-FOLDER {example!r}")
    return files, question


def _check_quoted(words: Sequence[str]) -> None:
    """Refuse a question whose words are not in quotes. Raises `UserError` with the line to type."""
    begin = next((place for place, word in enumerate(words) if not _exists(word)), len(words))
    question = words[begin:]
    if begin and len(question) > 2 and not any(" " in text or "/" in text or _ENDING.search(text) for text in question):
        quoted = f"{shlex.join(words[:begin])} {shlex.quote(' '.join(question))}"
        raise UserError(f"put the question in quotes: longdoc ask {quoted}")


def question_from_stdin() -> str:
    """All of standard input. Raises `UserError` where it is blank."""
    text = sys.stdin.read().strip()
    if not text:
        raise UserError('standard input holds no question: echo "Who …?" | longdoc ask FILES -')
    return text


def _exists(word: str) -> bool:
    try:
        return Path(word).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long for a name, or the home of nobody
        return False


def _intended_path(word: str) -> str | None:
    """The path that a last word was meant to be: "" for a path like no other, None for a question."""
    if word.rstrip().endswith(("?", "？", "؟")) or len(word) > 255:
        return None
    try:
        path = Path(word.rstrip("/")).expanduser()
        near = _near(path)
    except (ValueError, RuntimeError):  # a name that no file has, or the home of nobody
        return None
    one_word = len(word.split()) == 1
    looks = one_word and ("/" in word or _ENDING.search(word) is not None)
    is_named = path.suffix.lower() in documents.READERS and near is not None
    return near or "" if looks or is_named or (one_word and near is not None) else None


def _near(path: Path) -> str | None:
    """The file or folder beside a path whose name is most like its own, if it is alike enough."""
    if not path.parent.is_dir():
        return None
    names = [other.name for other in path.parent.iterdir() if not other.name.startswith(".")]
    near = get_close_matches(path.name, names, n=1, cutoff=NEAR)
    return str(path.parent / near[0]) if near else None
