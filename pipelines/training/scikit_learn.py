"""Readers that learn by scikit-learn's own `fit`, in seconds. Nothing is set here: the reader has the fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.training import Recipe, TrainingJob, _ranks


@dataclass(frozen=True)
class ScikitLearn(Recipe):
    """Fits `linear` and `stylometry`. Both balance the classes and settle what they need to by cross-validation.

    Nothing is stopped early, so no validation documents are held out.
    """

    trains = frozenset({"linear", "stylometry"})
    validates = False

    def __call__(self, job: TrainingJob) -> Mapping[str, Any]:
        """Fit and save."""
        if _ranks.is_main():
            job.reader.fit(job.train)
            job.reader.save(job.out)
        return {}
