"""The syntax of component arguments, and of several components in one text."""

import pytest

from longdoc.errors import UserError
from longdoc.specs import parse_arguments, pieces, split_specs
from tests.turns import for_each


@for_each(
    ("text", "spec"),
    [
        ("", {}),
        ("200", {None: 200}),
        ("size=100,stride=50", {"size": 100, "stride": 50}),
        ("wordnet=false", {"wordnet": False}),
        ("x=null,y=1.5,z=-3", {"x": None, "y": 1.5, "z": -3}),
        ("model=google/flan-t5-base", {"model": "google/flan-t5-base"}),
        ("unit=C:/models/t5", {"unit": "C:/models/t5"}),
        ('prefix="query: , a"', {"prefix": "query: , a"}),
        ("[tfidf,{dense:model=x}]", {None: ["tfidf", {"name": "dense", "model": "x"}]}),
        ("{dense}", {None: {"name": "dense"}}),
        ("{tokens:100,stride=50},k=3", {None: {"name": "tokens", None: 100, "stride": 50}, "k": 3}),
        ('options={"a": [1, {"b": 2}]}', {"options": {"a": [1, {"b": 2}]}}),
        ("options={}", {"options": {}}),
        ("[]", {None: []}),
        (" a = x , b=2 ", {"b": 2, None: "a = x"}),
        ("ngram_range=[1, 2]", {"ngram_range": [1, 2]}),
    ],
)
def test_arguments_parse_to_their_values(text, spec):
    assert parse_arguments(text) == spec


@pytest.mark.parametrize(
    ("text", "column"), [("a=", 3), ("a=1,a=2", 7), ("[1,2", 5), ("{dense:model=x", 15), ("a=1]", 4), ('a="x', 3)]
)
def test_a_broken_text_is_refused_with_its_column(text, column):
    with pytest.raises(UserError, match=f"at character {column}$"):
        parse_arguments(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 50_000, "brackets are nested more than 32 deep at character 33"),
        ("{a:" * 50_000, "brackets are nested more than 32 deep at character 97"),
        ('{"a":' * 50_000, "broken JSON: it is nested too deeply at character 1"),
        ('{"a":' * 33 + "1" + "}" * 33, "brackets are nested more than 32 deep at character 1"),
        ("9" * 5000, "a whole number of 5,000 digits at character 5001"),
        ("-" + "9" * 5000, "a whole number of 5,001 digits at character 5002"),
        ("size=NaN", "'NaN' is not a finite number at character 9"),
        ("size=1e400", "'1e400' is not a finite number at character 11"),
    ],
)
def test_deep_nesting_and_unusable_numbers_are_refused_in_a_short_line(text, problem):
    with pytest.raises(UserError) as refused:
        parse_arguments(text)
    shown = text if len(text) <= 200 else f"{text[:200]}…"
    assert str(refused.value) == f"cannot read component arguments {shown!r}: {problem}"


def test_32_nested_brackets_are_read():
    assert str(parse_arguments("[" * 32 + "]" * 32)[None]) == "[" * 32 + "]" * 32


def test_a_whole_number_has_32_bits_at_most():
    assert parse_arguments("size=4294967295") == {"size": 4294967295}
    message = "the value '4294967296' is a whole number that is too large; give one of at most 4,294,967,295"
    with pytest.raises(UserError, match=f"^{message}$"):
        parse_arguments("size=4294967296")


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
        ("bm25,,tfidf", "there is nothing before or after a comma of 'bm25,,tfidf': leave the comma out"),
        ("bm25,", "there is nothing before or after a comma of 'bm25,': leave the comma out"),
        ("bm25,k1=2", "'k1=2' after 'bm25' is not a component; as an argument write bm25:k1=2"),
        (
            "truncate:512,100",
            "'100' is not a component, and 'truncate:512' has its first argument already: for two components write "
            "truncate:512,truncate:100",
        ),
        (
            "evidence:sentence,clause",
            "'clause' is neither a component nor an argument of evidence: as an argument write FIELD=clause, for two "
            "of evidence write evidence:sentence,evidence:clause",
        ),
    ],
)
def test_an_ambiguous_text_is_refused_with_the_right_spelling(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        split(text)
    assert str(error.value) == message


def test_unbalanced_brackets_are_left_to_the_parser_of_arguments() -> None:
    assert pieces("hybrid:[bm25,dense") == ["hybrid:[bm25,dense"]
    assert pieces("hybrid:bm25],dense") == ["hybrid:bm25]", "dense"]
