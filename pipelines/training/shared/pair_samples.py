"""Pairs of paragraphs for training and for choosing a threshold (`models.author_pairs`)."""

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
        """(first, second, one author) of each sampled pair, or of the neighbours."""
        pairs = self.pairs
        for i in (pairs.neighbours if neighbours else pairs.sampled).nonzero()[0].tolist():
            yield pairs.texts[pairs.first[i]], pairs.texts[pairs.second[i]], bool(pairs.same[i])

    @property
    def same(self) -> Bools:
        """Whether the neighbours have one author."""
        return self.pairs.same[self.pairs.neighbours]


def sample(training_examples: Sequence[TrainingExample], pairs: int, seed: int) -> TrainingPairs | None:
    """About `pairs` pairs of the paragraphs that are compared, None where no training example compares paragraphs.

    Raises `UserError` where all pairs have one author, or all two.
    """
    compared = [
        training_example for training_example in training_examples if isinstance(training_example.request, Compare)
    ]
    return TrainingPairs(sampled_pairs(compared, pairs, seed)) if compared else None


def sample_validation(training_examples: Sequence[TrainingExample], pairs: int, seed: int) -> TrainingPairs | None:
    """The same for validation documents, None where these do not have pairs of both kinds."""
    try:
        return sample(training_examples, pairs, seed)
    except UserError:
        return None
