"""The prompt of a task for a chat model, in our own words (`ChatWords`).

    instruction, document, format of the answer, question with its options, "Answer:"

What to write where the document has no answer belongs to the instruction: next to the question it is often taken for
the answer (a model of 1.5B parameters refused 7 of 27 questions of Qasper whose evidence is shown, and 4 with the words
above the document). Where one part is asked at a time it stands with the format, since most parts have no answer.

All before the question is the same for all questions on a document, so that servers and local decoders that keep the
beginning of a prompt read it once. The question stands last: a model of 1.5B parameters answered better so than with
the format behind it (HotpotQA and `qa`). Where an answer is long, or ends with what is wanted, the words have no `cue`,
and the format stands behind the question.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from models.prompts import CutAt, Part, Prompt
from pipelines.records import Example
from pipelines.strategies.shared.chat_words import CHOICE, LETTER, Answers, ChatWords, if_not_stated
from pipelines.strategies.shared.closed_answers import LETTERS, option_of, short_of
from pipelines.strategies.shared.named_labels import label_of

ShownText = Literal["document", "passages", "part", "reasoning"]

TAGS = ("<answer>", "</answer>")
TAGGED = f"Write the answer between {TAGS[0]} and {TAGS[1]}."
STEPS = "Do not answer yet: write down, step by step, what leads to the answer."
SO_FAR = (
    "That answer is from the parts before. Correct or complete it by this part; where this part adds nothing, write it "
    "as it is."
)
CLOSED = {"option", "letter", "label", "dictionary"}  # kinds of answers that "unanswerable" is none of

_BRACES = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """The prompt in a task's words, and which answer a reply gives.

    `shown` is what a request shows: the document, passages of it, one part of it at a time, or reasoning about it that
    a model wrote. `labels` are the task's, for examples without options. `reasoning` asks for the steps in place of the
    answer. With `tags` the answer is requested in tags, of which the first begins the reply where a reader can begin
    it. `has_format` is False where a strategy says itself how to write the answer. `parts` is how many parts share the
    answer's words. `wording` says whose words they are.
    A reply that names none of the options or labels, or several, stays as it is.
    """

    words: ChatWords
    shown: ShownText = "document"
    labels: tuple[str, ...] = ()
    reasoning: bool = False
    tags: bool = False
    has_format: bool = True
    parts: int = 1
    wording: Literal["own"] = "own"
    cut_at: CutAt = "word"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts; texts that a model wrote have no span."""
        shown = self._shown(example, passages)
        form = [Part("instruction", f"\n\n{self._format(example, shown)}")] if self.has_format else []
        question = self._question(example)
        is_cued = bool(question and form and self.words.cue and not self.reasoning)
        parts = [
            Part("instruction", self._instruction(example, shown)),
            *self._document(passages, shown),
            *([*form, *question] if is_cued else [*question, *form]),
            *([Part("cue", f"\n{self.words.cue}")] if is_cued and not self.tags else []),
            *([Part("prefill", f"\n\n{TAGS[0]}")] if self.tags and not self.reasoning else []),
        ]
        return Prompt(tuple(parts), "\n\n" if shown in ("passages", "notes") else "\n", cut_at=self.cut_at)

    def answer_format(self, example: Example) -> str:
        """How to write the answer, in the words that else end the prompt."""
        return self._format(example, self.shown)

    def answer(self, example: Example, output: str) -> str:
        """The answer that an output gives, in the words of the task's references."""
        text = output.partition(TAGS[1])[0].rpartition(TAGS[0])[2].strip() if self.tags else output
        named = self._named(text, example)
        return text if named is None else named

    def remark(self, example: Example, answer: str) -> str | None:
        """The remark on an answer that is none of the options or labels."""
        kind = self._kind(example)
        allowed: Mapping[str, Sequence[str]] = {
            "option": example.options,
            "letter": tuple(LETTERS[: len(example.options)]),
            "label": self._labels(example),
        }
        is_wrong = bool(allowed.get(kind)) and answer not in allowed[kind]
        return f"the reply names no {kind}, or several" if is_wrong else None

    def choices(self, example: Example) -> tuple[str, ...]:
        """The letters or labels of which the prompt asks for one alone; none where it asks for other words."""
        kind = self._kind(example)
        if self.reasoning or self.tags or not self.has_format or kind not in ("option", "letter", "label"):
            return ()
        return self._labels(example) if kind == "label" else tuple(LETTERS[: len(example.options)])

    def declines(self, answer: str) -> bool:
        """Whether an answer from one part of the document says that the part does not hold it."""
        return self.shown == "part" and short_of(answer) == "Unanswerable"

    def concluding(self) -> "ChatPrompt":
        """The prompt that asks for the answer once there is reasoning."""
        return replace(self, shown="reasoning", reasoning=False)

    def with_answer_so_far(self, prompt: Prompt, words: str) -> Prompt:
        """A prompt about one part with the answer from the parts before, behind the part."""
        so_far = Part("text", f"\n\n{words.strip()}\n\n{SO_FAR}")
        after = max(i for i, part in enumerate(prompt.parts) if part.role in ("document", "notice")) + 1
        return replace(prompt, parts=(*prompt.parts[:after], so_far, *prompt.parts[after:]))

    @property
    def _noun(self) -> str:
        return self.words.document[:1].lower() + self.words.document[1:]

    def _shown(self, example: Example, passages: Sequence[Part]) -> str:
        """What these passages are: as `shown`, "nothing", or "notes", which a model wrote about the parts."""
        if not passages:
            return "nothing"
        if self.shown == "reasoning":
            return "reasoning"
        if all(part.start is None for part in passages):
            return "notes"
        is_whole = len(passages) == 1 and passages[0].text.strip() == example.document.text.strip()
        return "document" if is_whole else self.shown

    def _instruction(self, example: Example, shown: str) -> str:
        is_open = shown not in ("part", "nothing") and self._kind(example) not in CLOSED
        absent = self.words.absent if is_open else ""
        return " ".join(filter(None, (self.words.instruction, absent, self._remark(shown))))

    def _remark(self, shown: str) -> str:
        return {
            "document": "",
            "passages": f"Only parts of the {self._noun} are shown.",
            "part": f"Only one part of the {self._noun} is shown.",
            "notes": f"In place of the {self._noun}, what was written about its parts is shown: make one answer of it.",
            "reasoning": f"In place of the {self._noun}, the thoughts of somebody who has read it are shown: give the "
            "answer that they lead to.",
            "nothing": f"The {self._noun} is not shown: answer from what you know.",
        }[shown]

    def _document(self, passages: Sequence[Part], shown: str) -> list[Part]:
        if not passages:
            return []
        label = {
            "document": self.words.document,
            "passages": f"Parts of the {self._noun}",
            "part": f"Part of the {self._noun}",
            "notes": f"On the parts of the {self._noun}",
            "reasoning": "Thoughts",
        }[shown]
        notice = Part("notice", f"\n\n[It was too long: not all of the {self._noun} is shown.]")
        return [Part("text", f"\n\n{label}:\n"), *passages, notice]

    def _question(self, example: Example) -> list[Part]:
        parts = [Part("text", f"\n\n{self.words.query}: "), Part("query", example.query)] if example.query else []
        listed = all(option in example.query for option in example.options)
        if self._kind(example) == "label" or len(example.options) < 2 or listed:
            return parts
        lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, example.options, strict=False)]
        return [*parts, Part("options", "\n" * (1 if parts else 2) + "\n".join(lines))]

    def _format(self, example: Example, shown: str) -> str:
        if self.reasoning:
            return STEPS
        kind, words = self._kind(example), self.words
        form = words.for_part(self.parts) if shown == "part" and words.part_format else words.format
        if kind != words.answers:  # options of a row of one's own
            form = LETTER if kind == "option" else CHOICE
        if kind == "label":
            form = "\n".join((form, *self._labels(example)))
        between = "\n" if kind == "label" else " "
        of_part = if_not_stated("this part") if shown == "part" and example.query and kind not in CLOSED else ""
        return between.join(filter(None, (form, of_part, TAGGED * self.tags)))

    def _kind(self, example: Example) -> Answers:
        """The task's kind of answers; where a row of one's own has options, an option, by letter if these suffice."""
        if len(example.options) > len(LETTERS):
            return "label"
        return "option" if example.meta.get("lettered") and self.words.answers != "label" else self.words.answers

    def _labels(self, example: Example) -> tuple[str, ...]:
        return tuple(example.options) or self.labels

    def _named(self, text: str, example: Example) -> str | None:
        kind, options = self._kind(example), example.options
        if kind in ("option", "letter"):
            option = option_of(text, options)
            return LETTERS[options.index(option)] if option is not None and kind == "letter" else option
        if kind == "label":
            return label_of(text, self._labels(example))
        if kind == "short":
            return short_of(text)
        if kind == "absent":
            return "unanswerable" if short_of(text) == "Unanswerable" else None
        braces = _BRACES.search(text) if kind == "dictionary" else None
        return None if braces is None else braces[0]
