"""What was sent to a server that counts the prompt's tokens itself, so that a run sees when it read only a part."""

import hashlib
import re

from models.requests import SentPrompt

PREFIX = 4_096  # characters: longer prompts that begin alike may share what a server keeps of them
UNSPACED_A_TOKEN = 4  # characters of scripts without spaces that a token holds at most, in the mean of a text
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")


def sent_prompt(text: str, tokens: int) -> SentPrompt:
    """A prompt of so many tokens, as counted here."""
    prefix = hashlib.sha256(text[:PREFIX].encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return SentPrompt(tokens, fewest_tokens(text), prefix)


def fewest_tokens(text: str) -> int:
    """How few tokens an honest count of a text may have, at the least: a half is left for vocabularies of phrases.

    Tokenizers of today's models end tokens at spaces, so a word takes one at least; white space and signs may join
    others, so they count nothing. In scripts without spaces between words a token holds one to three characters.
    """
    words = sum(1 for word in text.split() if any(map(str.isalnum, word)))
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    return (words + unspaced // UNSPACED_A_TOKEN) // 2
