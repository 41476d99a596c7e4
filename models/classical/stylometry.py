"""Whether two paragraphs have one author, by their style: a logistic model of how they differ.

The differences are those of `models.classical._style_features`, learned from as in `models.author_pairs`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import saved
from models.author_pairs import Logistic, fitted, sampled_pairs
from models.classical._style_features import PAIRS_AT_ONCE, Profiler, Profiles
from models.classical._vectorizers import packed, unpacked
from models.requests import Compare, Reply, Request, TrainingExample
from models.word_reader import WordReader

REGULARIZATION = 10.0


@dataclass(frozen=True)
class Stylometry(WordReader):
    """Answers Compare once it is fitted, on about `pairs` pairs of paragraphs sampled by `seed`.

    0.5 is the threshold that does best on neighbours in held-out training documents (`models.author_pairs`).
    `model` is a folder that `save` wrote. Raises `UserError` for fewer than 10 pairs, for a folder that holds no such
    reader, for training examples that teach nothing, and when asked before it is fitted.
    """

    pairs: int = 20_000
    seed: int = 0
    model: str | None = None

    supports = frozenset({Compare})
    batch_requests = 1  # a document
    can_save = True

    _learned_values: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _latest: dict[tuple[str, ...], Profiles] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.pairs < 10:
            raise UserError(f"stylometry: pairs must be at least 10, got {self.pairs}")
        if self.model is not None:
            weights, bias, vectorizers = saved.load(self.model, "weights", "bias", "vectorizers")
            self._learned_values.update(
                profiler=Profiler(list(map(unpacked, vectorizers))), model=Logistic(weights, bias)
            )

    @property
    def fitted(self) -> bool:  # type: ignore[override]
        """Whether it can answer."""
        return bool(self._learned_values)

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn from Compare training examples whose references say who wrote the paragraphs, or where the author
        changes.
        """
        pairs = sampled_pairs(examples, self.pairs, self.seed)
        profiler = Profiler.fitted(pairs.texts)
        features = profiler(pairs.texts).differences(pairs.first, pairs.second)
        self._learned_values.update(profiler=profiler, model=fitted(features, pairs, REGULARIZATION))
        self._latest.clear()

    def save(self, folder: Path) -> None:
        """Keep what was learned in a folder that `models.get` makes this reader of."""
        model, profiler = self._learned_values["model"], self._learned_values["profiler"]
        learned_fields = {
            "weights": model.weights,
            "bias": model.bias,
            "vectorizers": list(map(packed, profiler.vectorizers)),
        }
        saved.save(folder, learned_fields)
        saved.describe(folder, {"name": "stylometry", "pairs": self.pairs, "seed": self.seed})

    def resolve(self) -> dict[str, Any]:
        """What a run records of a trained folder."""
        return saved.identity(self.model)

    def reply_to(self, request: Request) -> Reply:
        """The probabilities; the profiles of a document are kept until the next document."""
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        if not self.fitted:
            raise UserError(
                "stylometry has to be fitted first: give data= a training split, or call fit(training_examples)"
            )
        if request.texts not in self._latest:
            self._latest.clear()
            self._latest[request.texts] = self._learned_values["profiler"](request.texts)
        profiles = self._latest[request.texts]
        numbers = np.array(request.pairs, np.int64).reshape(-1, 2)
        values: list[float] = []
        for position in range(0, len(numbers), PAIRS_AT_ONCE):
            first, second = numbers[position : position + PAIRS_AT_ONCE].T
            values += self._learned_values["model"](profiles.differences(first, second))
        return Reply(tuple(values), tokens_in=sum(count_words(request.texts)))
