"""No request: what was selected is what is measured."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from pipelines.strategies import Job, Outcome, Step, Strategy


@dataclass(frozen=True)
class SelectOnly(Strategy):
    """Makes no request; the selected passages count as shown, with their headings (`model="none"`)."""

    needs = frozenset()
    one_prompt = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Return at once, with no text."""
        yield from ()
        return Outcome("", shown=tuple(job.prompt(job.selected).spans))
