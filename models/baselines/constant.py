"""One answer to everything: "unanswerable" for MuSiQue, 50% for SpaceDigest (Shaham et al. 2023, section 4.1)."""

from dataclasses import dataclass

from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Constant(GeneratingWordReader):
    """Answers with `text`, truncated to the request's length in words. Raises `UserError` for no text."""

    text: str | int | float  # constant:1 is a number

    def __post_init__(self) -> None:
        if not str(self.text).strip():
            raise UserError("constant needs the text to answer with, as in constant:50%")

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The same text for every prompt."""
        return [str(self.text)]
