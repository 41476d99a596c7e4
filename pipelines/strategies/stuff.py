"""The question and the selected chunks in one prompt (MuLD, section 4; Kočiský et al. 2018)."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from longdoc.errors import UserError
from longdoc.registry import ADDED_LATER
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step, Strategy
from pipelines.strategies.shared.option_orders import (
    check_orders,
    most_frequent_place,
    ordered_jobs,
    orders_note,
    original_answer,
)


@dataclass(frozen=True)
class Stuff(Strategy):
    """One request per example, with the selected chunks.

    `orders`: in how many orders the options of a question of multiple choice, or the labels, are shown: one request
    each. The answer is the one that most orders give, of equally many that of the first; the note `orders` has them
    all. Raises `UserError` for fewer than one.
    """

    needs = frozenset({Generate})
    one_prompt = True

    orders: int = field(default=1, metadata=ADDED_LATER)

    def __post_init__(self) -> None:
        check_orders(self.orders)

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request for each order."""
        pairs = ordered_jobs(job, self.orders, lambda rotated: rotated.request(rotated.selected))
        outputs = yield [request for _, request in pairs]
        answers = [original_answer(job, rotated, output) for (rotated, _), output in zip(pairs, outputs, strict=True)]
        if self.orders == 1:
            return Outcome(answers[0])
        are_options = [bool(answer.strip()) and not job.template.remark(job.example, answer) for answer in answers]
        return Outcome(answers[most_frequent_place(answers, are_options)], orders_note(answers))

    def training_examples(self, job: Job) -> None:
        """None: the first requests with the job's references. Raises `UserError` for several orders."""
        if self.orders > 1:
            raise UserError("training uses one order of the options; leave orders out")
