"""The passages as they are: the floor of translation, which is to leave the text in its own language."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.prompts import Prompt
from models.requests import Generate, Reply, Request
from models.word_reader import check_limit, count_words, generate


@dataclass(frozen=True, slots=True)
class Copy:
    """Answers with the prompt's document parts in their order, joined as the prompt joins them.

    Tokens are white-space words; an answer ends after `max_new_tokens` of them, white space inside as it is. Raises
    `UserError` for a limit below 1.
    """

    max_input_tokens: int | None = None

    supports: ClassVar[frozenset[type]] = frozenset({Generate})
    labels: ClassVar[None] = None

    def __post_init__(self) -> None:
        check_limit(self.max_input_tokens)

    def count(self, texts: Sequence[str]) -> list[int]:
        """White-space words of each text."""
        return count_words(texts)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request; a prompt over the limit is cut first. n > 1 gives the same text n times."""
        return generate(requests, self.max_input_tokens, _passages)


def _passages(prompt: Prompt, _: Generate) -> list[str]:
    return [prompt.separator.join(part.text for part in prompt.passages)]
