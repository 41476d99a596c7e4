"""Cut a prompt to a limit: the lowest-ranked passage first, a passage at its tail. Only document parts are cut.

A notice that something was cut takes its tokens from the document too. A passage is cut after a word or, where the
prompt says so (`Prompt.cut_at`), after a token: the text is cut where the token ends in it, nothing is decoded.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from models.prompts import Part, Prompt

Count = Callable[[Sequence[str]], list[int]]
Ends = Callable[[str], list[int]]

LONG_WORD = 50  # characters; what is longer is broken
_WORD = re.compile(rf"\S{{1,{LONG_WORD}}}")
CHARACTERS_PER_TOKEN = 6
LAST_WORD = 64  # tokens by which cutting a text inside a word may change its count
EDGE = 200  # characters at the edge of a text's start whose tokens may be other ones in the whole text


def word_ends(text: str) -> list[int]:
    """Where the words of a text end, in scripts without spaces its letters; words of over fifty are broken."""
    from chunkers._words import has_letters_alone, word_spans  # here, since it loads numpy

    if not has_letters_alone(text):
        return [match.end() for match in _WORD.finditer(text)]
    spans = word_spans(text).tolist()
    return [at for start, end in spans for at in (*range(start + LONG_WORD, end, LONG_WORD), end)]


ALONE = "question and instructions alone take"  # how the message of `TooLong` begins


class TooLong(Exception):
    """The parts that may not be cut are longer than the limit on their own. `fixed` and `limit` are in tokens."""

    def __init__(self, fixed: int, limit: int) -> None:
        super().__init__(f"{ALONE} {fixed} tokens, the limit is {limit}")
        self.fixed, self.limit = fixed, limit


def truncate(prompt: Prompt, limit: int | None, count: Count, ends: Ends | None = None) -> Prompt:
    """The prompt cut to at most `limit` tokens by `count`; the same object if it fits. Raises `TooLong`.

    Passages are kept best first while they fit; the first that does not is trimmed at its tail, the rest are dropped.
    It is trimmed after a word, or after one of the tokens that `ends` tells of where the prompt is cut at tokens.
    `Prompt.truncated_tokens` grows by the tokens of the passages' text that went. A book is counted whole only for that
    figure: `count` should remember long texts.
    """
    if limit is None or _tokens(prompt.text, limit, count) <= limit:
        return prompt
    passages = prompt.passages
    ranked = sorted(range(len(passages)), key=lambda i: (passages[i].rank, i))

    def keep(whole: int, tail: str = "") -> Prompt:
        chosen = [""] * len(passages)
        for i in ranked[:whole]:
            chosen[i] = passages[i].text
        if whole < len(ranked):
            chosen[ranked[whole]] = tail
        return prompt.with_passages(
            tuple(map(_shortened, passages, chosen)), truncated_tokens=1
        )  # so that notices count

    def tokens(whole: int, tail: str = "") -> int:
        return _tokens(keep(whole, tail).text, limit, count)

    fixed = count([keep(0).text])[0]
    if fixed > limit:
        raise TooLong(fixed, limit)
    whole = _largest(len(passages) - 1, limit, tokens)
    text = passages[ranked[whole]].text
    between = ends if ends is not None and prompt.cut_at == "token" else word_ends
    tail = _tail(text, limit, lambda start: tokens(whole, start), between)
    gone = sum(count([passages[i].text for i in ranked[whole:]])) - count([tail])[0]
    return replace(
        keep(whole, tail), truncated_tokens=prompt.truncated_tokens + max(gone, 1)
    )  # a tokenizer may count the pieces as the whole


def _tokens(text: str, limit: int, count: Count) -> int:
    """Tokens of the text, or some number over the limit: a whole book is not counted to learn that it is too long."""
    window = CHARACTERS_PER_TOKEN * limit + 1000
    while window < len(text):
        if (tokens := count([text[:window]])[0]) > limit + LAST_WORD:
            return tokens
        window *= 4
    return count([text])[0]


def _tail(text: str, limit: int, tokens: Callable[[str], int], between: Ends) -> str:
    """The longest start of the text, up to one of the ends that `between` finds, with which the prompt fits."""
    window = CHARACTERS_PER_TOKEN * limit + 1000
    while True:
        edge = window - EDGE if window < len(text) else len(text)
        ends = [0, *(end for end in between(text[:window]) if end <= edge)]
        best = _largest(len(ends) - 1, limit, lambda n, ends=ends: tokens(text[: ends[n]]))  # type: ignore[misc]
        if best < len(ends) - 1 or window >= len(text):
            return text[: ends[best]]
        window *= 4


def _shortened(part: Part, text: str) -> Part:
    end = part.end if part.start is None else part.start + len(text)
    return replace(part, text=text, end=end)


def _largest(top: int, limit: int, tokens: Callable[[int], int]) -> int:
    """The largest n in 0..top with tokens(n) <= limit, true of 0; `tokens` rises, roughly along a straight line.

    Guesses along that line, which takes a few calls where halving takes a dozen; every third guess halves.
    """
    at_high = tokens(top)
    if at_high <= limit:
        return top
    low, high, at_low, step = 0, top, tokens(0), 0
    while high - low > 1:
        step += 1
        guess = low + (limit - at_low) * (high - low) // max(at_high - at_low, 1)
        guess = (low + high) // 2 if step % 3 == 0 else min(max(guess, low + 1), high - 1)
        at_guess = tokens(guess)
        if at_guess <= limit:
            low, at_low = guess, at_guess
        else:
            high, at_high = guess, at_guess
    return low
