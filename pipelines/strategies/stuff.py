"""The question and the selected chunks in one prompt (MuLD, section 4; Kočiský et al. 2018)."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from models.requests import Generate
from pipelines.strategies import Job, Step, Strategy


@dataclass(frozen=True)
class Stuff(Strategy):
    """One request per example, with the selected chunks."""

    needs = frozenset({Generate})
    one_prompt = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], str]:
        """Make one request."""
        (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
        return job.answer(answer)
