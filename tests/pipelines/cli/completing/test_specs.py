"""What may come next in the text of a component."""

import pytest

from pipelines.cli.completing.specs import completions


@pytest.mark.parametrize(
    ("kind", "typed", "expected"),
    [
        ("retrievers", "tf", ["tfidf"]),
        ("retrievers", "bm25,tf", ["bm25,tfidf"]),
        ("retrievers", "dense:l", ["dense:long=windows", "dense:long=cut"]),
        ("retrievers", "dense:long=", ["dense:long=windows", "dense:long=cut"]),
        ("retrievers", "dense:model=mini", ["dense:model=minilm"]),
        ("retrievers", "dense:mini", ["dense:minilm"]),
        ("retrievers", "dense:long=cut,nor", ["dense:long=cut,normalize=true", "dense:long=cut,normalize=false"]),
        ("retrievers", "dense:long=cut,lo", []),
        ("retrievers", "dense:long=cut,tf", ["dense:long=cut,tfidf"]),
        ("retrievers", "dense:long=cut,tfidf,bm", ["dense:long=cut,tfidf,bm25"]),
        ("retrievers", "hybrid:[bm25,tf", ["hybrid:[bm25,tfidf"]),
        ("retrievers", "hybrid:[bm25,{dense:lon", ["hybrid:[bm25,{dense:long=windows", "hybrid:[bm25,{dense:long=cut"]),
        ("retrievers", "hybrid:[bm25,tfidf],", None),
        ("retrievers", "scales:{tf", ["scales:{tfidf"]),
        ("retrievers", "scales:retriever={tf", ["scales:retriever={tfidf"]),
        ("retrievers", "evidence:se", ["evidence:sentence"]),
        ("chunkers", "tokens:siz", ["tokens:size="]),
        ("chunkers", "tokens:size=100,str", ["tokens:size=100,stride="]),
        ("readers", "openai:gpt-4o,wind", ["openai:gpt-4o,window="]),
        ("metrics", "f1,rouge_l_", ["f1,rouge_l_longbench", "f1,rouge_l_longbench_first_line"]),
        ("retrievers", "nonsense:l", []),
        ("retrievers", "hybrid:bm25],tf", ["hybrid:bm25],tfidf"]),
        ("retrievers", 'dense:query_prefix="a, tf', []),
    ],
)
def test_the_next_word_follows_from_what_is_typed(kind: str, typed: str, expected: list[str] | None) -> None:
    found = completions(kind, typed)
    if expected is None:
        assert {"hybrid:[bm25,tfidf],c=", "hybrid:[bm25,tfidf],tfidf"} <= set(found)
    else:
        assert found == expected
