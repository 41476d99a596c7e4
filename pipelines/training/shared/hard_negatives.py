"""Questions with their evidence, and the chunks that a retriever ranks best among those that hold none of it.

Karpukhin et al. 2020, "Dense Passage Retrieval", section 3.2: such negatives, from BM25, teach more than random ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.training import TrainingJob
from retrievers import JudgedDocument, Retriever
from retrievers.shared.texts import ranked_texts


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the texts of its evidence, and of as many negatives as were asked for, hardest first."""

    text: str
    evidence: tuple[str, ...]
    negatives: tuple[str, ...]


def questions(job: TrainingJob, count: int, heading: bool) -> tuple[list[Question], list[Question]]:
    """Those of the training documents and of the validation ones, with up to `count` negatives each.

    With `heading` the texts begin with the chunks' labels.

    Raises `UserError` where no training question has a negative.
    """
    assert job.ranker is not None
    train, questions = (
        list(_mined(part, job.ranker, count, heading)) for part in (job.documents, job.validation_documents)
    )
    if not any(question.negatives for question in train):
        raise UserError("every chunk of the training documents is evidence, so there is nothing to tell apart")
    return train, questions


def _mined(documents: Sequence[JudgedDocument], ranker: Retriever, count: int, heading: bool) -> Iterator[Question]:
    for document in documents:
        texts = ranked_texts(document.chunks, heading)
        _, ranked = ranker.index(document.chunks).search(document.questions)
        for question, relevant, shares, ids in zip(
            document.questions, document.relevant, document.shares, ranked, strict=True
        ):
            evidence = dict.fromkeys(texts[location] for location in relevant.nonzero()[0])
            other_values = dict.fromkeys(
                texts[location] for location in ids if not shares[location] and texts[location] not in evidence
            )
            yield Question(question, tuple(evidence), tuple(other_values)[:count])
