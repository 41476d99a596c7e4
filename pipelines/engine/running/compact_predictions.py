"""Predictions without their texts, so small that those of a long run fit into memory together for scoring."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from models.refusals import UNANSWERABLE, is_refusal_label, refuses
from pipelines.records import NO_ANSWER, ORDERS, Prediction, is_unanswerable

COUNTED = ("chunks", "remark", ORDERS)  # notes that keep their texts, which `remarks` and `reference_counts` count
ANSWER = "answer"  # in place of an output that answers a question without an answer
SOME_REFERENCES, REFUSALS = (ANSWER,), (UNANSWERABLE,)  # in place of references, and of those that are all refusals
EMPTY: Mapping[str, Any] = {}
MOST_SHARED = 10_000  # different mappings that are kept to be shared


class WithoutTexts:
    """Takes the texts and spans out of predictions; equal mappings of several predictions become one object.

    References become a mark for none, some, or a question without an answer: that decides what is scored. The output to
    a question without an answer becomes a mark for whether it answers.
    """

    def __init__(self) -> None:
        self._mappings: dict[str, Any] = {}
        self._documents: dict[str, str] = {}

    def __call__(self, prediction: Prediction) -> Prediction:
        """A prediction without its texts and spans."""
        references = _mark(prediction.references)
        answers_anyway = references in (NO_ANSWER, REFUSALS) and not refuses(prediction.prediction)
        return replace(
            prediction,
            document=self._documents.setdefault(prediction.document, prediction.document),
            query="",
            references=references,
            prediction=ANSWER if answers_anyway else "",
            selected=(),
            shown_spans=(),
            notes=self._shared({name: text if name in COUNTED else "" for name, text in prediction.notes.items()}),
            statistics=self._shared(prediction.statistics),
            outputs=self._shared(prediction.outputs),
            passages=self._shared(prediction.passages),
            request_digest="",
            evidence={},
        )

    def _shared(self, mapping: Mapping[str, Any]) -> Any:
        """The first mapping that was equal to this one, in order and types of numbers too."""
        if not mapping:
            return EMPTY
        key = json.dumps(mapping, ensure_ascii=False)
        if key not in self._mappings and len(self._mappings) < MOST_SHARED:
            self._mappings[key] = {sys.intern(name): value for name, value in mapping.items()}
        return self._mappings.get(key, mapping)


def _mark(references: Sequence[str]) -> tuple[str, ...]:
    """The references that stand for these in scoring."""
    if is_unanswerable(references):
        return NO_ANSWER
    if not references:
        return ()
    return REFUSALS if all(map(is_refusal_label, references)) else SOME_REFERENCES
