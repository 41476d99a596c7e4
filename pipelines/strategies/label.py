"""A class for the selected chunks: one request per example (MuLD, section 4, character types).

The label is the one with the highest probability, or, from a reader that only writes, the one that its reply names.
"""

import json
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.registry import LATER_VALUES
from models.reader import Reader
from models.requests import Classify, Generate, Score
from models.truncation import Count
from pipelines.records import NO_LABEL
from pipelines.strategies import Job, Outcome, Step, Strategy, ended_prompt
from pipelines.strategies.shared.named_labels import label_of
from pipelines.strategies.shared.option_orders import check_orders, most_frequent_place, ordered_jobs, orders_note

NOTHING_TEXT = "never mentioned: no passage was selected, so the reader had none to read"
UNNAMED = "the reply names no label, or several"
ASKED_TEXT = "\n\nWrite one of these labels and nothing else:\n"
TIMES, MORE_LIMIT = 2, 32  # tokens of a reply: of the longest label, and more for words, marks or JSON around it


@dataclass(frozen=True)
class Label(Strategy):
    """Answers with one label.

    - `by`: "likelihood" makes one classification request, and the most probable label is the answer, of equally
      probable ones the reader's first; the note `probabilities` is a JSON object of label to probability. "generation"
      has the reader write the label: a reply that names none of them, or several, is the prediction as it is, and
      counted. None: likelihood where the reader gives any, else generation where it is a chat model.
    - `labels`: the classes, where the task has none and no training split names them.
    - `listed`: whether the prompt ends with the labels, a line each. None: where they are generated, and for chat
      models. A line more to read for classifiers, which know theirs.
    - `orders`: in how many orders the labels are listed: one request each. The answer is the label that most orders
      give, of equally many that of the first; the note `orders` has them all.

    There is a note `remark` where nothing was selected, or no label is named. Raises `UserError` for labels that are
    empty or not distinct, and where there are none, and for several orders where none are listed.
    """

    by: Literal["likelihood", "generation"] | None = field(default=None, metadata=LATER_VALUES)
    labels: tuple[str, ...] = field(default=(), metadata=LATER_VALUES)
    listed: bool | None = field(default=None, metadata=LATER_VALUES)
    orders: int = field(default=1, metadata=LATER_VALUES)

    one_prompt = True
    has_format = True

    def __post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels) or not all(label.strip() for label in self.labels):
            raise UserError(f"label: labels must differ and not be empty, got {', '.join(map(repr, self.labels))}")
        if self.by == "generation" and self.listed is False:
            raise UserError("label: a reader that writes a label has to see them all: leave listed=false out")
        check_orders(self.orders)

    @property
    def needs(self) -> frozenset[type]:  # type: ignore[override]
        """`Generate` where the label is written."""
        return frozenset({Generate if self.by == "generation" else Classify})

    def suited(self, reader: Reader) -> "Label":
        """With the reader's way to a label where `by` is None, and labels in the prompt of a chat model."""
        scores = bool(reader.supports & {Classify, Score})
        method = self.by if self.by or scores or Generate not in reader.supports else "generation"
        listed = True if self.listed is None and reader.is_chat and method != "generation" else self.listed
        if self.orders > 1 and method != "generation" and not listed:
            raise UserError(
                f"label: orders={self.orders} rotates the labels in the prompt, which lists none: "
                "give listed=true as well, or leave orders out"
            )
        return replace(self, by=method, listed=listed)

    def output_length(self, length: int, labels: Sequence[str], count: Count) -> int:
        """Room for the longest label and some words around it, where it is written."""
        if self.by != "generation" or not labels:
            return length
        return TIMES * max(count(list(labels))) + MORE_LIMIT

    def ending(self, labels: Sequence[str]) -> str:
        """The labels, a line each, where they are listed."""
        return self._listed_text(self.labels or labels)

    def _listed_text(self, labels: Sequence[str]) -> str:
        if not labels or not (self.listed or self.by == "generation"):
            return ""
        return ASKED_TEXT + "\n".join(" ".join(label.split()) for label in labels)

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request for each order."""
        pairs = ordered_jobs(replace(job, labels=self.labels or job.labels), self.orders, self._request)
        replies = yield [request for _, request in pairs]
        outcomes = [self._outcome(ordered, reply) for (ordered, _), reply in zip(pairs, replies, strict=True)]
        if self.orders == 1:
            return outcomes[0]
        answers = [outcome.prediction for outcome in outcomes]
        are_labels = [bool(outcome.prediction) and not outcome.outputs for outcome in outcomes]
        outcome = outcomes[most_frequent_place(answers, are_labels)]
        counts = sum((Counter(outcome.outputs) for outcome in outcomes), Counter[str]())
        return replace(outcome, notes={**outcome.notes, **orders_note(answers)}, outputs=counts)

    def _request(self, job: Job) -> Generate | Classify:
        """The request, with the options of its example where there are no other labels."""
        labels = job.labels or job.example.options
        prompt = replace(job, ending="").prompt(job.selected)
        prompt = ended_prompt(prompt, self._listed_text(labels))
        if self.by != "generation":
            return Classify(prompt)
        if not labels:
            problem = f"example {job.example.id!r} has no options to choose from"
            raise UserError(f"{problem}: give strategy='label:labels=[A,B]'")
        return Generate(prompt, job.length, choices=tuple(labels))

    def _outcome(self, job: Job, reply: Any) -> Outcome:
        if self.by == "generation":
            return _named_outcome(job, str(reply), job.labels or job.example.options)
        return self._most_probable(job, reply)

    def _most_probable(self, job: Job, probabilities: Mapping[str, float]) -> Outcome:
        if self.labels and (other_names := set(probabilities) - set(self.labels)):
            problem = (
                f"the reader has labels that are not in strategy label's labels=: {', '.join(sorted(other_names))}"
            )
            raise UserError(f"{problem}; leave labels= out, or train a reader on these")
        rounded = {label: round(float(value), 4) for label, value in probabilities.items()}
        notes = {"probabilities": json.dumps(rounded, ensure_ascii=False)} | _remark(job)
        return Outcome(max(probabilities, key=probabilities.__getitem__), notes)


def _named_outcome(job: Job, reply: str, labels: Sequence[str]) -> Outcome:
    """The label that a reply names, else the reply; an option by its letter too, where the rows have letters."""
    label = label_of(reply, labels) or (answer if (answer := job.answer(reply)) in labels else None)
    if label is not None:
        return Outcome(label, _remark(job))
    counted_values = {NO_LABEL: 1} if reply.strip() else {}  # empty outputs are counted as such
    return Outcome(reply.strip(), {"remark": UNNAMED} | _remark(job), outputs=counted_values)


def _remark(job: Job) -> dict[str, str]:
    return {} if job.selected else {"remark": NOTHING_TEXT}
