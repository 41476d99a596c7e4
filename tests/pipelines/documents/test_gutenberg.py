"""The marks of Project Gutenberg."""

import pytest

from pipelines.documents.gutenberg import after_credits, work

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


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("\n\nProduced by Anna and\nBen\n\nTHE GULLS", "\nTHE GULLS"),
        ("Produced by Anna\r\n\r\nTHE GULLS", "\r\nTHE GULLS"),
        ("This eBook was produced by Anna\n\nE-text prepared by Ben\n\nTHE GULLS", "\nTHE GULLS"),
        ("THE GULLS\n\nProduced by Anna", "THE GULLS\n\nProduced by Anna"),
        ("Producedbyanna", "Producedbyanna"),
        ("Produced by Anna", ""),
        ("", ""),
    ],
)
def test_credits_are_the_first_paragraphs_that_say_who_made_the_file(text: str, rest: str) -> None:
    assert text[after_credits(text) :] == rest
