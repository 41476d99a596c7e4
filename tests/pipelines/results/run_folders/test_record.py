"""The recipe of a run in one line, from its spec."""

from typing import Any

import pytest

from pipelines.results.run_folders.record import recipe_of_spec, signature_suffix

BM25: dict[str, Any] = {"name": "bm25", "k1": 1.2}
TFIDF: dict[str, Any] = {"name": "tfidf", "token_pattern": None}


@pytest.mark.parametrize(
    ("retriever", "description"),
    [
        (BM25, "bm25"),
        (
            BM25 | {"heading": True, "stem": "english", "stop_words": "english"},
            "bm25:heading=true,stop_words=english,stem=english",
        ),
        (BM25 | {"heading": False, "stem": None, "stop_words": None}, "bm25"),
        ({"name": "oracle", "of": "answers"}, "oracle"),
        ({"name": "oracle", "of": "evidence"}, "oracle:of=evidence"),
        ({"name": "evidence", "preset": "range", "encoder": "minilm"}, "evidence:range"),
        ({"name": "evidence", "preset": "range", "encoder": "none"}, "evidence:range,encoder=none"),
        ({"name": "blend", "retrievers": [BM25, TFIDF], "weights": [1, 1]}, "blend:[bm25,tfidf]"),
        ({"name": "spread", "retriever": {"name": "scales", "retriever": BM25}}, "spread:scales:bm25"),
    ],
)
def test_a_recipe_names_presets_and_the_retrievers_within(retriever: dict[str, Any], description: str) -> None:
    spec = {"chunker": {"name": "units", "of": "sentence"}, "retriever": retriever, "k": None, "budget": "200 words"}
    spec |= {"strategy": {"name": "stuff"}, "model": {"name": "lead"}}
    assert recipe_of_spec(spec) == f"units:sentence → {description} budget=200 words → stuff → lead"


@pytest.mark.parametrize(
    ("prompt", "suffix"),
    [
        ({"text": "{query} {document}"}, ""),
        ({"text": "{query} {document}", "wording": "published"}, ""),
        ({"text": "{query} {document}", "wording": "own"}, "|prompt:own wording"),
        ({"form": "chat", "wording": "own", "answers": "short"}, "|prompt:own wording|answer:short named in the reply"),
        ({"words": {"answers": "text"}, "wording": "own"}, "|prompt:own wording for chat models"),
        (
            {"words": {"answers": "label"}, "wording": "own"},
            "|prompt:own wording for chat models|answer:label named in the reply",
        ),
    ],
)
def test_signatures_say_whose_the_wording_is_and_how_replies_become_answers(prompt: Any, suffix: str) -> None:
    assert signature_suffix({"prompt": prompt}) == suffix
