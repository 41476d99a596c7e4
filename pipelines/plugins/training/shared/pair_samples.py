"""Samples pairs of paragraphs for training and for choosing a threshold (`models.author_pairs`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from models.author_pairs import Bools, SampledPairs, sampled_pairs
from models.requests import Compare, TrainingExample


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Sampled pairs, equally many of one author and of two where a document has both, and neighbouring paragraphs."""

    pairs: SampledPairs

    def texts(self, neighbours: bool = False) -> Iterator[tuple[str, str, bool]]:
        """(first, second, whether one author wrote both) of each sampled pair, or of the neighbours."""
        pairs = self.pairs
        for number in (pairs.neighbours if neighbours else pairs.sampled).nonzero()[0].tolist():
            yield pairs.texts[pairs.first[number]], pairs.texts[pairs.second[number]], bool(pairs.same[number])

    @property
    def same(self) -> Bools:
        """Whether the neighbours have one author."""
        return self.pairs.same[self.pairs.neighbours]


def sample(examples: Sequence[TrainingExample], pairs: int, seed: int) -> TrainingPairs | None:
    """About `pairs` pairs of the paragraphs that the examples compare, None where no example compares any.

    Raises `UserError` where all pairs have one author, or all two.
    """
    comparisons = [example for example in examples if isinstance(example.request, Compare)]
    return TrainingPairs(sampled_pairs(comparisons, pairs, seed)) if comparisons else None


def sample_validation(examples: Sequence[TrainingExample], pairs: int, seed: int) -> TrainingPairs | None:
    """The same for validation examples; None also where these do not have pairs of both kinds."""
    try:
        return sample(examples, pairs, seed)
    except UserError:
        return None
