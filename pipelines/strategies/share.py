"""The share of the inner documents in one class: one classification request each (in SpaceDigest, one per review).

ZeroSCROLLS asks for the percentage in one prompt (Shaham et al. 2023, section 3.1.3); here each review is classified
alone, and the count is exact.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Classify
from pipelines.strategies import Job, Outcome, Step, Strategy

NO_CHUNKS = "no inner document was selected, so there was nothing to count"


@dataclass(frozen=True)
class Share(Strategy):
    """Answers with the percentage of the selected chunks whose most probable label is `label`, as "45%".

    With the chunker `numbered`, chunks are the inner documents: prompts leave out their headings, and text before the
    first heading is not counted. Without chunks the answer is empty, with a note `remark`. `labels` are the classes
    that a generating reader chooses from by likelihood; a classifier has its own, which must include `label`. The note
    `counts` is a JSON object of label to count. Raises `UserError` for a `label` that is none of the labels.
    """

    needs = frozenset({Classify})

    label: str = "positive"
    labels: tuple[str, ...] = ("positive", "negative")

    def __post_init__(self) -> None:
        if self.label not in self.labels:
            raise UserError(f"share: label must be one of {', '.join(self.labels)}, got {self.label!r}")

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Classify all inner documents in one round."""
        chunks = sorted(job.selected, key=lambda chunk: chunk.start)
        if any(chunk.label for chunk in chunks):
            chunks = [_without_heading(chunk) for chunk in chunks if chunk.label]
        replies = yield [Classify(job.prompt(chunk)) for chunk in chunks]
        if not replies:
            return Outcome("", {"remark": NO_CHUNKS})
        counts = dict.fromkeys(replies[0], 0)
        for probabilities in replies:
            counts[max(probabilities, key=probabilities.__getitem__)] += 1
        return Outcome(f"{round(100 * counts[self.label] / len(replies))}%", {"counts": json.dumps(counts)})

    def training_examples(self, job: Job) -> Any:
        """Raises `UserError`: the reference is one percentage, which labels no single document."""
        raise UserError(
            f"share cannot be used for training, as the target is one percentage for all inner documents; train on "
            f"documents labelled {' or '.join(self.labels)}, then run with model=FOLDER"
        )


def _without_heading(chunk: Chunk) -> Chunk:
    """A numbered chunk without its heading."""
    rest = chunk.text.partition(":")[2].lstrip() if chunk.text.startswith(f"{chunk.label}:") else chunk.text
    return replace(chunk, text=rest, start=chunk.end - len(rest))
