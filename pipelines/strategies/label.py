"""A class for the selected chunks: one classification request per example (MuLD, section 4, character types)."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from models.requests import Classify
from pipelines.strategies import Job, Outcome, Step, Strategy

NOTHING = "never mentioned: no passage was selected, so the reader had none to read"


@dataclass(frozen=True)
class Label(Strategy):
    """Answers with the most probable label; of equally probable ones, the reader's first.

    The note `probabilities` is a JSON object of label to probability; there is a `remark` where nothing was selected.
    """

    needs = frozenset({Classify})
    one_prompt = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request."""
        (probabilities,) = yield [Classify(job.prompt(job.selected))]
        rounded = {label: round(float(value), 4) for label, value in probabilities.items()}
        notes = {"probabilities": json.dumps(rounded, ensure_ascii=False)}
        if not job.selected:
            notes["remark"] = NOTHING
        return Outcome(max(probabilities, key=probabilities.__getitem__), notes)
