"""Lines "number: author" as models write them."""

import json

import pytest

from pipelines.strategies.shared.numbered_authors import Reading, read
from tests.turns import for_each


@for_each(
    "reply",
    [
        "1: 1\n2: 2\n3: 1",
        "1 : 1\n\n2 : 2\n\n3 : 1\n",
        "**1**: 1\n**2**: Author 2\n**3**: *1*",
        "[1] author 1\n[2] author 2\n[3] author 1",
        "1. 1\n2. 2\n3. 1",
        "1) Author 1\n2) Author 2\n3) Author 1",
        "1 - 1\n2 - 2\n3 - 1",
        "1 -> 1\n2 → 2\n3 => 1",
        "1,1\n2,2\n3,1",
        "1,2,1",
        "1\n2\n1",
        "1: 1, 2: 2, 3: 1",
        "1: 1; 2: 2; 3: 1",
        '{"1": 1, "2": 2, "3": 1}',
        '```json\n{"1": "author 1", "2": "author 2", "3": "author 1"}\n```',
        json.dumps([{"paragraph": n, "author": a} for n, a in ((1, 1), (2, 2), (3, 1))]),
        "| number | author |\n|---|---|\n| 1 | 1 |\n| 2 | 2 |\n| 3 | 1 |",
        "Paragraph 1: Author 1\nParagraph 2 is by author 2.\nParagraph 3 was written by the author 1 (same style).",
        "Author 1: 1, 3\nAuthor 2: 2",
        "Author 2: 2\nAuthor 1: paragraphs 1; 3.",
        "Here are the lines of the 3 paragraphs:\n\n1: 1\n2: 2\n3: 1\n\nParagraph 3 is in the style of 1.",
        "1: 1\n2: 2\n3: 1\n3: 1",  # said twice
        "٣: ١\n1: 1\n2: 2\n3: 1",
    ],
)
def test_every_form_gives_the_authors(reply: str) -> None:
    assert read(reply, 1, 3, 4).authors == (1, 2, 1)
    assert read(reply, 1, 3, 4).missing == 0


def test_ranges_name_all_of_their_paragraphs() -> None:
    assert read("1-3: 1\n4 to 5: author 2", 1, 5, 4) == Reading((1, 1, 1, 2, 2))
    assert read("Author 1: 1-3, 5\nAuthor 2: 4", 1, 5, 4) == Reading((1, 1, 1, 2, 1))
    assert read("1-999999999: 1", 1, 3, 4).authors == (1, 1, 1)


@pytest.mark.parametrize(
    ("reply", "reading"),
    [
        ("1: 1\n3: 1", Reading((1, 0, 1), unnamed=1)),
        ("1: 1\n2: 2\n2: 1\n3: 1", Reading((1, 0, 1), twice=1)),
        ("1: 1\n2: 5\n3: 0", Reading((1, 0, 0), over=2)),
        ("0: 1\n1: 1\n2: 1\n3: 1\n4: 2\n7: 1", Reading((1, 1, 1), stray=3)),
        ("1,2", Reading((2, 0, 0), unnamed=2)),
        ("1,2,1,1", Reading((0, 0, 0), unnamed=3)),  # numbers without those of paragraphs, and not as many
        ("", Reading((0, 0, 0), unnamed=3)),
        ("I cannot tell who wrote these 3 paragraphs.", Reading((0, 0, 0), unnamed=3)),
        ("1" * 10_000 + ": 2", Reading((0, 0, 0), unnamed=3)),
    ],
)
def test_lines_that_cannot_be_used_are_counted(reply: str, reading: Reading) -> None:
    assert read(reply, 1, 3, 4) == reading


def test_paragraphs_before_those_that_are_asked_for_do_not_count() -> None:
    assert read("7: 1\n8: 2\n9: 3\n10: 3", 9, 10, 4) == Reading((3, 3))
    assert read("3,3", 9, 10, 4) == Reading((3, 3))


def test_readings_add_up_and_are_described() -> None:
    both = Reading((1, 0), unnamed=1).plus(Reading((0, 0), twice=1, over=1, stray=2))
    assert both == Reading((1, 0, 0, 0), 1, 1, 1, 2)
    assert both.missing == 3
    assert both.description(4) == (
        "3 of 4 paragraphs have the author of the one before: 1 left out, 1 with two authors, 1 with an author beyond "
        "the last; 2 numbers of other paragraphs"
    )


@pytest.mark.parametrize("text", [" ", "1 ", "1: ", "1-", "*", "author 1:", "| ", "1, "])
def test_a_reply_without_an_end_is_read_in_time_that_grows_with_it(text: str) -> None:
    assert len(read(text * 50_000 + "x", 1, 50, 4).authors) == 50
