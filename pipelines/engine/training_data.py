"""What a reader learns from: a split's documents, through the same chunker, retriever and prompt as at inference."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from longdoc.errors import UserError
from models.requests import TrainingExample
from models.truncation import TooLong
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import Prepared, by_document, prepare
from pipelines.engine.sampling import run_examples
from pipelines.engine.session import Session


def fit(plan: Plan) -> None:
    """Fit a reader that can be fitted and is not yet. Raises `UserError` where the data have no training split."""
    reader: Any = plan.reader
    if hasattr(reader, "fit") and not getattr(reader, "fitted", False):
        training = replace(plan, data=_apart(plan), split="train", limit=None, sample=None)
        found = (training_example for _, training_example in training_examples(training))
        reader.fit(found if getattr(reader, "streams_training", False) else list(found))


def training_examples(plan: Plan) -> Iterator[tuple[str, TrainingExample]]:
    """The training examples of a plan's examples, each with its document's id.

    A training example is a first request of the strategy with the example's references, unless the strategy says itself
    what its requests are answered with (`training_examples(job)`). Examples without references are left out; so are
    those whose request cannot be cut to the reader's limit, which is said.
    """
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, "")
    too_long = examples_seen = 0
    for document, examples in by_document(run_examples(plan)):
        for prepared in prepare(plan, document, examples):
            if prepared.job is not None and prepared.example.references:
                examples_seen += 1
                try:
                    found = _training_examples(plan, session, prepared)
                except TooLong:
                    too_long += 1
                    continue
                for training_example in found:
                    yield document.id, training_example
    if too_long:
        told = f"{too_long:,} of {examples_seen:,} examples of {plan.split} cannot be cut to the reader's limit of"
        print(f"longdoc: {told} {plan.max_input_tokens:,} tokens and are left out", file=sys.stderr)


def _training_examples(plan: Plan, session: Session, prepared: Prepared) -> list[TrainingExample]:
    """The training examples of one example. Raises `TooLong`."""
    strategy: Any = plan.strategy
    if hasattr(strategy, "training_examples"):
        known = strategy.training_examples(prepared.job)
        return [TrainingExample(session.truncated(request)[0], references) for request, references in known]
    return [TrainingExample(request, prepared.example.references) for request in session.first_requests(prepared)]


def _apart(plan: Plan) -> Any:
    """The training split. Raises `UserError` where it is not a split of its own: nobody trains on what is scored."""
    how = "give data= a folder with train and test files"
    if hasattr(plan.reader, "save"):
        how += ", or model= a folder that `longdoc train` made"
    try:
        training = plan.opened("train")
    except UserError as error:
        raise UserError(f"this reader has to be fitted, and there is no training split ({error}); {how}") from None
    if plan.split != "train" and training.fingerprint == plan.data.fingerprint:
        raise UserError(f"this reader has to be fitted, and these data have one split only; {how}")
    return training
