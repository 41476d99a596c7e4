"""Cut a prompt to a limit: the lowest-ranked passage first, a passage at its tail. Only document parts are cut.

A notice that something was cut takes its tokens from the document too. A passage is cut after a word or, where the
prompt says so (`Prompt.cut_at`), after a token: the text is cut where the token ends in it, nothing is decoded.
A prompt of one document whose `cut_side` is "middle" keeps the first and the last half of its tokens instead, as in the
code of ∞Bench, LongBench and LaRA (`without_middle`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from models.prompts import Part, Prompt

Count = Callable[[Sequence[str]], list[int]]
Ends = Callable[[str], list[int]]

LONG_WORD = 50  # characters; what is longer is broken
_WORD = re.compile(rf"\S{{1,{LONG_WORD}}}")
CHARACTERS_PER_TOKEN = 6
LAST_WORD = 64  # cutting a text inside a word may change its count by so many tokens
EDGE = 200  # characters at the edge of a text's start whose tokens may be other ones in the whole text


def word_ends(text: str) -> list[int]:
    """The end offsets of a text's words (letters in scripts without spaces); words of over 50 letters are broken."""
    from chunkers.shared.words import has_letters_alone, word_spans  # here, since it loads numpy

    if not has_letters_alone(text):
        return [match.end() for match in _WORD.finditer(text)]
    spans = word_spans(text).tolist()
    return [location for start, end in spans for location in (*range(start + LONG_WORD, end, LONG_WORD), end)]


ALONE_TEXT = "question and instructions alone take"  # how the message of `TooLong` begins
MORE_ROOM_TEXT = (
    "raise max_input_tokens or the model's window (of a GGUF file LLAMA_ARG_CTX_SIZE), or give less of it to the "
    "output (max_new_tokens)"
)


class TooLong(Exception):
    """The parts that may not be cut are longer than the limit on their own. `fixed` and `limit` are in tokens."""

    def __init__(self, fixed: int, limit: int) -> None:
        super().__init__(f"{ALONE_TEXT} {fixed} tokens, the limit is {limit}")
        self.fixed, self.limit = fixed, limit


class Edges(Protocol):
    """Finds the first and the last tokens of a text: a tokenizer (`models.tokenizer.Subwords`)."""

    @property
    def special_around(self) -> tuple[int, int]:
        """(before, after): number of special tokens around the tokens of a text."""
        ...

    def end_of_first(self, text: str, n: int) -> int:
        """Where the first n tokens of a text end; its end where there are no more."""
        ...

    def start_of_last(self, text: str, n: int) -> int:
        """Where the last n tokens of a text begin; 0 where there are no more."""
        ...


def truncate(
    prompt: Prompt,
    limit: int | None,
    count: Count,
    ends: Ends | None = None,
    edges: Edges | None = None,
    joint: bool = False,
) -> Prompt:
    """The prompt cut to at most `limit` tokens by `count`; the same object if it fits. Raises `TooLong`.

    Passages are kept best first while they fit; the first that does not is trimmed at its tail, the rest are dropped.
    It is trimmed after a word, or after one of the tokens that `ends` tells of where the prompt is cut at tokens.
    `Prompt.truncated_tokens` grows by the tokens of the passages' text that went. A book is counted whole only for that
    figure: `count` should remember long texts. `edges` and `joint` are for prompts that are cut in the middle
    (`without_middle`).
    """
    if limit is None or _tokens(prompt.text, limit, count) <= limit:
        return prompt
    passages = prompt.passages
    if prompt.cut_side == "middle" and len({part.rank for part in passages}) == 1:
        return without_middle(prompt, limit, count, edges, joint)
    ranked = sorted(range(len(passages)), key=lambda i: (passages[i].rank, i))

    def keep(whole_passages: int, tail: str = "") -> Prompt:
        texts = [""] * len(passages)
        for i in ranked[:whole_passages]:
            texts[i] = passages[i].text
        if whole_passages < len(ranked):
            texts[ranked[whole_passages]] = tail
        return prompt.with_passages(
            tuple(map(_shortened, passages, texts)), truncated_tokens=1
        )  # so that notices count

    def tokens(whole_passages: int, tail: str = "") -> int:
        return _tokens(keep(whole_passages, tail).text, limit, count)

    fixed = count([keep(0).text])[0]
    if fixed > limit:
        raise TooLong(fixed, limit)
    whole_passages = _largest(len(passages) - 1, limit, tokens)
    text = passages[ranked[whole_passages]].text
    between = ends if ends is not None and prompt.cut_at == "token" else word_ends
    tail = _tail(text, limit, lambda start: tokens(whole_passages, start), between)
    lost_tokens = sum(count([passages[i].text for i in ranked[whole_passages:]])) - count([tail])[0]
    return replace(
        keep(whole_passages, tail), truncated_tokens=prompt.truncated_tokens + max(lost_tokens, 1)
    )  # a tokenizer may count the pieces as the whole


def without_middle(prompt: Prompt, limit: int, count: Count, edges: Edges | None = None, joint: bool = False) -> Prompt:
    """A prompt over `limit` without the tokens in its middle. Raises `TooLong`.

    The tokens are those of the whole prompt. With the special ones that the tokenizer adds (they are not in `limit`)
    N = limit + special; the first N // 2 and the last N - N // 2 stay, as in the code of ∞Bench, LaRA and LongBench v2.
    Where these halves reach into the document from both sides, the text is the same as theirs: they decode the halves.
    What tokenizers cannot decode again (white space, letters that were lowered, half a character) stays as it is in the
    document, or is left out whole.

    Text around the document is never cut: where it is longer than a half, the other side of the document has less.
    The document has two parts then, joined by nothing. Their joint may be more tokens than the tokens beside it: the
    prompt is cut further until it is within `limit`, unless `joint` says that the benchmark's rule matters more.

    Without `edges` it is cut at words: the longest start and end that `count` finds within a half.
    """
    with_notice = replace(prompt, truncated_tokens=prompt.truncated_tokens + 1)  # so that notices count
    empty = tuple(_shortened(part, "") for part in prompt.passages)
    fixed = count([with_notice.with_passages(empty).text])[0]
    if fixed > limit:
        raise TooLong(fixed, limit)
    finder = edges or _Words(count)
    budget = limit
    while True:
        cut_prompt, whole_halves = _halved(with_notice, budget, count, finder)
        excess = count([cut_prompt.text])[0] - limit
        if excess <= 0 or (joint and whole_halves):
            break
        budget -= excess
    before, after = (count([part.text for part in prompt.passages]) for prompt in (prompt, cut_prompt))
    lost_tokens = sum(before) - sum(after)
    return replace(cut_prompt, truncated_tokens=prompt.truncated_tokens + max(lost_tokens, 1))


def _halved(prompt: Prompt, budget: int, count: Count, edges: Edges) -> tuple[Prompt, bool]:
    """The prompt cut to its first and last tokens, `budget` of them, and whether both halves are whole."""
    text = prompt.text
    places = [place for part, place in zip(prompt.visible_parts, prompt.places, strict=True) if part.role == "document"]
    start, end = places[0][0], places[-1][1]
    before, behind = edges.special_around
    head = (budget + before + behind) // 2 - before
    head_end, tail_start = _end_of_first(text, head, edges), _start_of_last(text, budget - head, edges)
    whole_halves = start <= head_end and tail_start <= end
    if head_end < start:
        head_end, tail_start = start, _start_of_last(text, budget - count([text[:start]])[0], edges)
    elif tail_start > end:
        head_end, tail_start = _end_of_first(text, budget - count([text[end:]])[0], edges), end
    head_end, tail_start = min(max(head_end, start), end), min(max(tail_start, start), end)
    return _without_stretch(prompt, head_end, max(head_end, tail_start)), whole_halves


def _without_stretch(prompt: Prompt, head_end: int, tail_start: int) -> Prompt:
    """The prompt without `text[head_end:tail_start]`; only document parts are cut."""
    parts: list[Part] = []
    for part, (start, _) in zip(prompt.visible_parts, prompt.places, strict=True):
        if part.role != "document":
            parts.append(part)
            continue
        head, tail = part.text[: max(head_end - start, 0)], part.text[max(tail_start - start, 0) :]
        if len(head) + len(tail) >= len(part.text):
            parts.append(part)
            continue
        if head:
            parts.append(_shortened(part, head))
        if tail:
            moved = None if part.start is None else part.start + len(part.text) - len(tail)
            behind = replace(part, title="", heading=None, gap=None, label="") if head else part
            parts.append(replace(behind, text=tail, start=moved))
    return replace(prompt, parts=tuple(parts), separator="")


@dataclass(frozen=True, slots=True)
class _Words:
    """The longest start and end of a text, up to a word's edge, that `count` finds to be n tokens at most."""

    count: Count
    special_around: tuple[int, int] = (0, 0)

    def end_of_first(self, text: str, n: int) -> int:
        ends = [0, *word_ends(text)]
        return ends[_largest(len(ends) - 1, max(n, 0), lambda i: self.count([text[: ends[i]]])[0])]

    def start_of_last(self, text: str, n: int) -> int:
        starts = [0, *word_ends(text)][::-1]  # a word has the white space before it
        return starts[_largest(len(starts) - 1, max(n, 0), lambda i: self.count([text[starts[i] :]])[0])]


def _end_of_first(text: str, n: int, edges: Edges) -> int:
    """Where the first n tokens end, found in as short a start of the text as has them."""
    window = CHARACTERS_PER_TOKEN * max(n, 0) + 1000
    while window < len(text):
        if (position := edges.end_of_first(text[:window], n)) <= window - EDGE:
            return position
        window *= 4
    return edges.end_of_first(text, n)


def _start_of_last(text: str, n: int, edges: Edges) -> int:
    """Where the last n tokens begin, found in as short an end of the text as has them."""
    window = CHARACTERS_PER_TOKEN * max(n, 0) + 1000
    while window < len(text):
        if (position := edges.start_of_last(text[-window:], n)) >= EDGE:
            return len(text) - window + position
        window *= 4
    return edges.start_of_last(text, n)


def fits(text: str, limit: int | None, count: Count) -> bool:
    """Whether a text has at most `limit` tokens (None: no limit); far longer texts are not counted completely."""
    return limit is None or _tokens(text, limit, count) <= limit


def _tokens(text: str, limit: int, count: Count) -> int:
    """Number of tokens of a text, or some number over the limit if it is far longer (it is not counted completely)."""
    window = CHARACTERS_PER_TOKEN * limit + 1000
    while window < len(text):
        if (tokens := count([text[:window]])[0]) > limit + LAST_WORD:
            return tokens
        window *= 4
    return count([text])[0]


def _tail(text: str, limit: int, tokens: Callable[[str], int], between: Ends) -> str:
    """The longest start of the text with which the prompt fits, up to one of the ends that `between` finds."""
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
