"""A class for the selected chunks: one request per example (MuLD, section 4, character types).

The label is the one with the highest probability, or, from a reader that only writes, the one that its reply names.
"""

import json
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.registry import ADDED_LATER
from models.reader import Reader
from models.requests import Classify, Generate, Score
from models.truncation import Count
from pipelines.prompts.named_labels import label_of
from pipelines.prompts.strategy_words import LABELS
from pipelines.records import NO_LABEL
from pipelines.strategies import Job, Outcome, Step, Strategy, ended_prompt
from pipelines.strategies.shared.option_orders import check_orders, most_frequent_place, ordered_jobs, orders_note

NO_PASSAGES = "never mentioned: no passage was selected, so the reader had none to read"
NO_SINGLE_LABEL = "the reply names no label, or several"
# tokens of a reply: twice those of the longest label, and some for words, marks or JSON around it
LENGTH_RATIO, EXTRA_TOKENS = 2, 32


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

    by: Literal["likelihood", "generation"] | None = field(default=None, metadata=ADDED_LATER)
    labels: tuple[str, ...] = field(default=(), metadata=ADDED_LATER)
    listed: bool | None = field(default=None, metadata=ADDED_LATER)
    orders: int = field(default=1, metadata=ADDED_LATER)

    one_prompt = True
    has_format = True

    def __post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels) or not all(label.strip() for label in self.labels):
            raise UserError(f"label: labels must differ and not be empty, got {', '.join(map(repr, self.labels))}")
        if self.by == "generation" and self.listed is False:
            raise UserError("label: by=generation needs the labels in the prompt; leave listed=false out")
        check_orders(self.orders)

    @property
    def needs(self) -> frozenset[type]:  # type: ignore[override]
        """The kind of request: `Generate` where the label is generated, else `Classify`."""
        return frozenset({Generate if self.by == "generation" else Classify})

    def suited(self, reader: Reader) -> "Label":
        """The strategy with `by` chosen for this reader, and with labels in the prompt of a chat model."""
        has_probabilities = bool(reader.supports & {Classify, Score})
        method = self.by if self.by or has_probabilities or Generate not in reader.supports else "generation"
        listed = True if self.listed is None and reader.is_chat and method != "generation" else self.listed
        if self.orders > 1 and method != "generation" and not listed:
            raise UserError(
                f"label: orders={self.orders} needs the labels in the prompt; set listed=true, or leave orders out"
            )
        return replace(self, by=method, listed=listed)

    def output_length(self, length: int, labels: Sequence[str], count: Count) -> int:
        """The output length in tokens: for a generated label, the longest label with some words around it."""
        if self.by != "generation" or not labels:
            return length
        return LENGTH_RATIO * max(count(list(labels))) + EXTRA_TOKENS

    def ending(self, labels: Sequence[str]) -> str:
        """The instruction and the labels, one per line, where they are listed; else empty."""
        return self._label_list(self.labels or labels)

    def _label_list(self, labels: Sequence[str]) -> str:
        if not labels or not (self.listed or self.by == "generation"):
            return ""
        return LABELS + "\n".join(" ".join(label.split()) for label in labels)

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request for each order."""
        pairs = ordered_jobs(replace(job, labels=self.labels or job.labels), self.orders, self._request)
        replies = yield [request for _, request in pairs]
        outcomes = [self._outcome(ordered_job, reply) for (ordered_job, _), reply in zip(pairs, replies, strict=True)]
        if self.orders == 1:
            return outcomes[0]
        answers = [outcome.prediction for outcome in outcomes]
        are_labels = [bool(outcome.prediction) and not outcome.outputs for outcome in outcomes]
        outcome = outcomes[most_frequent_place(answers, are_labels)]
        counts = sum((Counter(outcome.outputs) for outcome in outcomes), Counter[str]())
        return replace(outcome, notes={**outcome.notes, **orders_note(answers)}, outputs=counts)

    def _request(self, job: Job) -> Generate | Classify:
        """The request for a label; without other labels, the example's options are the labels."""
        labels = job.labels or job.example.options
        prompt = replace(job, ending="").prompt(job.selected)
        prompt = ended_prompt(prompt, self._label_list(labels))
        if self.by != "generation":
            return Classify(prompt)
        if not labels:
            problem = f"example {job.example.id!r} has no options to choose from"
            raise UserError(f"{problem}; set strategy='label:labels=[A,B]'")
        return Generate(prompt, job.length, choices=tuple(labels))

    def _outcome(self, job: Job, reply: Any) -> Outcome:
        if self.by == "generation":
            return _generated_outcome(job, str(reply), job.labels or job.example.options)
        return self._most_probable(job, reply)

    def _most_probable(self, job: Job, probabilities: Mapping[str, float]) -> Outcome:
        if self.labels and (other_labels := set(probabilities) - set(self.labels)):
            problem = f"label: labels= lacks labels of the reader: {', '.join(sorted(other_labels))}"
            raise UserError(f"{problem}. Leave labels= out, or train a reader on these labels")
        rounded = {label: round(float(value), 4) for label, value in probabilities.items()}
        notes = {"probabilities": json.dumps(rounded, ensure_ascii=False)} | _remark(job)
        return Outcome(max(probabilities, key=probabilities.__getitem__), notes)


def _generated_outcome(job: Job, reply: str, labels: Sequence[str]) -> Outcome:
    """The outcome of a generated reply: the label that it names (options also by letter), else the reply itself."""
    label = label_of(reply, labels) or (answer if (answer := job.answer(reply)) in labels else None)
    if label is not None:
        return Outcome(label, _remark(job))
    output_counts = {NO_LABEL: 1} if reply.strip() else {}  # empty outputs are counted as such
    return Outcome(reply.strip(), {"remark": NO_SINGLE_LABEL} | _remark(job), outputs=output_counts)


def _remark(job: Job) -> dict[str, str]:
    return {} if job.selected else {"remark": NO_PASSAGES}
