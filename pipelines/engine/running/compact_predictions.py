"""Predictions as scoring needs them, small enough that those of a long run fit into memory together."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipelines.records import NO_ANSWER, Prediction, is_unanswerable

REMARKS = ("chunks", "remark")  # the notes whose texts `pipelines.results.remarks.remarks` counts
SOME_NAMES = ("…",)  # in place of any references
NONE_VALUES: Mapping[str, Any] = {}
MAXIMUM = 10_000  # different mappings that are kept to be shared


class WithoutTexts:
    """Takes the texts and spans out of predictions; those that are alike in the rest share it.

    References stay as one text where there are any: only whether there are, and whether the question has no answer,
    decides what is scored.
    """

    def __init__(self) -> None:
        self._mappings: dict[str, Any] = {}
        self._documents: dict[str, str] = {}

    def __call__(self, prediction: Prediction) -> Prediction:
        """A prediction without its texts and spans."""
        return replace(
            prediction,
            document=self._documents.setdefault(prediction.document, prediction.document),
            query="",
            references=NO_ANSWER
            if is_unanswerable(prediction.references)
            else SOME_NAMES
            if prediction.references
            else (),
            prediction="",
            selected=(),
            shown_spans=(),
            notes=self._shared({name: text if name in REMARKS else "" for name, text in prediction.notes.items()}),
            statistics=self._shared(prediction.statistics),
            outputs=self._shared(prediction.outputs),
            passages=self._shared(prediction.passages),
            request_digest="",
            evidence={},
        )

    def _shared(self, mapping: Mapping[str, Any]) -> Any:
        """The first mapping that was equal to this one, with its order and kinds of numbers."""
        if not mapping:
            return NONE_VALUES
        key = json.dumps(mapping, ensure_ascii=False)
        if key not in self._mappings and len(self._mappings) < MAXIMUM:
            self._mappings[key] = {sys.intern(name): value for name, value in mapping.items()}
        return self._mappings.get(key, mapping)
