"""The fixed-length prefix: the baseline of most tasks of SCROLLS (Shaham et al. 2022, section 5.1).

ρ is the mean over the training split's input-output pairs of len(output) / len(input), in characters; the answer to an
input of n characters is its first ρ · n. The paper does not say whether an input's query belongs to it. On QMSum's
validation split the published figures (ROUGE 14.2 / 2.0 / 9.3) are near those of the document alone (14.4 / 1.6 / 9.4
with the split's own ρ), and not of the query in front of it (18.4 / 3.8 / 12.2): the query is left out by default.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Generate, TrainingExample
from models.word_reader import GeneratingWordReader


@dataclass(frozen=True)
class Prefix(GeneratingWordReader):
    """Answers with the first `ratio` of the document's characters; None: the mean of the training split, by `fit`.

    `query` excluded: the input is the document; included: it is the whole prompt. The document must be whole, so a run
    needs chunker="whole" and no bound on the prompt. The request's length, in words, holds all the same.
    n > 1 gives the same text n times. Raises `UserError` for a ratio that is not positive.
    """

    ratio: float | None = None
    query: Literal["excluded", "included"] = "excluded"

    needs_whole_document = True
    streams_training = True

    _learned: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.ratio is not None and not 0 < self.ratio < float("inf"):
            raise UserError(f"prefix: ratio must be a positive number, got {self.ratio}")

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether the ratio is known."""
        return self.ratio is not None or bool(self._learned)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn the mean ratio over all references. Raises `UserError` if there are none."""
        total, pairs = 0.0, 0
        for example in examples:
            if isinstance(example.request, Generate) and (
                length := len(self._input(Prompt.of(example.request.prompt)))
            ):
                total += sum(len(reference) for reference in example.references) / length
                pairs += len(example.references)
        if not pairs:
            raise UserError("prefix: no training document has an output, so there is no ratio; give prefix:ratio=0.01")
        self._learned[:] = [total / pairs]

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The prefix. Raises `UserError` before the ratio is known."""
        if not self.fitted:
            raise UserError("prefix must be trained first, or given its share of the input: prefix:ratio=0.01")
        ratio = self._learned[0] if self.ratio is None else self.ratio
        text = self._input(prompt)
        return [text[: int(ratio * len(text))]]

    def _input(self, prompt: Prompt) -> str:
        if self.query == "included":
            return prompt.text
        texts = [part.text for part in prompt.passages]
        return texts[0] if len(texts) == 1 else prompt.separator.join(texts)
