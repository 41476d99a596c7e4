"""A chat model that knows the answer to every question and writes it in the form that the prompt asks for.

Where a prompt lacks the question, the options with their letters, the labels, or the form of the answer (letter, label,
"not stated", "yes" or "no", percentage, numbers with commas, "number: author" a line, few words, a summary), the reply
is `LOST`, which has no answer. So a wrong prompt lowers the score. Instructions are looked for outside the document,
whose own words might say the same.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from operator import eq

from pipelines.records import Example

LOST = "That would need many remarks."
LETTERS = "ABCDEFGHIJ"
SLICE, BEGINNING = 40, 4_000  # characters of a document's beginning by which it is looked for, and compared
LONGEST_HEADING = 42  # characters of a noun in front of a question, with its colon and space

_HEADING = re.compile(r"(?::\n|^[^\n:]{1,40}: )\Z", re.MULTILINE)  # what ends a line, or a noun that begins one
_LINES = re.compile(r"\d+: \d+(?:\n\d+: \d+)*")
_NUMBERED = re.compile(r"^\[\d+\](?: \(author \d+\))? ")
_AUTHORS = re.compile(r"For each paragraph from (\d+) to (\d+) write one line: the number of the paragraph, a colon")
_MOST_WORDS = re.compile(r"at most (\d+) words")
_ORDER = re.compile(r"\d+(?:, ?\d+)+")
_PERCENTAGE = re.compile(r"\d+%")
_NO_ANSWER = re.compile(r'"(unanswerable|not stated)"')
_YES_OR_NO = re.compile(r'"yes" or "no"|"yes", "no"|only the answer')
_FREE = re.compile(
    r"\b(?:only the answer|few words|phrase|sentences?|paragraph|summary|sum (?:it )?up|abstract)\b", re.IGNORECASE
)


class RuleFollower:
    """Replies to the prompts of a task's examples.

    The answer is the first reference, written in a style of `STYLES`. Where a prompt shows one of a document's `parts`
    (their texts by document), the reply is that part's share of the words. A prompt with such replies in place of a
    document is recognised by them.
    """

    def __init__(
        self, examples: Sequence[Example], style: str = "exact", parts: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.examples, self.write, self.parts = examples, STYLES[style], parts or {}
        documents = {example.document.id: example.document.text for example in examples}
        self.lines = {id: frozenset(_lines(text)) for id, text in documents.items()}
        self.replies: dict[str, set[str]] = {id: set() for id in documents}

    def answer(self, prompt: str) -> str:
        """The reply to a prompt."""
        example = self.example_of(prompt)
        text = None if example is None else self._asked_for(example, prompt)
        if example is None or text is None:
            return LOST
        reply = self.write(text)
        self.replies[example.document.id].add(reply.strip())
        return reply

    def example_of(self, prompt: str) -> Example | None:
        """The example whose question stands last after a noun and a colon, and whose document is shown.

        None where the prompt has no example's question.
        """
        places = [_question_place(prompt, example.query) if example.query else 0 for example in self.examples]
        last = max(((place, len(e.query)) for place, e in zip(places, self.examples, strict=True)), default=(-1, 0))
        if last[0] < 0:
            return None
        likely = [e for place, e in zip(places, self.examples, strict=True) if (place, len(e.query)) == last]
        return likely[0] if len(likely) == 1 else max(likely, key=partial(self._likeness, prompt, list(_lines(prompt))))

    def _asked_for(self, example: Example, prompt: str) -> str | None:
        """The answer in the form that the prompt asks for; None where it asks for no form that fits."""
        gold, instructions = example.references[0], self._outside(prompt, example)
        if authors_asked := _AUTHORS.search(instructions):
            authors, first, last = gold.split(","), int(authors_asked[1]), int(authors_asked[2])
            return "\n".join(f"{number}: {authors[number - 1]}" for number in range(first, last + 1))
        if "one of these labels" in instructions:
            return gold if gold in prompt.splitlines() else None
        if example.options:
            return _choice(gold, example.options, prompt, instructions)
        if gold.lower() == "unanswerable":
            return match[1] if (match := _NO_ANSWER.search(instructions)) else None
        for is_its_form, asks in FORMS:
            if is_its_form(gold):
                return gold if asks(instructions, gold) else None
        share = self._share(example, prompt)
        most = _MOST_WORDS.search(instructions)
        return None if not _FREE.search(instructions) else " ".join(share[: int(most[1])]) if most else " ".join(share)

    def _share(self, example: Example, prompt: str) -> list[str]:
        """The words of the answer; where one part of the document is shown, those that fall to it."""
        words = example.references[0].split(" ")
        parts = self.parts.get(example.document.id, ())
        shown = [at for at, part in enumerate(parts) if part.strip()[:200] in prompt]
        if len(shown) != 1:
            return words
        return words[len(words) * shown[0] // len(parts) : len(words) * (shown[0] + 1) // len(parts)]

    def _likeness(self, prompt: str, lines: Sequence[str], example: Example) -> tuple[int, int, int]:
        """How many replies about a document the prompt has, how many of its lines, and how much of its beginning."""
        text = example.document.text.lstrip()
        at = prompt.find(text[:SLICE])
        same = takewhile(bool, map(eq, prompt[at : at + BEGINNING], text)) if at >= 0 else ()
        replies = self.replies[example.document.id].copy() if self.parts else ()
        shown_replies = sum(f"\n{reply}\n" in prompt for reply in replies if reply)
        return shown_replies, sum(line in self.lines[example.document.id] for line in lines), len(list(same))

    def _outside(self, prompt: str, example: Example) -> str:
        """The lines of a prompt that are not of the document."""
        own = self.lines[example.document.id]
        return "\n".join(line for line in _lines(prompt) if line not in own and line not in example.document.text)


def _question_place(prompt: str, question: str) -> int:
    """The last place where a question stands behind a noun and a colon; -1 where there is none."""
    place = prompt.rfind(question)
    while place >= 0 and not _HEADING.search(prompt, max(place - LONGEST_HEADING, 0), place):
        place = prompt.rfind(question, 0, place + len(question) - 1)
    return place


def _lines(text: str) -> Iterator[str]:
    """The lines that are not blank, without the numbers that prompts give them."""
    return (_NUMBERED.sub("", line).strip() for line in text.splitlines() if line.strip())


def _choice(gold: str, options: Sequence[str], prompt: str, instructions: str) -> str | None:
    """The letter of an option that is listed with one, where letters are asked for."""
    letter = gold if gold in LETTERS[: len(options)] else LETTERS[options.index(gold)]
    is_listed = f"({letter}) {options[LETTERS.index(letter)]}" in prompt
    return letter if is_listed and re.search(r"\bletter\b", instructions) else None


# Forms of answers: whether an answer has the form, and whether a prompt's instructions ask for it.
FORMS: tuple[tuple[Callable[[str], object], Callable[[str, str], object]], ...] = (
    (lambda gold: gold.lower() in ("yes", "no"), lambda instructions, gold: _YES_OR_NO.search(instructions)),
    (_PERCENTAGE.fullmatch, lambda instructions, gold: "percentage" in instructions),
    (_ORDER.fullmatch, lambda instructions, gold: "numbers" in instructions and "commas" in instructions),
)


def _each(form: str, text: str) -> str:
    """The text in a form; lines with authors one by one."""
    return "\n".join(form.format(line) for line in text.split("\n")) if _LINES.fullmatch(text) else form.format(text)


def _sentence(text: str) -> str:
    if _LINES.fullmatch(text):
        return re.sub(r"(\d+): (\d+)", r"Paragraph \1 is by author \2.", text)
    return f"The answer is {text}" + "." * (text[-1:] not in ".!?")


def _lower(text: str) -> str:
    return text.lower() + "." * (text[-1:] not in ".!?")


def _json(text: str) -> str:
    lines = _LINES.fullmatch(text) and dict(line.split(": ") for line in text.split("\n"))
    return f"```json\n{json.dumps(lines or {'answer': text}, ensure_ascii=False)}\n```"


STYLES: Mapping[str, Callable[[str], str]] = {
    "exact": str,
    "bold": partial(_each, "**{}**"),
    "sentence": _sentence,
    "lower case": _lower,
    "preamble": "Sure! Here is what you asked for:\n\n{}".format,
    "JSON": _json,
}
