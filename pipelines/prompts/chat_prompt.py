"""The prompt of a task for a chat model, in our own words (`ChatWords`).

    instruction, document, format of the answer, question with its options, "Answer:"

What to write where the document has no answer belongs to the instruction: next to the question it is often taken for
the answer (a model of 1.5B parameters refused 7 of 27 questions of Qasper whose evidence is shown, and 4 with the words
above the document). Where one part is asked at a time it stands with the format, since most parts have no answer.

Everything before the question is the same for all questions on a document, so that servers and local decoders that keep
the beginning of a prompt read it once. The question stands last: a model of 1.5B parameters answered better like this
than with the format behind it (HotpotQA and `qa`). Where an answer is long, or ends with the wanted part, the words
have no `cue`, and the format stands behind the question.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from models.prompts import CutAt, Part, Prompt
from pipelines.prompts.chat_words import CHOICE, LETTER, Answers, ChatWords, if_not_stated
from pipelines.prompts.closed_answers import LETTERS, option_of, short_of
from pipelines.prompts.named_labels import label_of
from pipelines.records import Example

ShownText = Literal["document", "passages", "part", "reasoning"]

TAGS = ("<answer>", "</answer>")
TAGGED = f"Write the answer between {TAGS[0]} and {TAGS[1]}."
STEPS = "Do not answer yet: write down, step by step, what leads to the answer."
SO_FAR = (
    "That answer is from the parts before. Correct or complete it by this part; where this part adds nothing, write it "
    "as it is."
)
CLOSED = {"option", "letter", "label", "dictionary"}  # kinds of answers that are never "unanswerable"

_BRACES = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """The prompt of a task for a chat model, and the answer in a reply.

    `shown` is what a request shows: the document, passages of it, one part of it at a time, or reasoning about it that
    a model wrote. `labels` are the task's, for examples without options. `reasoning` asks for the steps in place of the
    answer. With `tags` the answer is requested between tags; the first one begins the reply, for readers that can begin
    it. `has_format` is False where the strategy says how to write the answer. `parts` is the number of parts that share
    the answer's words. `wording` says whose words they are.
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
        content = self._content_kind(example, passages)
        format_part = [Part("instruction", f"\n\n{self._format(example, content)}")] if self.has_format else []
        question = self._question(example)
        has_cue = bool(question and format_part and self.words.cue and not self.reasoning)
        parts = [
            Part("instruction", self._instruction(example, content)),
            *self._document(passages, content),
            *([*format_part, *question] if has_cue else [*question, *format_part]),
            *([Part("cue", f"\n{self.words.cue}")] if has_cue and not self.tags else []),
            *([Part("prefill", f"\n\n{TAGS[0]}")] if self.tags and not self.reasoning else []),
        ]
        return Prompt(tuple(parts), "\n\n" if content in ("passages", "notes") else "\n", cut_at=self.cut_at)

    def answer(self, example: Example, output: str) -> str:
        """The answer in an output, spelled as in the task's references."""
        text = output.partition(TAGS[1])[0].rpartition(TAGS[0])[2].strip() if self.tags else output
        closed_answer = self._closed_answer(text, example)
        return text if closed_answer is None else closed_answer

    def remark(self, example: Example, answer: str) -> str | None:
        """The remark on an answer that is not one of the options or labels; None for any other answer."""
        kind = self._kind(example)
        allowed: Mapping[str, Sequence[str]] = {
            "option": example.options,
            "letter": tuple(LETTERS[: len(example.options)]),
            "label": self._labels(example),
        }
        is_outside = bool(allowed.get(kind)) and answer not in allowed[kind]
        return f"the reply names no {kind}, or several" if is_outside else None

    def choices(self, example: Example) -> tuple[str, ...]:
        """The letters or labels to choose from where the prompt asks for exactly one; else empty."""
        kind = self._kind(example)
        if self.reasoning or self.tags or not self.has_format or kind not in ("option", "letter", "label"):
            return ()
        return self._labels(example) if kind == "label" else tuple(LETTERS[: len(example.options)])

    def declines(self, answer: str) -> bool:
        """Whether an answer from one part of the document says that the part has no answer."""
        return self.shown == "part" and short_of(answer) == "Unanswerable"

    def concluding(self) -> "ChatPrompt":
        """The prompt that asks for the answer once there is reasoning."""
        return replace(self, shown="reasoning", reasoning=False)

    def with_answer_so_far(self, prompt: Prompt, words: str) -> Prompt:
        """The prompt about one part, with the answer from the earlier parts after it."""
        so_far = Part("text", f"\n\n{words.strip()}\n\n{SO_FAR}")
        after = max(i for i, part in enumerate(prompt.parts) if part.role in ("document", "notice")) + 1
        return replace(prompt, parts=(*prompt.parts[:after], so_far, *prompt.parts[after:]))

    @property
    def _noun(self) -> str:
        """The word for the document, within a sentence."""
        return self.words.document[:1].lower() + self.words.document[1:]

    def _content_kind(self, example: Example, passages: Sequence[Part]) -> str:
        """The kind of content: as `shown`, or "nothing", or "notes" that a model wrote on the parts."""
        if not passages:
            return "nothing"
        if self.shown == "reasoning":
            return "reasoning"
        if all(part.start is None for part in passages):
            return "notes"
        is_whole = len(passages) == 1 and passages[0].text.strip() == example.document.text.strip()
        return "document" if is_whole else self.shown

    def _instruction(self, example: Example, content: str) -> str:
        """The task's instruction, what to write where there is no answer, and which part of the document is shown."""
        is_open = content not in ("part", "nothing") and self._kind(example) not in CLOSED
        not_stated = self.words.absent if is_open else ""
        return " ".join(filter(None, (self.words.instruction, not_stated, self._content_remark(content))))

    def _content_remark(self, content: str) -> str:
        """The sentence that says which part of the document is shown; "" for all of it."""
        return {
            "document": "",
            "passages": f"Only parts of the {self._noun} are shown.",
            "part": f"Only one part of the {self._noun} is shown.",
            "notes": f"In place of the {self._noun}, what was written about its parts is shown: make one answer of it.",
            "reasoning": f"In place of the {self._noun}, the thoughts of somebody who has read it are shown: give the "
            "answer that they lead to.",
            "nothing": f"The {self._noun} is not shown: answer from what you know.",
        }[content]

    def _document(self, passages: Sequence[Part], content: str) -> list[Part]:
        """The passages under their heading, with the notice for what is cut off them."""
        if not passages:
            return []
        label = {
            "document": self.words.document,
            "passages": f"Parts of the {self._noun}",
            "part": f"Part of the {self._noun}",
            "notes": f"On the parts of the {self._noun}",
            "reasoning": "Thoughts",
        }[content]
        notice = Part("notice", f"\n\n[It was too long: not all of the {self._noun} is shown.]")
        return [Part("text", f"\n\n{label}:\n"), *passages, notice]

    def _question(self, example: Example) -> list[Part]:
        """The question and its lettered options, unless the question lists them."""
        parts = [Part("text", f"\n\n{self.words.query}: "), Part("query", example.query)] if example.query else []
        has_options = all(option in example.query for option in example.options)
        if self._kind(example) == "label" or len(example.options) < 2 or has_options:
            return parts
        lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, example.options, strict=False)]
        return [*parts, Part("options", "\n" * (1 if parts else 2) + "\n".join(lines))]

    def _format(self, example: Example, content: str) -> str:
        """How to write the answer, with the labels to choose from."""
        if self.reasoning:
            return STEPS
        kind, words = self._kind(example), self.words
        answer_format = words.for_part(self.parts) if content == "part" and words.part_format else words.format
        if kind != words.answers:  # the options of people's own rows
            answer_format = LETTER if kind == "option" else CHOICE
        if kind == "label":
            answer_format = "\n".join((answer_format, *self._labels(example)))
        separator = "\n" if kind == "label" else " "
        not_stated = if_not_stated("this part") if content == "part" and example.query and kind not in CLOSED else ""
        return separator.join(filter(None, (answer_format, not_stated, TAGGED * self.tags)))

    def _kind(self, example: Example) -> Answers:
        """The kind of answers: the task's, or for people's own rows with options "option" ("label" for many)."""
        if len(example.options) > len(LETTERS):
            return "label"
        return "option" if example.meta.get("lettered") and self.words.answers != "label" else self.words.answers

    def _labels(self, example: Example) -> tuple[str, ...]:
        return tuple(example.options) or self.labels

    def _closed_answer(self, text: str, example: Example) -> str | None:
        """The option, label or other closed answer in a reply; None where the reply itself is the answer."""
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
