import pytest

from models.authorship import Authorship


def test_authors_tell_changes_and_how_many_there_are() -> None:
    known = Authorship.of("1, 2 2\n1")
    assert known == Authorship((1, 2, 2, 1), (1, 0, 1), 2)
    assert (known.paragraphs, known.several, str(known)) == (4, True, "1,2,2,1")


@pytest.mark.parametrize(
    ("text", "changes", "paragraphs", "several"),
    [
        ("changes=0,1 authors=2", (0, 1), 3, True),
        ("changes=0,0 authors=2", (0, 0), 3, True),
        ("changes=0", (0,), 2, False),
        ("changes= authors=1", (), 1, False),
    ],
)
def test_changes_can_be_known_alone(text: str, changes: tuple[int, ...], paragraphs: int, several: bool) -> None:
    known = Authorship.of(text)
    assert (known.authors, known.changes, known.paragraphs, known.several) == (None, changes, paragraphs, several)
    assert str(known) == text
