"""Trains readers by scikit-learn's own `fit`, in seconds. The reader, not the recipe, has the fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.plugins.training.recipe import Recipe, TrainingJob
from pipelines.plugins.training.shared import ranks


@dataclass(frozen=True)
class ScikitLearn(Recipe):
    """Fits `linear` and `stylometry`. Both balance the classes and choose their settings by cross-validation.

    There is no early stopping, so no validation documents are held out.
    """

    trains = frozenset({"linear", "stylometry"})
    validates = False

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Fit and save."""
        if ranks.is_main():
            job.reader.fit(job.train)
            job.reader.save(job.out)
        return {}
