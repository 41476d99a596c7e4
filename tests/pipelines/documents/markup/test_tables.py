"""Tables in plain text."""

from pipelines.documents.markup.tables import Cell, in_line, lines


def table(*rows: str, heads: int | None = None) -> list[str]:
    """The lines of rows whose cells are apart by commas; "text*2" goes over two columns, "text/2" over two rows."""
    return lines([[cell(text) for text in row.split(",")] for row in rows], heads)


def cell(text: str) -> Cell:
    words, _, rows = text.partition("/")
    words, _, columns = words.partition("*")
    return Cell(words, int(columns or 1), int(rows or 1))


def test_empty_cells_keep_their_place() -> None:
    assert table("Model,2023,2024", "Plover,,380", "Gull,90,", heads=1) == [
        "| Model | 2023 | 2024 |", "| --- | --- | --- |", "| Plover | | 380 |", "| Gull | 90 | |",
    ]  # fmt: skip


def test_cells_over_rows_and_columns_are_repeated() -> None:
    assert table("Model,Price*2", "Heron/2,410,455", "420,", heads=0) == [
        "| Model | Price | Price |", "| Heron | 410 | 455 |", "| Heron | 420 | |",
    ]  # fmt: skip
    assert table("a,b/3", "c", "d,e") == ["| a | b |", "| c | b |", "| d | b | e |"]


def test_several_rows_of_names_are_one() -> None:
    assert table("Model/2,Price*2", "2023,2024", "A,1,2", heads=2) == [
        "| Model | Price 2023 | Price 2024 |", "| --- | --- | --- |", "| A | 1 | 2 |",
    ]  # fmt: skip


def test_a_row_of_names_is_known_by_the_figures_below_it() -> None:
    for rows, has_names in (
        (("Service,2023,2024", "Mooring,410,455", "Crane,,380"), True),
        (("Service,Fee", "Mooring,410", "Crane,380"), True),
        (("Name,Role,Town", "Ida,Cook,Oslo"), True),
        (("Mooring,410,455", "Crane,90,380"), False),
        (("Born,1871", "Died,1902"), False),
        (("Name,Ida Holm", "Town,Oslo"), False),
    ):
        assert (table(*rows)[1][:5] == "| ---") is has_names, rows


def test_a_title_over_all_columns_stands_once() -> None:
    assert table("Prices*3", "Model,Fee,Deposit", "A,1,2") == [
        "Prices", "| Model | Fee | Deposit |", "| --- | --- | --- |", "| A | 1 | 2 |",
    ]  # fmt: skip
    assert table("A,1,2", "Other prices*3", "B,3,4")[1] == "| Other prices |"


def test_one_column_is_no_table() -> None:
    assert table("a", "b", "") == ["a", "b"]


def test_a_table_in_a_cell_is_on_its_line() -> None:
    assert in_line("Fees\n\n| 2023 | 380 |\n| --- | --- |\n| 2024 | 400 |") == "Fees 2023, 380; 2024, 400"
    assert in_line("two\nlines") == "two lines"


def test_huge_spans_are_bounded() -> None:
    rows = [[Cell("word " * 50, 100_000, 60_000), Cell("b")]] + [[Cell("c")]] * 1_000
    assert sum(map(len, lines(rows, 0))) < 100_000
