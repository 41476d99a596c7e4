"""Pairs of paragraphs to learn from and to set a threshold by (`models.author_pairs`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from models.author_pairs import Bools, SampledPairs, sampled_pairs
from models.requests import Compare, TrainingExample


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn pairs, as many of one author as of two where a document has both, and neighbours beside them."""

    known: SampledPairs

    def texts(self, neighbours: bool = False) -> Iterator[tuple[str, str, bool]]:
        """(first, second, one author) of each drawn pair, or of the neighbours."""
        known = self.known
        for at in (known.neighbours if neighbours else known.sampled).nonzero()[0].tolist():
            yield known.texts[known.first[at]], known.texts[known.second[at]], bool(known.same[at])

    @property
    def same(self) -> Bools:
        """Whether the neighbours have one author."""
        return self.known.same[self.known.neighbours]


def drawn(training_examples: Sequence[TrainingExample], pairs: int, seed: int) -> Drawn | None:
    """About `pairs` pairs of the paragraphs that are compared, None where no training example compares any.

    Raises `UserError` where all have one author, or all two.
    """
    compared = [
        training_example for training_example in training_examples if isinstance(training_example.request, Compare)
    ]
    return Drawn(sampled_pairs(compared, pairs, seed)) if compared else None


def validated(training_examples: Sequence[TrainingExample], pairs: int, seed: int) -> Drawn | None:
    """The same of validation documents, None where these do not have pairs of both kinds."""
    try:
        return drawn(training_examples, pairs, seed)
    except UserError:
        return None
