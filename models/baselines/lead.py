"""The first sentences: the baseline of summarization (Nenkova 2005, "Automatic text summarization of newswire")."""

from dataclasses import dataclass

from longdoc.errors import UserError
from models.baselines._prose import prose
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader, first_words


@dataclass(frozen=True)
class Lead(GeneratingWordReader):
    """Answers with the first sentences of the passages, as many whole ones as fit the length.

    The length is `words` words, or the request's where that is less (None: the request's). A first sentence
    that is longer is cut. Sentences are taken in document order; headings and tables are none (`_prose`), and white
    space is made single. n > 1 gives the same text n times. Raises `UserError` for numbers below 1.
    """

    words: int | None = None
    max_input_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.words is not None and self.words < 1:
            raise UserError(f"words must be at least 1, got {self.words}; leave it out for the task's own length")
        super().__post_init__()

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The first sentences."""
        budget = request.max_new_tokens if self.words is None else min(self.words, request.max_new_tokens)
        texts: list[str] = []
        for sentence in prose(prompt):
            if sentence.length > budget:
                return [" ".join(texts) or first_words(sentence.text, self.words or sentence.length)]
            texts.append(sentence.text)
            budget -= sentence.length
        return [" ".join(texts)]
