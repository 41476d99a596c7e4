import pytest

import models
from longdoc.errors import UserError
from pipelines.plugins.bridges._text_cut import Cut, checked_cut, cut_text

TEXT = "one two three four five six seven"


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        ("middle", "one two three six seven"),
        ("end", "one two three four five"),
        ("start", " three four five six seven"),
    ],
)
def test_a_text_is_cut_to_the_limit(cut: Cut, kept: str) -> None:
    assert cut_text(TEXT, 5, models.get("extractive"), cut) == (kept, 2)


def test_a_text_that_fits_stays() -> None:
    assert cut_text(TEXT, 7, models.get("extractive"), "middle") == (TEXT, 0)


def test_a_limit_of_nothing_leaves_nothing() -> None:
    assert cut_text(TEXT, 0, models.get("extractive"), "middle") == ("", 7)


def test_an_unknown_place_to_cut_is_refused() -> None:
    with pytest.raises(UserError, match='cut must be "middle", "start" or "end", got \'left\''):
        checked_cut("left")
