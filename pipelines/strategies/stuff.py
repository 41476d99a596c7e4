"""The question and the selected chunks in one prompt (MuLD, section 4; Kočiský et al. 2018)."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

from models.requests import Generate
from pipelines.strategies import Job, Step


@dataclass(frozen=True, slots=True)
class Stuff:
    """One request an example: whatever the retriever selected, in the order shown."""

    needs: ClassVar[frozenset[type]] = frozenset({Generate})

    def __call__(self, job: Job) -> Generator[Step, list[Any], str]:
        """Ask once."""
        (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
        return job.answer(answer)
