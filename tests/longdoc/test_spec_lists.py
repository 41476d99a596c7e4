"""Several components in one text."""

import pytest

from longdoc.errors import UserError
from longdoc.spec_lists import pieces, split_specs
from tests.turns import for_each

NAMES = {"bm25", "tfidf", "dense", "hybrid", "tokens", "sentences", "truncate", "evidence"}


def split(text: str) -> list[str]:
    return split_specs(text, lambda name: name.partition(":")[0] in NAMES)


@for_each(
    ("text", "expected"),
    [
        ("bm25", ["bm25"]),
        ("bm25,tfidf", ["bm25", "tfidf"]),
        ("bm25, tfidf", ["bm25", "tfidf"]),
        ("hybrid:[bm25,dense],tfidf", ["hybrid:[bm25,dense]", "tfidf"]),
        ("hybrid:[bm25,{dense:model=x,long=cut}],c=10,tfidf", ["hybrid:[bm25,{dense:model=x,long=cut}],c=10", "tfidf"]),
        ("tokens:size=100,stride=50", ["tokens:size=100,stride=50"]),
        ("tokens:size=100,stride=50,sentences", ["tokens:size=100,stride=50", "sentences"]),
        ("tokens:size=100,tokens:size=200,stride=50", ["tokens:size=100", "tokens:size=200,stride=50"]),
        ("tokens:stride=50,100", ["tokens:stride=50,100"]),
        ('dense:query_prefix="a, b",tfidf', ['dense:query_prefix="a, b"', "tfidf"]),
        (r'dense:query_prefix="a\", b",tfidf', [r'dense:query_prefix="a\", b"', "tfidf"]),
        ("evidence:sentence,evidence:clause", ["evidence:sentence", "evidence:clause"]),
        ("unknown,bm25", ["unknown", "bm25"]),
        ("bm25,unknown", ["bm25", "unknown"]),
        ("", [""]),
    ],
)
def test_commas_separate_components_but_not_their_arguments(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm25,,tfidf", "nothing stands before or behind a comma of 'bm25,,tfidf': leave the comma out"),
        ("bm25,", "nothing stands before or behind a comma of 'bm25,': leave the comma out"),
        ("bm25,k1=2", "'k1=2' behind 'bm25' names no component; its argument is bm25:k1=2"),
        (
            "truncate:512,100",
            "'100' names no component, and 'truncate:512' has its first argument: for two components write "
            "truncate:512,truncate:100",
        ),
        (
            "evidence:sentence,clause",
            "'clause' is neither a known name nor an argument of evidence, which is written FIELD=clause; for two of "
            "evidence write evidence:sentence,evidence:clause",
        ),
    ],
)
def test_what_may_be_either_is_refused_with_the_way_to_write_it(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        split(text)
    assert str(error.value) == message


def test_a_bracket_too_many_or_too_few_is_left_to_the_parser_of_arguments() -> None:
    assert pieces("hybrid:[bm25,dense") == ["hybrid:[bm25,dense"]
    assert pieces("hybrid:bm25],dense") == ["hybrid:bm25]", "dense"]
