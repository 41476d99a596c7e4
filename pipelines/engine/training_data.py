"""Training examples for a reader: a split's documents, chunked, retrieved and prompted as at inference.

And for a retriever: its chunks, judged by the gold evidence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.visible import note
from models.requests import TrainingExample
from models.truncation import TooLong
from pipelines.engine.inference.session import Session
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.prepare import by_document, prepare
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Example, references_text
from pipelines.strategies import Job, Strategy
from retrievers import JudgedDocument


def fit(plan: Plan) -> None:
    """Fit a reader that has to be fitted and is not yet. Raises `UserError` where the data have no training split."""
    if not plan.reader.fitted:
        training = replace(plan, data=_training_split(plan), split="train", limit=None, sample=None, shard=None)
        examples = (training_example for _, training_example in training_examples(training))
        plan.reader.fit(examples if plan.reader.streams_training else list(examples))


def training_examples(plan: Plan) -> Iterator[tuple[str, TrainingExample]]:
    """The training examples of a plan's examples, each with its document's id.

    A training example is a first request of the strategy with the example's references, unless the strategy makes
    them itself (`Strategy.training_examples`). Examples without references are left out; so are those whose request
    cannot be cut to the reader's limit, which is reported.
    """
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "")
    too_long = examples_seen = 0
    for document, examples in by_document(run_examples(plan)):
        for job in prepare(plan, document, examples):
            if job.failure is None and job.example.references:
                examples_seen += 1
                try:
                    training_examples = _training_examples(plan.strategy, session, job)
                except TooLong:
                    too_long += 1
                    continue
                for training_example in training_examples:
                    yield document.id, training_example
    if too_long:
        left_out_text = (
            f"{too_long:,} of {examples_seen:,} examples of {plan.split} cannot be cut to the reader's limit of"
        )
        note(f"{left_out_text} {plan.max_input_tokens:,} tokens and are left out")


def judged_documents(plan: Plan) -> Iterator[JudgedDocument]:
    """The documents of a plan's examples, chunked, with the questions that have gold evidence."""
    for document, examples in by_document(run_examples(plan)):
        asked_examples = [example for example in examples if example.query.strip() and merged(example.evidence)]
        for some_examples in (
            [[example] for example in asked_examples]
            if plan.chunker.per_query
            else [asked_examples]
            if asked_examples
            else []
        ):
            chunks = plan.chunker.split_document(document.text, document.layout, some_examples[0].query)
            shares = np.array([_shares(chunks, example) for example in some_examples], np.float32)
            yield JudgedDocument(document.id, chunks, [example.query for example in some_examples], shares)


def _shares(chunks: Sequence[Chunk], example: Example) -> list[float]:
    """The share of each chunk's characters that is evidence."""
    evidence = merged(example.evidence)
    held_numbers = [sum(max(0, min(e, chunk.end) - max(s, chunk.start)) for s, e in evidence) for chunk in chunks]
    return [count / max(1, chunk.end - chunk.start) for count, chunk in zip(held_numbers, chunks, strict=True)]


def _training_examples(strategy: Strategy, session: Session, job: Job) -> list[TrainingExample]:
    """The training examples of one example. Raises `TooLong`."""
    own_pairs = strategy.training_examples(job)
    if own_pairs is None:
        references = references_text(job.example.references)
        return [TrainingExample(request, references) for request in session.first_requests(job)]
    return [TrainingExample(session.truncated(request)[0], references) for request, references in own_pairs]


def _training_split(plan: Plan) -> Any:
    """The training split. Raises `UserError` where it is not a split of its own: nobody trains on what is scored."""
    note = "the data have to be a folder with train and test files"
    if plan.reader.can_save:
        note += ", or the model a folder that `longdoc train` made"
    try:
        training = plan.open_split("train")
    except UserError as error:
        raise UserError(f"this reader has to be fitted, and there is no training split ({error}); {note}") from None
    if plan.split != "train" and training.fingerprint == plan.data.fingerprint:
        raise UserError(f"this reader has to be fitted, and these data have one split only; {note}")
    return training
