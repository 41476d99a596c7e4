"""How numbers and settings read, and how wide a text is."""

from pipelines.display import numbers
from pipelines.display.table import Score, Table, numbered_columns, plain_text
from tests.turns import for_each


@for_each(
    ("formatted", "expected"),
    [
        (numbers.score(8.125), "8.12"),
        (numbers.score(None), "–"),
        (numbers.score(float("nan")), "–"),
        (numbers.interval(-1.0, 10.456), "[-1.00, 10.46]"),
        (numbers.interval(10, 14, True), "[10.00, 14.00]*"),
        (numbers.margin(7.0, 10.0), "±1.50"),
        (numbers.margin(7.0, 10.0, True), "±1.50*"),
        (numbers.difference(1.0), "+1.00"),
        (numbers.difference(-0.5), "-0.50"),
        (numbers.difference(-0.001), "0.00"),
        (numbers.p_value(0.0), "p<0.001"),
        (numbers.p_value(0.0304), "p=0.030"),
        (numbers.count(15600.4), "15,600"),
        (numbers.money(None), "–"),
        (numbers.money(0.00125), "0.00125"),
        (numbers.setting("bm25:k1=2"), "bm25:k1=2"),
        (numbers.setting({"name": "bm25", "k1": 2}), '{"name": "bm25", "k1": 2}'),
        (numbers.setting(True), "true"),
        (numbers.percent(12.34), "12.3%"),
        (numbers.percent(None), "–"),
        (numbers.setting(None), "–"),
        (numbers.settings({"chunker": "tokens:size=100", "k": 1, "budget": None}), "tokens:size=100, k=1, budget=–"),
        (numbers.line(" a\n b\x1b[31m\ud800 "), "a b\ufffd[31m\ufffd"),
        (
            numbers.line("\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f467 \xad\u202eb"),
            "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f467 \xad\\u202eb",
        ),
        (numbers.shortened("abcdefghij", 7), "abc…hij"),
        (numbers.shortened("abc", 7), "abc"),
    ],
)
def test_numbers_are_formatted(formatted: str, expected: str) -> None:
    assert formatted == expected


def test_wide_characters_and_combining_marks_keep_columns_aligned() -> None:
    rows = (("文書", Score(1.0)), ("e\u0301", Score(10.0)))
    shown = plain_text(Table("t", tuple(numbered_columns(("run", "f1"), right={1})), rows))
    assert shown == "t\n  run      f1\n  文書   1.00\n  e\u0301     10.00"
