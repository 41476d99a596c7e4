"""One request per chunk, then per group of outputs, until one output is left (Wu et al. 2021, "Recursively
Summarizing Books with Human Feedback").
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step, Strategy


@dataclass(frozen=True)
class MapReduce(Strategy):
    """A tree: one request per selected chunk, in document order, then one per group of outputs, until there is one.

    A group is as many neighbouring outputs as fit the reader's prompt, at least two (truncated if they do not fit);
    an output that is left alone passes to the next level as it is. Blank outputs are dropped, and so are those
    that say that a part does not hold the answer, where others hold one. A single chunk takes one
    request. The note `tree` gives the number of requests at each level ("12, 3, 1"). In prompts for chat models
    summaries of parts share the length of the answer, in words that they are told.
    """

    needs = frozenset({Generate})
    by_part = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make the requests of each level in one round."""
        chunks = sorted(job.selected, key=lambda chunk: chunk.start)
        part_job = job.sharing(len(chunks))
        texts = _answers(job, (yield [part_job.request(chunk) for chunk in chunks]))
        tree = [len(chunks)]
        while len(texts) > 1:
            groups = _groups(job, texts)
            merged_groups = [group for group in groups if len(group) > 1]
            outputs = iter((yield [job.request(group) for group in merged_groups]))
            texts = _answers(job, [group[0] if len(group) == 1 else next(outputs) for group in groups])
            tree.append(len(merged_groups))
        return Outcome(texts[0] if texts else "", {"tree": ", ".join(map(str, tree))})

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """Raises `UserError`: references are about whole documents, requests about parts."""
        raise UserError(
            "map_reduce cannot be used for training, as references are about whole documents; train with "
            "strategy='stuff' and chunker='truncate', then run with strategy='map_reduce'"
        )


def _answers(job: Job, outputs: Sequence[Any]) -> list[str]:
    answers = [answer for output in outputs if (answer := job.answer(output)).strip()]
    return [answer for answer in answers if not job.declines(answer)] or answers[:1]


def _groups(job: Job, texts: Sequence[str]) -> list[list[str]]:
    """Groups of neighbouring texts, each with as many as fit the prompt, but at least two."""
    groups: list[list[str]] = [[]]
    for text in texts:
        if len(groups[-1]) > 1 and not job.fits([*groups[-1], text]):
            groups.append([])
        groups[-1].append(text)
    return groups
