"""The requests of the strategy `fuse`, and how the engine truncates and answers them."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models import Fuse
from pipelines.records import Document, Example
from pipelines.strategies import get
from tests.pipelines.strategies.made import drive, job
from tests.tiny_models import TEXT


def texts(job: Any, **fields: Any) -> list[str]:
    _, ((request,),) = drive(get("fuse", **fields), job, lambda request: "x")
    assert isinstance(request, Fuse)
    assert (request.max_new_tokens, request.overlap) == (5, fields.get("overlap", 0))
    return [prompt.text for prompt in request.prompts]  # type: ignore[union-attr]


def test_each_chunk_has_a_prompt_of_its_own_in_the_order_shown() -> None:
    assert texts(job("a", "b", "c", selected=[2, 0])) == ["who? | c", "who? | a"]
    assert texts(job("a", selected=[])) == ["who? | "]


def test_with_overlap_all_chunks_are_one_text_in_document_order() -> None:
    assert texts(job("a", "b", "c", selected=[2, 0]), overlap=3) == ["who? | a\nc"]


def test_a_negative_overlap_is_refused_and_there_are_no_training_examples() -> None:
    with pytest.raises(UserError, match="overlap must be 0 or more tokens, got -1"):
        get("fuse", overlap=-1)
    with pytest.raises(UserError, match="fuse cannot be used for training"):
        get("fuse").training_examples(job("a"))  # type: ignore[attr-defined]


BOOK = [Example("e", Document("d", " ".join(TEXT)), "Who kept a lamp?", ("Anna",))]


def predict(folder: Path, tmp_path: Path, **fields: Any) -> Any:
    arguments = {"data": BOOK, "model": f"{folder},device=cpu,deterministic=true", "max_new_tokens": 4}
    arguments |= {"metrics": ["f1"], "chunker": "tokens:size=6", "retriever": "all"}
    return pipelines.run("qa", out=tmp_path / str(len(list(tmp_path.iterdir()))), **arguments | fields).predictions[0]


@pytest.mark.parametrize("kind", ["tiny_t5", "tiny_bart"])
def test_with_one_chunk_it_is_stuff(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind)
    plain = predict(folder, tmp_path, strategy="stuff", retriever="bm25", k=1)
    for strategy in ("fuse", "fuse:overlap=2"):
        fused = predict(folder, tmp_path, strategy=strategy, retriever="bm25", k=1)
        assert (fused.prediction, fused.tokens_in, fused.shown_spans) == (
            plain.prediction,
            plain.tokens_in,
            plain.shown_spans,
        )


def test_the_whole_book_is_read_where_one_prompt_would_be_truncated(tiny_t5: Path, tmp_path: Path) -> None:
    assert predict(tiny_t5, tmp_path, strategy="stuff").truncated_tokens > 0
    for strategy in ("fuse", "fuse:overlap=4"):
        fused = predict(tiny_t5, tmp_path, strategy=strategy)
        assert (fused.truncated_tokens, fused.shown_spans[0][0], fused.shown_spans[-1][1]) == (
            0,
            0,
            len(BOOK[0].document.text),
        )
        assert fused.requests == 1


def test_a_bound_of_the_chunkers_still_cuts_what_is_read_in_windows(tiny_t5: Path, tmp_path: Path) -> None:
    cut = predict(tiny_t5, tmp_path, strategy="fuse:overlap=4", chunker="truncate:80")
    assert cut.truncated_tokens > 0
    assert 70 < cut.tokens_in <= 80


def test_readers_that_cannot_fuse_are_refused_before_data_are_read() -> None:
    with pytest.raises(UserError, match="makes Fuse requests, which the reader 'extractive' does not answer"):
        pipelines.run("qa", data=BOOK, model="extractive", strategy="fuse")
