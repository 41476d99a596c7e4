from pathlib import Path

import numpy as np
import pytest

import retrievers
from chunkers import Chunk
from longdoc.errors import UserError
from pipelines.training import TrainingJob
from pipelines.training.shared.hard_negatives import Question, questions
from retrievers import JudgedDocument

TEXTS = ["the mill", "the river and the mill", "the oak", "the mill"]


def job(shares):
    starts = np.cumsum([0, *(len(text) + 1 for text in TEXTS)]).tolist()
    chunks = [Chunk(text, start, start + len(text), "Sow") for text, start in zip(TEXTS, starts, strict=False)]
    document = JudgedDocument("d", chunks, ["mill?"], np.array([shares], np.float32))
    out = Path("unused")
    return TrainingJob(None, (), (), (), out, out, 0, documents=(document,), ranker=retrievers.get("bm25"))


def test_the_best_chunks_without_evidence_are_negatives_each_text_once():
    train, held = questions(job([0, 1, 0, 0]), 2, heading=False)
    assert train == [Question("mill?", ("the river and the mill",), ("the mill", "the oak"))]
    assert held == []


def test_chunks_with_some_evidence_and_copies_of_evidence_are_no_negatives():
    ((question,), _) = questions(job([1, 0.2, 0, 0]), 5, heading=False)
    assert (question.evidence, question.negatives) == (("the mill",), ("the oak",))


def test_headings_are_part_of_the_texts_if_asked():
    ((question,), _) = questions(job([0, 0, 1, 0]), 1, heading=True)
    assert (question.evidence, question.negatives) == (("Sow\nthe oak",), ("Sow\nthe mill",))


def test_documents_that_are_all_evidence_teach_nothing():
    with pytest.raises(UserError, match="nothing to tell apart"):
        questions(job([1, 1, 1, 1]), 2, heading=False)
