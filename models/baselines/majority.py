"""The commonest answer of the training split: SCROLLS' baseline for QuALITY and ContractNLI (Shaham et al. 2022,
5.1).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from longdoc.errors import UserError
from models.options import options
from models.prompts import Prompt
from models.requests import Generate, TrainingExample
from models.word_reader import GeneratingWordReader

Answer = str | tuple[int, bool]  # a text; or the place of an option, and whether its letter is the answer
ANY = ""


@dataclass(frozen=True)
class Majority(GeneratingWordReader):
    """Answers with the most frequent training answer: an option's place if the prompt lists options, else a text.

    `per` query: for each query by itself (ContractNLI asks all contracts the same 17 things); one that the training
    split does not ask gets the answer of all. Of equally frequent ones the first of the split counts. An option is
    answered as in the training split, by its text or by its letter; where a prompt lists too few, by the last. n > 1
    gives the same n times.
    """

    per: Literal["all", "query"] = "all"

    streams_training = True

    _counts: dict[str, Counter[Answer]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether it has been fitted."""
        return bool(self._counts)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Count the training answers, each reference once. Raises `UserError` if there are none."""
        self._counts.clear()
        for example in examples:
            if isinstance(example.request, Generate):
                prompt = Prompt.of(example.request.prompt)
                for key in {ANY, self._key(prompt)}:
                    self._counts.setdefault(key, Counter()).update(_answer(prompt, r) for r in example.references)
        if not self._counts.get(ANY):
            raise UserError("majority: no training example has an answer, so there is nothing to count")

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The most frequent answer. Raises `UserError` before it was fitted."""
        if not self._counts:
            raise UserError("majority must be trained first: give data= a folder with train and test files")
        counts = self._counts.get(self._key(prompt)) or self._counts[ANY]
        ((answer, _),) = counts.most_common(1)
        if isinstance(answer, str):
            return [answer]
        choices = options(prompt)
        place, as_letter = answer
        return [choices[min(place, len(choices) - 1)][0 if as_letter else 1] if choices else ""]

    def _key(self, prompt: Prompt) -> str:
        return " ".join(prompt.query.split()) if self.per == "query" else ANY


def _answer(prompt: Prompt, reference: str) -> Answer:
    """The place of the option that the reference is, by text or letter; else the reference."""
    for place, option in enumerate(options(prompt)):
        if reference.strip() in option:
            return place, reference.strip() == option.letter
    return reference
