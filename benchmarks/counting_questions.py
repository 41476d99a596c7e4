"""Counting questions about whole scripts and books, made by rule, and a reader that answers them by the same rule.

A speaker is a line of one word in capitals, as scripts have it above what is said; a name is a word that begins with a
capital within a sentence. Answers are counted over the whole text, so they are exact.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader
from pipelines.records import Document, Example

SPEAKS, NAMES, DIFFERENT, SPEAKS_FIRST, NAMED_FIRST = (
    "How often does {} speak? Count the lines that are {} and nothing else.",
    "How many lines have the word {}?",
    "How many different speakers are there? Each is a line of one word in capitals.",
    "Who speaks first, {} or {}?",
    "Which word comes first, {} or {}?",
)
LISTED = "each on a line"  # in the words of a prompt that asks for items and no number

_CUE = re.compile(r"^[ \t]*([A-Z]{3,})[ \t\r]*$", re.MULTILINE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_FORMS = [
    (form, re.compile(re.escape(form).replace(r"\{\}", r"(\w+)")))
    for form in (SPEAKS, NAMES, DIFFERENT, SPEAKS_FIRST, NAMED_FIRST)
]


def speakers(text: str) -> list[str]:
    """The speakers of a script, in order, as often as they speak."""
    return _CUE.findall(text)


def lines_with(text: str, word: str) -> int:
    """How many lines have a word."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    return sum(pattern.search(line) is not None for line in text.splitlines())


def first_of(text: str, words: Sequence[str]) -> str:
    """The word that comes first in a text; "" where it has none."""
    match = re.search(rf"\b(?:{'|'.join(map(re.escape, words))})\b", text)
    return match[0] if match else ""


def script_questions(name: str, text: str) -> Iterator[tuple[str, Example]]:
    """Three questions about a script, each with its `total`: how map:count combines the replies for parts.

    None for a text with fewer than three speakers.
    """
    document, counts = Document(name, text), Counter(speakers(text))
    if len(counts) < 3:
        return
    (often, count), (second, _), (third, _) = counts.most_common(3)
    first = next(speaker for speaker in speakers(text) if speaker in (second, third))
    yield "sum", Example(f"{name}-often", document, SPEAKS.format(often, often), (str(count),))
    yield "distinct", Example(f"{name}-different", document, DIFFERENT, (str(len(counts)),))
    yield "first", Example(f"{name}-first", document, SPEAKS_FIRST.format(second, third), (first,))


def book_questions(name: str, text: str) -> Iterator[tuple[str, Example]]:
    """Two questions about a book."""
    document = Document(name, text)
    (often, _), (second, _), (third, _) = Counter(_NAME.findall(text)).most_common(3)
    yield "sum", Example(f"{name}-often", document, NAMES.format(often), (str(lines_with(text, often)),))
    answer = first_of(text, (second, third))
    yield "first", Example(f"{name}-first", document, NAMED_FIRST.format(second, third), (answer,))


def counting_questions(folder: Path, scripts: int, books: int, words: int | None = None) -> dict[str, list[Example]]:
    """The questions about the first scripts and books of the folder of real examples, by `total`.

    `words` is the length that the documents are cut to; None: they are whole.
    """
    questions: dict[str, list[Example]] = {"sum": [], "distinct": [], "first": []}
    script_files = sorted((folder / "character_archetype" / "scripts").glob("*.txt"))[:scripts]
    book_files = sorted((folder / "narrativeqa" / "stories").glob("[0-9]*.txt"))[:books]
    for path, make in [*((p, script_questions) for p in script_files), *((p, book_questions) for p in book_files)]:
        text = path.read_text(encoding="utf-8", errors="replace")
        for total, example in make(path.stem, text if words is None else _beginning(text, words)):
            questions[total].append(example)
    return questions


def _beginning(text: str, words: int) -> str:
    """The lines of a text up to the one with a word of this number."""
    match = re.match(rf"(?:\s*\S+){{1,{words}}}.*", text)
    return match[0] if match else ""


@dataclass(frozen=True)
class CountingReader(GeneratingWordReader):
    """Answers counting questions about what it is shown, without a mistake, and lists items where a prompt asks so."""

    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The answer for the passages in document order."""
        passages = sorted(prompt.passages, key=lambda part: part.start or 0)
        words = next((form, match.groups()) for form, pattern in _FORMS if (match := pattern.search(prompt.query)))
        return [answer_to(*words, "\n".join(part.text for part in passages), LISTED in prompt.text)]


def answer_to(form: str, words: Sequence[str], text: str, is_listed: bool) -> str:
    """The answer to a question of a form about a text."""
    if form in (SPEAKS_FIRST, NAMED_FIRST):
        cues = [speaker for speaker in speakers(text) if speaker in words] if form == SPEAKS_FIRST else []
        return (cues[0] if cues else "" if form == SPEAKS_FIRST else first_of(text, words)) or "none"
    if form == DIFFERENT:
        items = list(dict.fromkeys(speakers(text)))
        return ("\n".join(items) or "none") if is_listed else str(len(items))
    return str(speakers(text).count(words[0]) if form == SPEAKS else lines_with(text, words[0]))
