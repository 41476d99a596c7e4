"""Finds the end of the question in inputs that join question and document without a separator."""

import re
from dataclasses import dataclass

from pipelines.records import Example

REACH = 1_000
TAIL = 4_096

BOM = re.compile("\ufeff|\xef\xbb\xbf")
_TAG = re.compile("<html|<!doctype", re.IGNORECASE)
_QUESTION_END = re.compile(r"[^\n?]*\?[?!]*[\"'”’»)\]]*(?=\s)")
_SENTENCE_END = re.compile(r"[.!?][\"'”’»)\]]*\s*\Z")
_WORD = re.compile(r"\S+")


@dataclass(slots=True)
class PendingRow:
    """A row whose document is not known yet: its `example` without document and query.

    `head` is the input without its last `shared` characters, which equal those of the group's first row.
    """

    location: str
    example: Example
    head: str = ""
    shared: int = 0


@dataclass(slots=True)
class Group:
    """Neighbouring rows with one document: the first input whole, of the others only the head.

    `document_length` is known where the document occurred before.
    """

    text: str
    rows: list[PendingRow]
    document_length: int | None = None

    def add(self, row: PendingRow, text: str) -> bool:
        """Add a row if its input `text` ends with the same document; return whether it was added."""
        shared = _common_suffix(self.text, text)
        if shared < max(TAIL, self.document_length or 0):
            return False
        row.head, row.shared = text[: len(text) - shared], shared
        self.rows.append(row)
        return True

    def before(self, row: PendingRow, length: int) -> str:
        """The row's input without its last `length` characters."""
        return row.head + self.text[len(self.text) - row.shared : len(self.text) - length]

    def ending(self) -> tuple[int | None, bool]:
        """The number of characters behind the question, and whether more than the overlap of the inputs shows it."""
        shared_lengths = [row.shared for row in self.rows if row.shared < len(self.text)]
        if not shared_lengths:
            end = boundary(self.text)
            return (None if end is None else len(self.text) - end), True
        shared = min(shared_lengths)
        suffix = self.text[len(self.text) - shared :][:REACH]
        if mark := BOM.search(suffix):
            return shared - mark.start(), True
        fronts = [self.before(row, shared) for row in self.rows]
        is_whole = self._is_whole(fronts, suffix)
        if tag := _TAG.search(suffix):
            between = suffix[: tag.start()]
            if not between.strip() if is_whole else all(_question(front + between) for front in fronts):
                return shared - tag.start(), True
        if is_whole:
            return shared, True
        if rest := _QUESTION_END.match(suffix):
            return shared - rest.end(), True
        rest_of_word = _WORD.match(suffix)
        return shared - (rest_of_word.end() if rest_of_word else 0), False

    @staticmethod
    def _is_whole(fronts: list[str], suffix: str) -> bool:
        """Whether the fronts are whole questions, so that the suffix does not start with the end of one."""
        if not suffix[:1].isspace() and not all(front[-1:].isspace() for front in fronts):
            return False
        ends = [end[0].strip() if (end := _SENTENCE_END.search(front)) else "" for front in fronts]
        return all(ends) or any(end.startswith("?") for end in ends)


def boundary(text: str) -> int | None:
    """The end of the question before a document, by a document mark or a question mark; None if unknown."""
    head = text[: REACH + 1]
    if mark := BOM.search(head):
        return mark.start()
    if (tag := _TAG.search(head)) and _question(head[: tag.start()]):
        return tag.start()
    leading = len(head) - len(head.lstrip())
    end = _QUESTION_END.match(head, leading)
    return end.end() if end else None


def _question(front: str) -> bool:
    """Whether a text can be a question and nothing else: one line that ends in a question mark or has none."""
    front = front.strip()
    ends = [match.end() for match in _QUESTION_END.finditer(f"{front} ")]
    return "\n" not in front and (not ends or ends[-1] == len(front))


def _common_suffix(text: str, other: str) -> int:
    """Length of the longest common suffix if it leaves at most `REACH` characters of the longer text, else 0."""
    minimum, maximum = max(len(text), len(other), REACH) - REACH, min(len(text), len(other))
    if minimum > maximum or not other.endswith(text[len(text) - minimum :]):
        return 0
    length = minimum
    while length < maximum and text[-length - 1] == other[-length - 1]:
        length += 1
    return length
