"""Tables as plain text."""

from pipelines.display.table import Column, Table, numbered_columns, plain_text

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
