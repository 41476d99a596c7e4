"""Readers that learn by scikit-learn's own `fit`, in seconds. Nothing is set here: the reader has the fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pipelines.training import Course, _ranks


@dataclass(frozen=True, slots=True)
class ScikitLearn:
    """Fits `linear` and `stylometry`. Both balance the classes and settle what they need to by cross-validation.

    Nothing is stopped early, so no validation documents are held out.
    """

    trains: ClassVar[frozenset[str]] = frozenset({"linear", "stylometry"})

    validates: ClassVar[bool] = False

    def __call__(self, course: Course) -> Mapping[str, Any]:
        """Fit and save."""
        if _ranks.is_main():
            course.reader.fit(course.train)
            course.reader.save(course.out)
        return {}
