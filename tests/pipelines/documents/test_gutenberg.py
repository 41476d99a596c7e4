"""The marks of Project Gutenberg."""

import pytest

from pipelines.documents.gutenberg import work

START, END = "*** START OF THE PROJECT GUTENBERG EBOOK A ***", "*** END OF THE PROJECT GUTENBERG EBOOK A ***"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (f"Licence\n{START}\nAnna woke.\n{END}\nLicence", "Anna woke.\n"),
        (f"Anna woke.\n{END}\nLicence", "Anna woke.\n"),
        (f"Licence\n{START}\nAnna woke.", "Anna woke."),
        ("Licence\n*END*THE SMALL PRINT!*\nAnna woke.\nEnd of Project Gutenberg's A\n", "Anna woke.\n"),
        (f"{START}\n\n{END}", f"{START}\n\n{END}"),
        ("Anna woke.", "Anna woke."),
        ("", ""),
    ],
)
def test_the_work_is_what_stands_between_the_marks(text: str, inside: str) -> None:
    assert text[slice(*work(text))] == inside
