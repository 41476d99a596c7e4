"""Which of a closed set of answers a chat model's reply gives: an option by letter or text, a label, yes or no.

A reply that names none, or several without saying which one is meant, gives none.
"""

import re
from collections.abc import Iterator, Sequence

from longdoc.words import is_plain, words
from pipelines.strategies.shared.chat_words import NOT_STATED

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHORT = ("Yes", "No", "Unanswerable")

_MARKUP = re.compile(r"[*_`#\"“”]+|\\boxed|[{}$]")
_NOT_WORDS = re.compile(r"[^\w\s]|_")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_LEAD = re.compile(r"^(?:so|thus|therefore|hence)?,?\s*(?:the )?(?:\w+ )?answer(?: is|:)+\s*", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|no|nor|neither|never|isnt|cannot be)(?: (?:that|clear|clearly))* $")
_SAYS = (
    r"(?i:\b(?:answer|choice)\b(?:[^.:\n]{0,60}?(?:\bis\b|\bbe\b|:))?|\b(?:choose|chose|pick|select|go with)\b"
    r"|\bI (?:think|believe|say)\b(?: it is| it's| it’s)?)\s*:?\s*(?i:(?:option|choice|letter|answer)\s*)?"
)


def option_of(reply: str, options: Sequence[str]) -> str | None:
    """The one option that a reply names, by its letter (A is the first) or by its text."""
    text = _plain_text(reply)
    if (same_text := _same_text(_LEAD.sub("", text), options)) is not None:
        return same_text
    letters = LETTERS[: len(options)]
    for chosen_names in (_stated_names(text, letters), _marked(text, letters)):
        if chosen_names:
            return _agreeing(text, options, letters.index(next(iter(chosen_names)))) if len(chosen_names) == 1 else None
    return _only_text(_named_names(text, options))


def short_of(reply: str, answers: Sequence[str] = SHORT) -> str | None:
    """Yes, no or unanswerable where a reply says so, perhaps with a reason after it; else None.

    "Not stated", which prompts offer in its place, is unanswerable.
    """
    text = _LEAD.sub("", _plain_text(reply))
    first = re.match(rf"(?i:(yes|no|unanswerable|{NOT_STATED}))(?=$|[,.;:!\n]|\s+[-–—(])", text)
    spelling = {answer.lower(): answer for answer in answers} | {NOT_STATED: "Unanswerable"}
    if first:
        return spelling[first[1].lower()]
    sentence = (
        r"(?i:(?:^|[.!\n])\s*(?:(?:so|thus|hence|therefore),? )?(?:(?:this|the|that) question|it|this) (?:is|remains) "
    )
    return spelling["unanswerable"] if re.search(sentence + r"unanswerable\b)", text) else None


def _plain_text(reply: str) -> str:
    """Without the marks of Markdown and LaTeX."""
    return _MARKUP.sub("", reply).strip()


def _bare_text(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces: the form in which texts are compared.

    Letters of scripts without spaces stand alone, so that answers are found between them.
    """
    if not is_plain(text):
        return " ".join(words(text))
    return " ".join(_ARTICLE.sub(" ", _NOT_WORDS.sub("", text.lower().replace("-", " "))).split())


def _same_text(text: str, answers: Sequence[str]) -> str | None:
    return _only_text([answer for answer in answers if _bare_text(answer) == _bare_text(text) != ""])


def _only_text(answers: Sequence[str]) -> str | None:
    return answers[0] if len(answers) == 1 else None


def _letters(pattern: str, text: str, letters: str) -> Iterator[str]:
    """The letters that a pattern matches; in it, <U> stands for a capital and <L> for a small one."""
    small = letters.lower()
    for match in re.finditer(pattern.replace("<U>", f"[{letters}]").replace("<L>", f"[{small}]"), text):
        yield next(letter for letter in match.groups() if letter).upper()


_PAIR = r"(?!\)?\s*(?:or|and|,|/|&)\s*\(?<U>\b)"
_A_WORD = r"(?!A (?!because|since|as|is)[a-z])"  # the article
_LETTER = rf"(?:\((<U>|<L>)\)|{_A_WORD}(<U>)\b|(<L>)(?=\s*(?:[).:,;]|$))){_PAIR}"
_STATED_NAMES = (rf"{_SAYS}{_LETTER}", r"\b(<U>)\)? is (?:the |most |clearly )*(?:correct|right|best)\b")
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


def _stated_names(text: str, letters: str) -> set[str]:
    """The letters that the reply calls the answer."""
    return {letter for pattern in _STATED_NAMES for letter in _letters(pattern, text, letters)}


def _marked(text: str, letters: str) -> set[str]:
    """The letters that are written like those of options."""
    return {letter for pattern in _MARKS for letter in _letters(pattern, text, letters)}


def _agreeing(text: str, options: Sequence[str], chosen_count: int) -> str | None:
    """The option of a letter, unless the text of another option follows it."""
    rest = _same_text(re.sub(r"^.*?\(?\b[A-Za-z]\b[).:,]*\s*", "", text, count=1), options)
    return options[chosen_count] if rest in (None, options[chosen_count]) else None


def _named_names(text: str, answers: Sequence[str]) -> list[str]:
    """The answers whose text is in the reply, not negated and not within another answer's text."""
    words = f" {_bare_text(text)} "
    spans: list[tuple[int, int, str]] = []
    for answer in answers:
        spans += [(i, i + len(_bare_text(answer)) + 2, answer) for i in _positions(words, f" {_bare_text(answer)} ")]
    within = {(a, b) for a, b, _ in spans for c, d, _ in spans if c <= a and b <= d and (a, b) != (c, d)}
    named_names = {answer for a, b, answer in spans if (a, b) not in within and not _NEGATED.search(words[: a + 1])}
    return [answer for answer in answers if answer in named_names]


def _positions(text: str, part: str) -> Iterator[int]:
    position = text.find(part) if part.strip() else -1
    while position >= 0:
        yield position
        position = text.find(part, position + 1)
