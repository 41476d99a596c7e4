"""Words in any script, as rankings, scores of your own questions and searches for answers compare them.

A word is a run of letters, digits and their marks (Unicode's categories L, N and M), which the class `\\w` of `re` cuts
at every mark: Hindi, Bengali, Tamil, Burmese and Khmer write vowels as marks, and "é" may be written as two code
points. Words are compared in lower case and in the normal form NFKC (Unicode Standard Annex 15), without characters
that are not displayed, such as soft hyphens.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces between words: there each letter with its
marks is a word, and rankings use pairs of neighbours (Nie, Gao, Zhang and Zhou 2000: bigrams of Chinese characters rank
about as well as dictionary words).

Arabic, Hebrew and Syriac are read without the points that stand for vowels, and texts have them or not: rankings leave
them out (`ranking_form`), as Lucene's ArabicNormalizer does with those of Arabic.

Numbers of clauses, dates, versions and amounts are joined by dots, commas, hyphens, slashes or brackets ("4.2.1",
"2031-05-01", "12(3)", "v2.0", "CVE-2026-1234", "1,250.00"): rankings count their parts and the whole number.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from longdoc.characters import foreign_characters, normal_form, ranking_form

_WORD_TEXT = r"\p{L}\p{N}\p{M}\p{Join_Control}\u00ad\u2060"
_LETTERS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
UNSPACED = rf"[[[{_LETTERS}]&&[\p{{L}}\p{{Nl}}]]\u30fc\uff70]"  # the last two: prolonged sound marks of all Kana
_MARKS = r"[\p{M}\p{Join_Control}\uff9e\uff9f]*"
_AM = r"[\u0e33\u0eb3]"  # in Thai and Lao: NFKC makes it a mark of the letter before, and a letter
_SPECIAL = rf"[{_WORD_TEXT}--[\p{{L}}\p{{N}}]]|{UNSPACED}"
_PLAIN_PATTERN = re.compile(r"([^\W_]+)")  # the words of a text without special characters: several times as fast
_FOREIGN_NO_WORD = re.compile(r"[^\x00-\x7f\w]")
_MAYBE_NUMBER = re.compile(r"[-.,/(](?:\d|(?<=\d\()|(?<=\d\)\())")  # between two words of a joined number; fast
_BLANKS = bytes(byte if byte > 127 or chr(byte).isalnum() else 32 for byte in range(256))  # for ASCII between words
_SPACE = re.compile(r"\s")
_BLOCK = 100_000  # characters cut into words at once, which bounds the memory and fits a processor's cache

# Kinds of characters: of no word, letter or digit, its mark, a word by itself.
OTHER, LETTER, MARK, LETTER_ALONE = range(4)


def words(text: str) -> list[str]:
    """The words of a text in normal form, in order; in scripts without spaces each letter is a word."""
    return _split(normal_form(text))


def terms(text: str) -> list[str]:
    """The terms that rankings count: words, and in scripts without spaces pairs of neighbouring letters.

    A letter without a neighbour is a term. Points over and under letters are left out (`ranking_form`). A joined number
    comes after its parts, without a closing bracket: "12(3)" is "12", "3" and "12(3".
    """
    normal = ranking_form(text)
    if not is_plain(normal):
        return _terms_and_numbers(normal, _run())
    return _terms_and_numbers(normal, _PLAIN_PATTERN) if _MAYBE_NUMBER.search(normal) else _plain_words(normal)


def word_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Start and end of each word in the text itself, and its normal form.

    If the normal form of a word is several words ("½" is "1" and "2"), all have its span.
    """
    for start, end in spans(text):
        for word in words(text[start:end]):
            yield start, end, word


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word in the text itself."""
    pattern = _PLAIN_PATTERN if is_plain(text) else _word()
    return (match.span() for match in pattern.finditer(text))


def spaced(text: str) -> str:
    """The text with spaces around each letter (and its marks) of scripts without spaces."""
    return _letter().sub(r" \g<0> ", text) if unspaced(text) else text


def word_places(text: str, wanted_words: Collection[str]) -> Iterator[tuple[int, int, int, str]]:
    """Number, start, end and normal form of each word of the text that is among `wanted_words`.

    The number counts all words before it, so neighbours' numbers differ by one. About three times as fast as
    `word_spans`: each distinct word is normalized once, and words that are not wanted are only counted.
    """
    known_words: set[str] = set()
    forms: dict[str, list[str]] = {}  # normal forms of wanted words, and of those that become several words
    number = 0
    for offset, block in _blocks(text):
        # the text before the first word, the first word, the text after it, the second word …
        pieces = (_PLAIN_PATTERN if is_plain(block) else _word()).split(block)
        block_words = pieces[1::2]
        new_forms = {piece: words(piece) for piece in set(block_words) - known_words}
        known_words |= new_forms.keys()
        forms |= {piece: form for piece, form in new_forms.items() if len(form) != 1 or form[0] in wanted_words}
        edges = list(accumulate(map(len, pieces), initial=offset))
        for n, piece in enumerate(block_words):
            if piece in forms:
                for position, word in enumerate(forms[piece]):
                    if word in wanted_words:
                        yield number + n + position, edges[2 * n + 1], edges[2 * n + 2], word
                number += len(forms[piece]) - 1
        number += len(block_words)


def unspaced(text: str) -> bool:
    """Whether a text has letters of a script without spaces between words."""
    return any(map(_is_unspaced, foreign_characters(text)))


def is_plain(text: str) -> bool:
    """Whether all words are runs of letters and digits alone, as those of `\\w` are."""
    return not any(map(_is_special, foreign_characters(text)))


@cache
def kind(char: str) -> int:
    """What a character is in the words of a text in normal form: `LETTER`, `MARK`, `LETTER_ALONE` or `OTHER`.

    A word is a letter or digit with the letters, digits and marks that follow, or a letter alone with its marks.
    """
    if char.isascii():
        return LETTER if char.isalnum() else OTHER
    if _is_unspaced(char):
        return LETTER_ALONE
    if _pattern(r"[\p{L}\p{N}]").match(char):
        return LETTER
    return MARK if _is_special(char) else OTHER


@cache
def re_pattern() -> str:
    """A pattern of `re`, whose classes know no marks, for the same words with underscores as letters.

    For libraries that take a pattern of that module. Of plain text `\\w+` finds them several times as fast.
    """
    alone, marks = _ranges(UNSPACED), _ranges(_MARKS.removesuffix("*")) + r"\u00ad\u2060"
    return rf"[{alone}][{marks}]*|[^\W{alone}](?:[^\W{alone}]|[{marks}])*"


def _ranges(letters: str) -> str:
    """A class of `regex` as ranges of characters for a class of `re`."""
    planes = "".join(map(chr, (*range(0x40000), *range(0xE0000, 0xE1000))))  # the others have no letters and no marks
    runs = (match[0] for match in _pattern(f"{letters}+").finditer(planes))
    return "".join(f"{run[0]}-{run[-1]}" for run in runs)


def _split(normal: str) -> list[str]:
    """The words of a text in normal form."""
    return _plain_words(normal) if is_plain(normal) else [match[0] for match in _word().finditer(normal)]


def _plain_words(normal: str) -> list[str]:
    """The words of plain text, by blanking out everything else; several times as fast as a regular expression."""
    text = normal if normal.isascii() else _FOREIGN_NO_WORD.sub(" ", normal)
    return text.encode().translate(_BLANKS).decode().split()


@cache
def _is_special(char: str) -> bool:
    """Whether it is a mark, a letter alone, or a letter of a newer Unicode than Python's, which `\\w` leaves out."""
    return _pattern(rf"{_SPECIAL}|[\p{{L}}\p{{N}}]" if not char.isalnum() else _SPECIAL).match(char) is not None


@cache
def _is_unspaced(char: str) -> bool:
    return _pattern(UNSPACED).match(char) is not None


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The text in blocks with their positions, cut before white space."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _BLOCK)
        end = space.start() if space else len(text)
        yield start, text[start:end]
        start = end


def _terms_and_numbers(normal: str, runs: Any) -> list[str]:
    """The terms of the runs that a pattern finds, with each joined number after its parts."""
    result: list[str] = []
    previous: re.Match[str] | None = None
    start = None  # of the joined number that is being read
    for match in runs.finditer(normal):
        if previous and _is_joined(normal, previous, match):
            start = previous.start() if start is None else start
        elif previous and start is not None:
            result.append(normal[start : previous.end()])
            start = None
        result += _pairs(match[0])
        previous = match
    return [*result, normal[start : previous.end()]] if previous and start is not None else result


def _is_joined(normal: str, before: re.Match[str], after: re.Match[str]) -> bool:
    """Whether two neighbouring words are parts of one number."""
    if _is_unspaced(before[0][0]) or _is_unspaced(after[0][0]):
        return False
    match normal[before.end() : after.start()]:
        case "." | ",":
            return before[0][-1].isdecimal() and after[0][0].isdecimal()
        case "-" | "/":
            return after[0][0].isdecimal()
        case "(":
            return before[0][-1].isdecimal()
        case between:
            return between == ")(" and (before[0][-1].isdecimal() or after[0][0].isdecimal())


def _pairs(run: str) -> list[str]:
    """The terms of a run: the run itself, or pairs of letters in a script without spaces."""
    if not unspaced(run):
        return [run]
    letters = [match[0] for match in _word().finditer(run)]
    return [letter + next_letter for letter, next_letter in pairwise(letters)] or letters


def _letter() -> Any:
    return _pattern(rf"(?:{UNSPACED}){_MARKS}")


def _word() -> Any:
    return _pattern(
        rf"({UNSPACED}{_MARKS}(?:{_AM}{_MARKS})?|(?!{UNSPACED})[\p{{L}}\p{{N}}][{_WORD_TEXT}--{UNSPACED}]*+)"
    )


def _run() -> Any:
    return _pattern(rf"(?:{UNSPACED}{_MARKS})++|(?:(?!{UNSPACED})[\p{{L}}\p{{N}}][{_WORD_TEXT}--{UNSPACED}]*+)")


@cache
def _pattern(pattern: str) -> Any:
    import regex

    return regex.compile(pattern, regex.VERSION1)
