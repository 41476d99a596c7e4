"""SCROLLS' tasks as prompts for a chat model, in our own words, and how a reply becomes the answer.

SCROLLS' inputs hold no instruction: they are for models that are fine-tuned on them (Shaham et al. 2022, section 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from models.prompts import Part, Prompt
from pipelines.records import Example
from pipelines.strategies._closed_answers import label_of, option_of, short_of
from pipelines.strategies._row_prompt import RowPrompt

Answers = Literal["text", "option", "label", "short"]


@dataclass(frozen=True, slots=True)
class ChatForm(RowPrompt):
    """The prompt, in the forms of `RowPrompt`, and which answer a reply gives.

    - text: all of it.
    - option: the one of the example's options that it names, by letter or text.
    - label: the one of the example's options that it names; they stand in the instruction, without letters.
    - short: yes, no or unanswerable where it says that, else all of it.

    A reply that names none, or several, stays as it is.
    """

    answers: Answers = "text"

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        example = replace(example, options=()) if self.answers == "label" else example
        return RowPrompt.render(self, example, passages)

    def answer(self, example: Example, output: str) -> str:
        """The answer that an output gives, in the words of the task's references."""
        text = RowPrompt.answer(self, example, output)
        named = self._named(text, example.options)
        return text if named is None else named

    def remark(self, example: Example, answer: str) -> str | None:
        """The remark on an answer that is none of the options."""
        options = example.options if self.answers in ("option", "label") else ()
        return f"the reply names no {self.answers}, or several" if options and answer not in options else None

    def _named(self, text: str, options: Sequence[str]) -> str | None:
        if self.answers == "option":
            return option_of(text, options)
        if self.answers == "label":
            return label_of(text, options)
        return short_of(text) if self.answers == "short" else None
