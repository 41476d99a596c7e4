"""Tables as plain text."""

from rich.cells import cell_len

from pipelines.display import markdown
from pipelines.display.table import Column, Table, html, numbered_columns, plain_text

LONG = "a" * 40 + "b" * 40


def test_long_text_is_shortened_except_in_whole_columns_and_the_last_one() -> None:
    columns = numbered_columns(("id", "settings", "recipe"), whole={0})
    lines = plain_text(Table("runs", tuple(columns), [(LONG, LONG, LONG)])).splitlines()
    assert lines == [
        "runs",
        f"  id{' ' * 78}  settings{' ' * 52}  recipe",
        f"  {LONG}  {'a' * 30}…{'b' * 29}  {LONG}",
    ]


def test_a_table_without_rows_has_a_caption_and_notes_only() -> None:
    empty = Table("nothing", (Column("metric", str), Column("a", str)), (), ("a note",))
    assert plain_text(empty) == "nothing\n  a note"
    assert empty.heads == ()


def test_line_ends_tabs_and_control_characters_break_no_table() -> None:
    hostile = "a\n| b\t\x1b[2Jc\rd"
    table = Table(hostile, tuple(numbered_columns((hostile, "f1"), right={1})), [(hostile, "1.00")], (hostile,))
    shown = "a | b \ufffd[2Jc d"
    assert plain_text(table) == f"{shown}\n  {shown}    f1\n  {shown}  1.00\n  {shown}"
    assert html(table).count(shown) == 4
    assert markdown.table_markdown(table).splitlines()[2:5:2] == [
        "| a \\| b \ufffd\\[2Jc d | f1 |",
        "| a \\| b \ufffd\\[2Jc d | 1.00 |",
    ]


def test_columns_of_any_script_are_aligned_as_in_a_terminal() -> None:
    names = ("中文", "हिन्दी", "ไทยกำ", "\U0001f469\u200d\U0001f467", "✈\ufe0f", "1\ufe0f\u20e3", "e\u0301", "a")
    table = Table("", tuple(numbered_columns(("id", "f1"))), [(name, "1.00") for name in names])
    assert len({cell_len(line.removesuffix("1.00")) for line in plain_text(table).splitlines()[2:]}) == 1


def test_blanks_stay_in_ids_and_in_notes_that_are_aligned() -> None:
    table = Table("t", tuple(numbered_columns(("id",))), [("a  b",)], ("  5.0% empty",))
    assert plain_text(table) == "t\n  id\n  a  b\n    5.0% empty"
