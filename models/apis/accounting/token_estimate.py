"""Estimates of a text's tokens without the model's tokenizer, and a lower bound on them.

An estimate adds up the tokens of each character, which depend on its script.

Measured with the vocabularies of GPT-4 (cl100k), GPT-4o (o200k), Qwen, Mistral (Tekken) and DeepSeek on the messages of
Django 5.2's translations into these languages: tokens a character of the script, spaces and ASCII at a quarter. The
table has the most that any of the five takes in a language of the script, rounded up, so that prompts rather stay below
a window: cl100k takes that in most scripts, o200k half. Two are between their languages: Cyrillic (0.43 Russian, 0.62
Ukrainian, 0.91 Kazakh) and Han (0.92 simplified, 1.40 traditional). What was not measured takes a token for each byte
of UTF-8, the most that such vocabularies can.

Where a server counts a prompt's tokens, a lower bound shows when it read only a part of the prompt.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from models.requests import SentPrompt

PREFIX = 4_096  # characters: longer prompts that begin alike may share what a server keeps of them
UNSPACED_A_TOKEN = 4  # characters of scripts without spaces that a token holds at most, in the mean of a text
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")

# tokens of a hundred characters, for the code points from each start to the next
TOKENS = (
    (0x0000, 25),  # ASCII: the length of English words and spaces
    (0x0080, 200),  # Latin with marks: 0.99 in French, 1.87 in German, 2.11 in Czech
    (0x0370, 110),  # Greek
    (0x0400, 65),  # Cyrillic
    (0x0460, 200),  # Cyrillic beyond Slavic languages
    (0x0530, 200),  # Armenian
    (0x0590, 120),  # Hebrew
    (0x0600, 115),  # Arabic
    (0x0700, 200),
    (0x0800, 300),
    (0x0900, 125),  # Devanagari
    (0x0980, 145),  # Bengali
    (0x0A00, 205),  # Gurmukhi
    (0x0A80, 300),
    (0x0B80, 160),  # Tamil
    (0x0C00, 205),  # Telugu, Kannada, Malayalam
    (0x0D80, 300),
    (0x0E00, 100),  # Thai
    (0x0E80, 300),
    (0x1000, 210),  # Burmese
    (0x10A0, 215),  # Georgian
    (0x1100, 300),
    (0x1E00, 125),  # Vietnamese
    (0x1F00, 300),
    (0x2000, 100),  # quotation marks, dashes
    (0x2070, 200),  # signs
    (0x2E80, 115),  # Han, Kana and their punctuation
    (0xA000, 300),
    (0xAC00, 105),  # Korean
    (0xD7B0, 300),
    (0xFF00, 115),  # wide forms
    (0x10000, 400),
    (0x1F000, 300),  # emoji
    (0x20000, 400),
)


def estimates(texts: Sequence[str]) -> list[int]:
    """The estimated tokens of each text, rounded up."""
    return [-(-_hundredths(text) // 100) for text in texts]


def _hundredths(text: str) -> int:
    if text.isascii():
        return TOKENS[0][1] * len(text)
    table = _table()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return int(table[np.minimum(codes, len(table) - 1)].sum(dtype=np.int64))


@cache
def _table() -> npt.NDArray[np.uint16]:
    """Hundredths of a token for each code point up to the last start."""
    starts, values = zip(*TOKENS, strict=True)
    return np.repeat(np.array(values, np.uint16), np.diff([*starts, starts[-1] + 1]))


def sent_prompt(text: str, tokens: int) -> SentPrompt:
    """The record of a prompt that was sent; `tokens` as counted here."""
    prefix = hashlib.sha256(text[:PREFIX].encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return SentPrompt(tokens, fewest_tokens(text), prefix)


def fewest_tokens(text: str) -> int:
    """A lower bound on the tokens of a text in any vocabulary: half of its words.

    Tokenizers of today's models end tokens at spaces, so a word takes one at least; white space and signs may join
    others, so they count nothing. In scripts without spaces between words a token holds one to three characters.
    """
    words = sum(1 for word in text.split() if any(map(str.isalnum, word)))
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    return (words + unspaced // UNSPACED_A_TOKEN) // 2
