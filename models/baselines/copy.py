"""The passages unchanged: the baseline of translation, which leaves the text in its own language."""

from dataclasses import dataclass

from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Copy(GeneratingWordReader):
    """Answers with the prompt's document parts in their order, joined as the prompt joins them.

    Tokens are words; an answer ends after `max_new_tokens` of them, white space inside as it is. Raises
    `UserError` for a limit below 1.
    """

    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The passages."""
        return [prompt.separator.join(part.text for part in prompt.titled_passages)]
