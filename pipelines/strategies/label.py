"""A class for the selected chunks: one classification request an example (MuLD, section 4, character types)."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

from models.requests import Classify
from pipelines.strategies import Job, Outcome, Step

NOTHING = "never mentioned: no passage was selected, so the reader had none to read"


@dataclass(frozen=True, slots=True)
class Label:
    """Answers with the most probable label; of equally probable ones, the first that the reader names.

    The note `probabilities` is a JSON object of label to probability; `remark` is there where nothing was selected.
    """

    needs: ClassVar[frozenset[type]] = frozenset({Classify})

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Ask once."""
        (probabilities,) = yield [Classify(job.prompt(job.selected))]
        shown = {label: round(float(value), 4) for label, value in probabilities.items()}
        notes = {"probabilities": json.dumps(shown, ensure_ascii=False)}
        if not job.selected:
            notes["remark"] = NOTHING
        return Outcome(max(probabilities, key=probabilities.__getitem__), notes)
