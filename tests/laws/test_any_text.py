"""Laws of every registered component on any text: of every plane and script, with lone surrogates and NUL."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import chunkers
import models
import retrievers
from chunkers import Chunk
from models import Generate
from models.truncation import TooLong, truncate
from pipelines import metrics, strategies
from pipelines.records import Document, Example
from tests.laws.any_chunkers import ENDLESS, cases, faults, growth
from tests.laws.any_texts import any_text
from tests.laws.test_metrics import SPECS, references_and_outputs
from tests.laws.test_readers import GENERATE, fitted_reader
from tests.pipelines.strategies.made import drive, job
from tests.turns import for_each

HALF = settings(max_examples=settings().max_examples // 2)  # half of the profile's examples, for slow tests
FEW = settings(max_examples=settings().max_examples // 5)  # for tests of every metric
CASES = list(cases())
BY_WORDS = [case for case in CASES if case.unit in ("", "words")]
WITHOUT_MODEL = (
    "all",
    "bm25",
    "first",
    "last",
    "mentions",
    "random",
    "tfidf",
    "links",
)
"""Retrievers that need no model and no example: their ranking is defined by the texts alone."""


@for_each("case", CASES)
@given(text=any_text())
@HALF
def test_chunks_are_the_text_at_their_offsets_in_order_and_complete(case: Any, text: str) -> None:
    query = "Anna" if case.chunker.per_query else None
    chunks = case.chunker.split(text, query)
    assert faults(text, chunks, case.chunker) == 0
    assert case.chunker.split(text, query) == chunks
    assert all(chunk.text.strip() for chunk in chunks)
    assert text.strip() or not chunks


def test_every_chunker_has_a_case() -> None:
    assert {case.name.partition(",")[0].partition(":")[0] for case in CASES} == set(chunkers.names())


@pytest.mark.parametrize("name", ["tokens", "lines", "paragraphs", "sections", "sentences", "mentions"])
@given(text=any_text(), size=st.integers(1, 60))
def test_no_chunk_is_over_its_size(name: str, text: str, size: int) -> None:
    chunker = chunkers.get(name, size=size, unit=len)
    chunks = chunker.split(text, "Anna" if chunker.per_query else None)
    assert all(len(chunk.text) <= size for chunk in chunks)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("case", BY_WORDS, ids=[case.name for case in BY_WORDS])
def test_the_time_for_ten_megabytes_without_white_space_is_linear(case: Any, piece: str) -> None:
    quarter, whole = growth(case.chunker, piece)
    assert whole < 1 or whole < 9 * quarter  # 4 times is linear, 16 times quadratic


def chunks_of(texts: list[str]) -> list[Chunk]:
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    return [Chunk(text, start, start + len(text)) for text, start in zip(texts, starts, strict=False)]


NOT_EMPTY = any_text(8).filter(str.strip)


@pytest.mark.parametrize("name", WITHOUT_MODEL)
@given(texts=st.lists(NOT_EMPTY, max_size=7), queries=st.lists(any_text(4), max_size=4), k=st.integers(1, 9))
@HALF
def test_rankings_have_every_chunk_once_best_first_and_ties_by_position(
    name: str, texts: list[str], queries: list[str], k: int
) -> None:
    index = retrievers.get(name).index(chunks_of(texts))
    scores, ids = index.search(queries, k)
    all_scores, all_ids = index.search(queries)
    width = all_ids.shape[1]
    assert ids.shape == scores.shape == (len(queries), min(k, width))
    assert np.isfinite(all_scores).all()
    assert all(sorted(set(row)) == sorted(row) and set(row) <= set(range(len(texts))) for row in all_ids.tolist())
    steps = np.rint(all_scores.astype(np.float64) * 1e6)
    assert (np.diff(steps) <= 0).all()
    assert (np.diff(all_ids)[np.diff(steps) == 0] > 0).all()
    for number, query in enumerate(queries):
        assert index.search([query], k)[1].tolist() == ids[number : number + 1].tolist()


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
@given(texts=st.lists(NOT_EMPTY, min_size=1, max_size=7), query=any_text(4), draw=st.randoms())
def test_scores_do_not_depend_on_the_order_of_the_texts(name: str, texts: list[str], query: str, draw: Any) -> None:
    order = list(range(len(texts)))
    draw.shuffle(order)
    scores = retrievers.get(name).index(chunks_of(texts)).scores([query])[0]
    moved = retrievers.get(name).index(chunks_of([texts[i] for i in order])).scores([query])[0]
    assert np.allclose(moved, scores[order], atol=1e-6)


# METEOR without WordNet: these texts are not about synonyms. Metrics that need a missing package are skipped.
METRICS = [spec for spec in SPECS if spec not in ("meteor", "meteor_loogle")]


def prepared(spec: str) -> Any:
    """The metric, ready to compute; skips the test if it cannot be computed here."""
    metric = metrics.get(spec)
    try:
        metric.prepare()
    except metrics.NotComputable as error:
        pytest.skip(str(error))
    return metric


def example(metric: Any, number: int, references: tuple[str, ...]) -> Example:
    fixed = references_and_outputs(metric)[0][number % 3]
    references = fixed if metric.signature.startswith(tuple(OWN_FORM)) else references
    meta = {"difficult": True, "pair": str(number // 2), "secondary_task": "T3.1"}
    return Example(
        str(number), Document("d", "The gull sat there."), "What?", references, references, ((0, 8),), meta=meta
    )


OWN_FORM = (
    "style_change", "multi_author", "choice", "name_inf", "exponential", "concordance", "pair_acc", "cloze", "count",
    "retrieval", "longbench_v2", "evidence", "full_evidence", "chunking", "precision_omega", "accuracy", "macro_f1",
    "babilong", "number_leval", "truth_leval",
)  # fmt: skip
"""Prefixes of metrics whose references have a special form, which a task gives."""


@for_each("spec", METRICS)
@given(pairs=st.lists(st.tuples(any_text(6), any_text(6)), min_size=1, max_size=4), draw=st.randoms())
@FEW
def test_any_output_scores_from_0_to_100_in_any_order(spec: str, pairs: list[tuple[str, str]], draw: Any) -> None:
    metric = prepared(spec)
    rows = [
        metric.statistics(text, example(metric, i, (reference, "a gull"))) for i, (text, reference) in enumerate(pairs)
    ]
    scores = metric.aggregate(rows)
    assert all(0 <= value <= 100 for value in scores.values()), scores
    draw.shuffle(rows)
    assert metric.aggregate(rows) == pytest.approx(scores, abs=1e-9)


@pytest.mark.parametrize("spec", ["f1", "exact_match", "rouge", "rouge-l", "rouge_lsum", "bleu-4", "f1_ascii"])
@given(reference=any_text(6), output=any_text(6))
def test_no_output_is_better_than_the_reference(spec: str, reference: str, output: str) -> None:
    assume(reference.strip())  # an empty output is wrong, whatever the reference
    metric = prepared(spec)
    best, scores = (metric.score([text], [[reference]]) for text in (reference, output))
    assert all(scores[name] <= best[name] + 1e-6 for name in best)


@pytest.mark.parametrize("name", GENERATE)
@given(texts=st.lists(NOT_EMPTY, min_size=1, max_size=4), query=any_text(3), length=st.integers(1, 20))
@HALF
def test_a_reader_without_weights_answers_about_any_text(name: str, texts: list[str], query: str, length: int) -> None:
    reader = READERS[name]
    sample_job = job(*texts, limit=None)
    request = Generate(
        replace(sample_job, example=replace(sample_job.example, query=query)).prompt(sample_job.chunks), length
    )
    (reply,) = reader.reply([request])
    assert reply.error is None
    assert reader.reply([request]) == [reply]
    assert reader.count([reply.value])[0] <= length


READERS = {name: fitted_reader(name) for name in GENERATE}
GENERATING = [name for name in strategies.names() if strategies.get(name).needs == frozenset({Generate})]


@pytest.mark.parametrize("name", GENERATING)
@given(texts=st.lists(NOT_EMPTY, min_size=1, max_size=5), limit=st.integers(8, 40))
@HALF
def test_a_strategy_makes_the_same_requests_after_the_same_replies(name: str, texts: list[str], limit: int) -> None:
    reader = models.get("extractive")

    def answer(request: Any) -> Any:
        return reader.reply([request])[0].value

    sample_job = job(*texts, limit=limit)
    sample_job = replace(sample_job, search=lambda query, k, before: list(sample_job.chunks)[:k])
    first, second = (drive(strategies.get(name), sample_job, answer) for _ in range(2))
    assert first == second


@given(
    texts=st.lists(NOT_EMPTY, min_size=1, max_size=5),
    query=any_text(3),
    limit=st.integers(0, 40),
    side=st.sampled_from(["tail", "middle"]),
)
def test_a_prompt_is_cut_in_its_document_parts_only(texts: list[str], query: str, limit: int, side: Any) -> None:
    sample_job = job(*texts)
    document, count = sample_job.example.document.text, models.get("extractive").count
    prompt = replace(sample_job, example=replace(sample_job.example, query=query), cut_side=side).prompt(
        sample_job.chunks
    )
    try:
        shown = truncate(prompt, limit, count)
    except TooLong as error:
        assert error.fixed > limit
        return
    assert count([shown.text])[0] <= limit
    assert [p for p in shown.parts if p.role != "document"] == [p for p in prompt.parts if p.role != "document"]
    assert all(document[part.start : part.end] == part.text for part in shown.passages)
    assert all(a.end <= b.start for a, b in pairwise(shown.passages) if a.end is not None and b.start is not None)
    assert (shown.truncated_tokens > 0) == (shown.text != prompt.text)
