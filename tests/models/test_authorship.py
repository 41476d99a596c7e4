import pytest

from models.authorship import Authorship


def test_authors_give_the_changes_and_the_number_of_authors() -> None:
    authorship = Authorship.of("1, 2 2\n1")
    assert authorship == Authorship((1, 2, 2, 1), (1, 0, 1), 2)
    assert (authorship.paragraphs, authorship.several, str(authorship)) == (4, True, "1,2,2,1")


@pytest.mark.parametrize(
    ("text", "changes", "paragraphs", "several"),
    [
        ("changes=0,1 authors=2", (0, 1), 3, True),
        ("changes=0,0 authors=2", (0, 0), 3, True),
        ("changes=0", (0,), 2, False),
        ("changes= authors=1", (), 1, False),
    ],
)
def test_changes_can_be_known_without_authors(
    text: str, changes: tuple[int, ...], paragraphs: int, several: bool
) -> None:
    authorship = Authorship.of(text)
    assert (authorship.authors, authorship.changes) == (None, changes)
    assert (authorship.paragraphs, authorship.several) == (paragraphs, several)
    assert str(authorship) == text
