"""Books of 90,000 words made of the real examples' long texts, with their own characters.

The texts are shuffled and put one behind the other, so that a book has several: novels, film scripts, stories, papers,
theses, reports and web pages. Most have characters beyond ASCII: curly quotation marks, dashes, accents, a Chinese
name, marks that combine, formulas.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from pipelines.documents.file_bytes import text as text_of

WORDS, QUESTIONS, QUESTION_WORDS = 90_000, 30, 9
_FEWEST = 500  # words of a text that takes part
_FILES = (
    "narrativeqa/stories/*",
    "vlsp/*.main.txt",
    "aa_lcr/**/*.txt",
    "financebench/texts/*.txt",
    "lara_books/**/*.txt",
    "nocha/**/*.txt",
    "character_archetype/**/*.txt",
    "chunking_evaluation/**/*.md",
)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Book:
    """A text, and questions made of some of its words, frequent and rare."""

    text: str
    questions: list[str]

    @classmethod
    def of(cls, text: str, seed: int) -> "Book":
        """With questions that `seed` draws."""
        words = text.split()
        places = np.random.default_rng(seed).integers(0, len(words), (QUESTIONS, QUESTION_WORDS))
        return cls(text, [" ".join(words[place].strip(".,") for place in row) + "?" for row in places])

    def in_ascii(self) -> "Book":
        """The book with a question mark for each other character."""
        return Book(_in_ascii(self.text), list(map(_in_ascii, self.questions)))


def real_books(folder: Path, number: int) -> list[Book]:
    """So many books of the texts in `folder`, the real examples."""
    paths = sorted(path for pattern in _FILES for path in folder.glob(pattern) if path.is_file())
    texts = list(dict.fromkeys(text for path in paths if len(_WORD.findall(text := text_of(path)[0])) > _FEWEST))
    random.Random(0).shuffle(texts)
    return [Book.of(text, seed) for seed, text in enumerate(islice(_book_texts(cycle(texts)), number))]


def _book_texts(texts: Iterator[str]) -> Iterator[str]:
    """Texts one behind the other until they have the words of a book, which is cut there."""
    while True:
        parts, words = list[str](), 0
        while words < WORDS:
            parts.append(next(texts))
            words += len(_WORD.findall(parts[-1]))
        text = "\n\n".join(parts)
        yield text[: next(islice(_WORD.finditer(text), WORDS - 1, None)).end()]


def _in_ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()
