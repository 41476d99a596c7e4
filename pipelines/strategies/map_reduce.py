"""Outputs of chunks, joined in groups and asked about again until one is left (Wu et al. 2021, "Recursively
Summarizing Books with Human Feedback").
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step


@dataclass(frozen=True, slots=True)
class MapReduce:
    """A tree: each selected chunk is asked about, in document order, then groups of outputs, until there is one.

    A group is as many neighbouring outputs as fit the reader's prompt, at least two (two that do not fit are cut); an
    output that is left alone goes up as it is. Blank outputs are dropped. With one chunk it is asked about once. The
    note `tree` says how many texts were asked about at each height ("12, 3, 1").
    """

    needs: ClassVar[frozenset[type]] = frozenset({Generate})

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Ask about all chunks in one round, then about all groups of a height in one."""
        chunks = sorted(job.selected, key=lambda chunk: chunk.start)
        texts = _said(job, (yield [Generate(job.prompt(chunk), job.length) for chunk in chunks]))
        tree = [len(chunks)]
        while len(texts) > 1:
            groups = _groups(job, texts)
            joined = [group for group in groups if len(group) > 1]
            outputs = iter((yield [Generate(job.prompt(group), job.length) for group in joined]))
            texts = _said(job, [group[0] if len(group) == 1 else next(outputs) for group in groups])
            tree.append(len(joined))
        return Outcome(texts[0] if texts else "", {"tree": ", ".join(map(str, tree))})

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """None: what is right for a part cannot be told from what is right for the whole. Raises `UserError`."""
        raise UserError(
            "map_reduce asks about parts, and the references are of the whole: train with strategy='stuff' and "
            "chunker='truncate', then read with map_reduce"
        )


def _said(job: Job, outputs: Sequence[Any]) -> list[str]:
    return [answer for output in outputs if (answer := job.answer(output)).strip()]


def _groups(job: Job, texts: Sequence[str]) -> list[list[str]]:
    """Neighbours together as long as they fit, two in any case."""
    groups: list[list[str]] = [[]]
    for text in texts:
        if len(groups[-1]) > 1 and not job.fits([*groups[-1], text]):
            groups.append([])
        groups[-1].append(text)
    return groups
