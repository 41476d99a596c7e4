from pathlib import Path

from pipelines import documents
from tests.pipelines.documents import small_files


def test_lines_stay_as_they_are_stored_with_running_heads(tmp_path: Path) -> None:
    pages = [["THE MILL", "It was sold to the family", "Holm."]] * 3
    path = small_files.pdf(tmp_path / "a.pdf", pages)
    text = documents.read(path, cache=False, reader_name="stored_pdf")
    assert text.text == "\n\n".join(["THE MILL\nIt was sold to the family\nHolm."] * 3)
    assert text.marks == ((0, "1"), (42, "2"), (84, "3"))
