"""With the real package, offline."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example

FILLER = " ".join(f"Sentence {number} says nothing of it." for number in range(80))
BOOKS = {"mill": "Anna kept a lamp in the window.", "sea": "Tom sailed to the islands.", "hill": "Sheep slept there."}


def book(name: str) -> Document:
    """A long document whose one telling sentence is far behind its beginning."""
    return Document(name, f"{FILLER} {BOOKS[name]} {FILLER}")


def examples() -> list[Example]:
    questions = {"mill": "Where was the lamp of Anna?", "sea": "Where to did Tom sail?", "hill": "Who slept?"}
    found = [Example(f"q-{name}", book(name), text, (BOOKS[name],)) for name, text in questions.items()]
    same = [Example(f"again-{name}", book(name), "What is it about?", ("Much.",)) for name in BOOKS]
    return [*found, *same]


def evaluated(model: Any, **arguments: Any) -> dict[str, float]:
    import mteb

    task = pipelines.mteb_task("qa", data=examples(), split="test", **arguments)
    result = mteb.evaluate(model, [task], cache=None, show_progress_bar=False)
    (scores,) = result.task_results[0].scores["test"]
    return dict(scores)


@pytest.mark.parametrize("retriever", ["bm25", "tfidf"])
def test_the_document_with_the_best_chunk_comes_first(retriever: str) -> None:
    scores = evaluated(pipelines.mteb_model(retriever))
    assert (scores["ndcg_at_10"], scores["recall_at_1"]) == (1.0, 1.0)


def test_references_can_be_the_queries() -> None:
    assert evaluated(pipelines.mteb_model("bm25"), queries="references")["recall_at_1"] == 1.0


def test_queries_that_several_documents_have_are_left_out() -> None:
    task = pipelines.mteb_task("qa", data=examples(), split="test")
    task.load_data()
    data = task.dataset["default"]["test"]
    assert sorted(data["queries"]["id"]) == ["q-hill", "q-mill", "q-sea"]
    assert len(data["corpus"]) == 3
    assert data["relevant_docs"]["q-sea"] == {"sea": 1}


def test_a_document_has_the_score_of_its_best_chunk_and_only_candidates_are_ranked() -> None:
    from datasets import Dataset

    import chunkers
    import retrievers
    from pipelines.bridges.mteb_model import BestChunkSearch

    search = BestChunkSearch(retrievers.get("bm25"), chunkers.get("sentences:size=20"))
    rows = [{"id": name, "title": "", "text": book(name).text} for name in BOOKS]
    search.index(Dataset.from_list([*rows, {"id": "empty", "title": "", "text": " "}]))
    queries = Dataset.from_list([{"id": "q", "text": "lamp of Anna"}])
    found = search.search(queries, top_k=2)["q"]
    chunks = chunkers.get("sentences:size=20").split(book("mill").text)
    assert next(iter(found)) == "mill" and len(found) == 2
    assert found["mill"] == max(found.values())
    assert len(chunks) > 5
    assert list(search.search(queries, top_k=5, top_ranked={"q": ["sea", "empty"]})["q"]) == ["sea"]


def test_models_of_other_components_are_kept_apart() -> None:
    names = {str(pipelines.mteb_model(name).experiment_kwargs) for name in ("bm25", "tfidf", "bm25:k1=2.0")}
    assert len(names) == 3


def test_a_retriever_that_ranks_by_no_question_is_refused() -> None:
    with pytest.raises(UserError, match="does not rank by the question"):
        pipelines.mteb_model("first")


def test_data_without_queries_of_their_own_are_refused() -> None:
    with pytest.raises(UserError, match="no example of qa has a query of its own"):
        pipelines.mteb_task("qa", data=examples()[3:], split="test")


def test_qmsum_is_found_by_its_summaries(realdata: Path) -> None:
    import mteb

    task = pipelines.mteb_task("scrolls/qmsum", data=realdata / "qmsum" / "val.jsonl")
    result = mteb.evaluate(pipelines.mteb_model("bm25"), [task], cache=None, show_progress_bar=False)
    (scores,) = result.task_results[0].scores["validation"]
    assert scores["ndcg_at_10"] == pytest.approx(0.9034, abs=0.005)
