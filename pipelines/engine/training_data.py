"""Training examples: for a reader, a split's documents chunked, retrieved and prompted as at inference.

For a retriever, the chunks with their share of gold evidence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.messages import note
from models.requests import TrainingExample
from models.truncation import TooLong
from pipelines.engine.inference.session import Session
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.prepare import by_document, prepare
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Example, references_text
from pipelines.sources import Dataset
from pipelines.strategies import Job, Strategy
from retrievers import JudgedDocument


def fit(plan: Plan) -> None:
    """Fit the plan's reader if it has to be and is not. Raises `UserError` where the data have no training split."""
    if not plan.reader.fitted:
        training = replace(plan, data=_training_split(plan), split="train", limit=None, sample=None, shard=None)
        examples = (training_example for _, training_example in training_examples(training))
        plan.reader.fit(examples if plan.reader.streams_training else list(examples))


def training_examples(plan: Plan) -> Iterator[tuple[str, TrainingExample]]:
    """The training examples of a plan's examples, each with its document's id.

    A training example is a first request of the strategy with the example's references, unless the strategy makes
    them itself (`Strategy.training_examples`). Examples without references are left out; so are those whose request
    cannot be cut to the reader's limit, which a note says.
    """
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "")
    too_long = with_references = 0
    for document, examples in by_document(run_examples(plan)):
        for job in prepare(plan, document, examples):
            if job.failure is None and job.example.references:
                with_references += 1
                try:
                    job_examples = _training_examples(plan.strategy, session, job)
                except TooLong:
                    too_long += 1
                    continue
                yield from ((document.id, training_example) for training_example in job_examples)
    if too_long:
        note(
            f"{too_long:,} of {with_references:,} examples of {plan.split} cannot be cut to the reader's limit of "
            f"{plan.max_input_tokens:,} tokens and are left out"
        )


def judged_documents(plan: Plan) -> Iterator[JudgedDocument]:
    """The documents of a plan's examples, chunked, with the questions that have gold evidence.

    A chunker that splits by the question gives a `JudgedDocument` for each question.
    """
    for document, examples in by_document(run_examples(plan)):
        questions = [example for example in examples if example.query.strip() and merged(example.evidence)]
        for group in [[example] for example in questions] if plan.chunker.per_query else filter(None, [questions]):
            chunks = plan.chunker.split_document(document.text, document.layout, group[0].query)
            shares = np.array([_evidence_shares(chunks, example) for example in group], np.float32)
            yield JudgedDocument(document.id, chunks, [example.query for example in group], shares)


def _evidence_shares(chunks: Sequence[Chunk], example: Example) -> list[float]:
    """The share of each chunk's characters that is gold evidence of the example."""
    evidence = merged(example.evidence)
    counts = [sum(max(0, min(e, chunk.end) - max(s, chunk.start)) for s, e in evidence) for chunk in chunks]
    return [count / max(1, chunk.end - chunk.start) for count, chunk in zip(counts, chunks, strict=True)]


def _training_examples(strategy: Strategy, session: Session, job: Job) -> list[TrainingExample]:
    """The training examples of one example. Raises `TooLong`."""
    pairs = strategy.training_examples(job)
    if pairs is None:
        references = references_text(job.example.references)
        return [TrainingExample(request, references) for request in session.first_requests(job)]
    return [TrainingExample(session.truncated(request)[0], references) for request, references in pairs]


def _training_split(plan: Plan) -> Dataset:
    """The training split. Raises `UserError` where there is none, or where its examples are those that are scored."""
    hint = "the data have to be a folder with train and test files"
    if plan.reader.can_save:
        hint += ", or the model a folder that `longdoc train` made"
    try:
        training = plan.open_split("train")
    except UserError as error:
        raise UserError(
            f"this reader must be trained first, and there is no training split ({error}); {hint}"
        ) from None
    if plan.split != "train" and training.fingerprint == plan.data.fingerprint:
        raise UserError(f"this reader must be trained first, and these data have one split only; {hint}")
    return training
