"""One of a few answers by chance: the baselines of QuALITY and Qasper in ZeroSCROLLS (Shaham et al. 2023, section
4.1).
"""

import hashlib
import random
from dataclasses import dataclass

from longdoc.errors import UserError
from models.baselines.naive import Words
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class RandomChoice(GeneratingWordReader):
    """Answers with one of `texts`; with `words`, half of the time with a random span of so many words instead.

    Every choice is sampled by (seed, prompt), so a prompt always has the same answer; a run gives
    its own seed where `seed` is None. A span is of the passages in document order, white space made single. n > 1
    draws n times. Raises `UserError` for no texts, and for `words` below 1.
    """

    texts: tuple[str, ...] = ("A", "B", "C", "D")
    words: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.texts:
            raise UserError("random_choice needs texts, the answers to draw from: random_choice:texts=[yes,no]")
        if self.words is not None and self.words < 1:
            raise UserError(f"random_choice: words must be at least 1, got {self.words}; leave it out for no spans")

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """One random answer for each of the request's n."""
        key = f"{self.seed or 0}:{prompt.text}".encode("utf-8", "surrogatepass")
        draw = random.Random(hashlib.sha256(key).digest())
        return [self._sample(draw, prompt) for _ in range(max(request.n, 1))]

    def _sample(self, draw: random.Random, prompt: Prompt) -> str:
        if self.words is None or draw.random() < 0.5:
            return draw.choice(self.texts)
        words = Words.of(prompt)
        start = draw.randrange(max(len(words) - self.words, 0) + 1)
        return words.stretch(start, self.words)
