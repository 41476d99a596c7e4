"""Masked entities that are filled in rightly: LooGLE's cloze (Li et al. 2024), exact and partial match.

An output is a dictionary of mask to entity in Python's notation, `{'<mask-0>': 'Bob'}`; anything else fills nothing
in. A mask matches exactly if the entities are the same text, and partially if they share a word. Both are counted over
the masks of all examples together. LooGLE's code runs `eval` on what a model wrote; here it is read as a literal.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.records import Example


@dataclass(frozen=True)
class ClozeMatch(Metric):
    """The shares of masks that match, 0–100; the keys are "cloze_exact_match" and "cloze_partial_match".

    "no_dictionary" is the share of outputs that are not a dictionary, 0–100. The first reference counts.
    """

    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "cloze_match|output:literal dictionary|other:nothing filled in|words:white space|average:over masks"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """How many masks there are, and how many match. Raises `UserError` for a reference that is not a dictionary."""
        entities = _dictionary(example.references[0]) or _json(example.references[0])
        if not entities:
            raise UserError(
                f"example {example.id}: the reference {example.references[0][:60]!r} must be a dictionary of masks"
            )
        answers = _dictionary(prediction)
        pairs = [(str(entity), (answers or {}).get(mask)) for mask, entity in entities.items()]
        return {
            "masks": float(len(entities)),
            "exact": float(sum(entity == answer for entity, answer in pairs)),
            "partial": float(
                sum(isinstance(answer, str) and bool({*entity.split()} & {*answer.split()}) for entity, answer in pairs)
            ),
            "none": float(answers is None),
            "outputs": 1.0,
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The shares of all masks and outputs together."""
        if not rows:
            return {}
        total = {name: fsum(row[name] for row in rows) for name in rows[0]}
        return {
            "cloze_exact_match": 100 * total["exact"] / total["masks"],
            "cloze_partial_match": 100 * total["partial"] / total["masks"],
            "no_dictionary": 100 * total["none"] / total["outputs"],
        }


def _dictionary(text: str) -> Mapping[Any, Any] | None:
    """A dictionary in Python's notation; None for anything else, however long or deep. Nothing is run."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json(text: str) -> Mapping[Any, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
