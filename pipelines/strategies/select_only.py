"""No request to a model, for measuring the selected passages."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from pipelines.strategies import Job, Outcome, Step, Strategy

EVIDENCE_CHUNKS = "evidence_chunks"  # the note with the spans of the chunks of the evidence, selected or not


@dataclass(frozen=True)
class SelectOnly(Strategy):
    """Makes no request; the selected passages count as shown, with their headings (`model="none"`)."""

    needs = frozenset()
    one_prompt = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Return an empty prediction, with the selected passages as shown."""
        yield from ()
        notes = {EVIDENCE_CHUNKS: json.dumps(_evidence_chunks(job))} if job.example.evidence else {}
        return Outcome("", notes, shown=tuple(job.prompt(job.selected).spans))


def _evidence_chunks(job: Job) -> list[tuple[int, int]]:
    """The spans of the chunks that overlap or touch the evidence."""
    spans = [(chunk.start, chunk.end) for chunk in job.chunks]
    return [span for span in spans if any(span[0] <= end and start <= span[1] for start, end in job.example.evidence)]
