"""Finds the answer in a chat model's reply: an option by letter or text, or yes, no or unanswerable.

A reply that names none, or several without saying which one is meant, has no answer.
"""

import re
from collections.abc import Iterator, Sequence

from longdoc.words import is_plain, words
from pipelines.prompts.chat_words import NOT_STATED

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHORT = ("Yes", "No", "Unanswerable")

_MARKUP = re.compile(r"[*_`#\"“”]+|\\boxed|[{}$]")
_NOT_WORDS = re.compile(r"[^\w\s]|_")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_LEAD = re.compile(r"^(?:so|thus|therefore|hence)?,?\s*(?:the )?(?:\w+ )?answer(?: is|:)+\s*", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|no|nor|neither|never|isnt|cannot be)(?: (?:that|clear|clearly))* $")
_STATES_ANSWER = (
    r"(?i:\b(?:answer|choice)\b(?:[^.:\n]{0,60}?(?:\bis\b|\bbe\b|:))?|\b(?:choose|chose|pick|select|go with)\b"
    r"|\bI (?:think|believe|say)\b(?: it is| it's| it’s)?)\s*:?\s*(?i:(?:option|choice|letter|answer)\s*)?"
)


def option_of(reply: str, options: Sequence[str]) -> str | None:
    """The option that a reply names by its letter (A is the first) or its text; None for no option or several."""
    text = _without_markup(reply)
    if (equal_option := _equal_answer(_LEAD.sub("", text), options)) is not None:
        return equal_option
    letters = LETTERS[: len(options)]
    for chosen_letters in (_stated_letters(text, letters), _marked_letters(text, letters)):
        if chosen_letters:
            if len(chosen_letters) > 1:
                return None
            return _option_of_letter(text, options, letters.index(next(iter(chosen_letters))))
    return _only(_mentioned_answers(text, options))


def short_of(reply: str, answers: Sequence[str] = SHORT) -> str | None:
    """Yes, no or unanswerable, if a reply says so, with or without a reason after it; else None.

    "Not stated", which prompts ask for in its place, is unanswerable.
    """
    text = _LEAD.sub("", _without_markup(reply))
    first = re.match(rf"(?i:(yes|no|unanswerable|{NOT_STATED}))(?=$|[,.;:!\n]|\s+[-–—(])", text)
    spelling = {answer.lower(): answer for answer in answers} | {NOT_STATED: "Unanswerable"}
    if first:
        return spelling[first[1].lower()]
    sentence_start = (
        r"(?i:(?:^|[.!\n])\s*(?:(?:so|thus|hence|therefore),? )?(?:(?:this|the|that) question|it|this) (?:is|remains) "
    )
    return spelling["unanswerable"] if re.search(sentence_start + r"unanswerable\b)", text) else None


def _without_markup(reply: str) -> str:
    """The reply without marks of Markdown and LaTeX."""
    return _MARKUP.sub("", reply).strip()


def _normalized(text: str) -> str:
    """The text in lower case, without punctuation and articles, with single spaces, for comparison.

    Letters of scripts without spaces stand alone, so that answers are found between them.
    """
    if not is_plain(text):
        return " ".join(words(text))
    return " ".join(_ARTICLE.sub(" ", _NOT_WORDS.sub("", text.lower().replace("-", " "))).split())


def _equal_answer(text: str, answers: Sequence[str]) -> str | None:
    """The only answer that equals the text, apart from case, punctuation and articles."""
    return _only([answer for answer in answers if _normalized(answer) == _normalized(text) != ""])


def _only(answers: Sequence[str]) -> str | None:
    return answers[0] if len(answers) == 1 else None


def _letters(pattern: str, text: str, letters: str) -> Iterator[str]:
    """The option letters that a pattern matches; in it, <U> stands for a capital letter and <L> for a small one."""
    small = letters.lower()
    for match in re.finditer(pattern.replace("<U>", f"[{letters}]").replace("<L>", f"[{small}]"), text):
        yield next(letter for letter in match.groups() if letter).upper()


_PAIR = r"(?!\)?\s*(?:or|and|,|/|&)\s*\(?<U>\b)"
_A_WORD = r"(?!A (?!because|since|as|is)[a-z])"  # the article
_LETTER = rf"(?:\((<U>|<L>)\)|{_A_WORD}(<U>)\b|(<L>)(?=\s*(?:[).:,;]|$))){_PAIR}"
_STATED = (rf"{_STATES_ANSWER}{_LETTER}", r"\b(<U>)\)? is (?:the |most |clearly )*(?:correct|right|best)\b")
_MARKS = (
    r"\((<U>|<L>)\)",
    r"(?i:\b(?:option|choice|letter)) \(?(<U>)\b",
    r"(?m:^)\s*(<U>|<L>)[).:](?=\s|$)",
    r"(?m:^)\s*(<U>)(?=\s*[-–—,]\s|\s+(?:because|since|as)\b)",
    r"(?:^|[.:;\n])\s*(<U>)\s*[.!]?\s*$",
    r"^\(?(<L>)\)?[.!]?$",
    r"\b(<U>)(?=\)?\s*(?:or|and|,|/|&)\s*\(?<U>\b)",
    r"\b<U>\)?\s*(?:or|and|,|/|&)\s*\(?(<U>)\b",
)


def _stated_letters(text: str, letters: str) -> set[str]:
    """The letters that the reply states as the answer."""
    return {letter for pattern in _STATED for letter in _letters(pattern, text, letters)}


def _marked_letters(text: str, letters: str) -> set[str]:
    """The letters that are written like letters of options: "(B)", "B.", "Option B"."""
    return {letter for pattern in _MARKS for letter in _letters(pattern, text, letters)}


def _option_of_letter(text: str, options: Sequence[str], index: int) -> str | None:
    """The option at `index`; None if the text of another option follows the letter."""
    other_option = _equal_answer(re.sub(r"^.*?\(?\b[A-Za-z]\b[).:,]*\s*", "", text, count=1), options)
    return options[index] if other_option in (None, options[index]) else None


def _mentioned_answers(text: str, answers: Sequence[str]) -> list[str]:
    """The answers whose text is in the reply, not negated and not inside another answer's text."""
    reply = f" {_normalized(text)} "
    spans: list[tuple[int, int, str]] = []
    for answer in answers:
        spans += [(i, i + len(_normalized(answer)) + 2, answer) for i in _positions(reply, f" {_normalized(answer)} ")]
    inner_spans = {(a, b) for a, b, _ in spans for c, d, _ in spans if c <= a and b <= d and (a, b) != (c, d)}
    mentioned = {answer for a, b, answer in spans if (a, b) not in inner_spans and not _NEGATED.search(reply[: a + 1])}
    return [answer for answer in answers if answer in mentioned]


def _positions(text: str, part: str) -> Iterator[int]:
    """The positions at which a part begins in a text."""
    position = text.find(part) if part.strip() else -1
    while position >= 0:
        yield position
        position = text.find(part, position + 1)
