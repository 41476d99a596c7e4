"""Trains the evidence ranker by logistic regression, in seconds. The ranker, not the recipe, has the fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.plugins.training.recipe import Recipe, TrainingJob
from pipelines.plugins.training.shared import ranks


@dataclass(frozen=True)
class Ranking(Recipe):
    """Fits `evidence_ranker` on all training documents; there is no early stopping, so none are held out."""

    trains = frozenset({"evidence_ranker"})
    validates = False

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Fit and save."""
        if ranks.is_main():
            job.reader.fit(job.documents)
            job.reader.save(job.out)
        return {}
