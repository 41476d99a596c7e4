"""Sections: where a paper starts, which sections are left out, how a long section is split."""

from pathlib import Path

import pytest

import chunkers
from chunkers import Chunk, Heading, Layout
from chunkers.sections import Sections
from longdoc.errors import UserError

BODY = Sections(keep="body")
LEFT_OUT = "{}% of the words left out: what is before the introduction, references and lists"

PAPER = """# A Paper

Ann Author

# Abstract

We say it all.

# Contents

- Introduction
- Methods

# Introduction

Ships sail. They float.

# Methods

## Data

We counted ships.

## Models

We built ships.

# Acknowledgements

Thanks.

# References

[1] Ships.

# Appendix

More ships.
"""


def sections_of(text: str, **fields: object) -> list[tuple[str | None, str]]:
    return [(chunk.label, chunk.text) for chunk in chunkers.get("sections", **({"keep": "body"} | fields)).split(text)]


def test_a_chunk_is_a_section_with_its_heading_from_the_introduction_on() -> None:
    assert sections_of(PAPER) == [
        ("Introduction", "# Introduction\n\nShips sail. They float."),
        ("Data", "# Methods\n\n## Data\n\nWe counted ships."),
        ("Models", "## Models\n\nWe built ships."),
        ("Appendix", "# Appendix\n\nMore ships."),
    ]


def test_with_a_level_headings_below_it_start_no_section() -> None:
    assert sections_of(PAPER, level=1) == [
        ("Introduction", "# Introduction\n\nShips sail. They float."),
        ("Methods", "# Methods\n\n## Data\n\nWe counted ships.\n\n## Models\n\nWe built ships."),
        ("Appendix", "# Appendix\n\nMore ships."),
    ]


def test_a_long_section_is_split_at_lower_headings_then_paragraphs_then_sentences() -> None:
    head = "# Introduction\n\nOne two. Three four five six seven eight.\n\nNine ten."
    text = f"{head}\n\n## Sub\n\nEleven.\n\n# End\n\nDone."
    assert sections_of(text, level=1, size=9) == [
        ("Introduction", "# Introduction\n\nOne two."),
        ("Introduction", "Three four five six seven eight.\n\nNine ten."),
        ("Introduction", "## Sub\n\nEleven."),
        ("End", "# End\n\nDone."),
    ]
    assert [text for _, text in sections_of("# Introduction\n\none two three four five\n\n# End\n\nDone.", size=3)] == [
        "# Introduction", "one two three", "four five", "# End\n\nDone.",
    ]  # fmt: skip


def test_chapters_stay_apart_where_one_ends_with_an_empty_heading() -> None:
    text = "# Introduction\n\nShips.\n\n## Outline\n\n# Methods\n\nWe sail.\n\n# End\n\nDone."
    assert [label for label, _ in sections_of(text, level=1)] == ["Introduction", "Methods", "End"]


def test_a_heading_stays_with_the_text_below_it() -> None:
    text = "# Introduction\n\n## Ships\n\n" + "They sail. " * 10
    assert [chunk.split()[-1] for _, chunk in sections_of(text, size=22)] == ["sail.", "sail."]


def test_a_heading_without_text_joins_the_next_section_or_at_the_end_the_one_before() -> None:
    text = "# Introduction\n\n# Ships\n\nThey sail.\n\n# Last"
    assert sections_of(text) == [("Ships", text)]


def test_without_an_introduction_the_first_section_comes_first_and_that_is_reported() -> None:
    text = "A.\n\n# Contents\n\n- Ships\n\n# Ships\n\nThey sail.\n\n# More\n\nThey sink."
    assert sections_of(text) == [("Ships", "# Ships\n\nThey sail."), ("More", "# More\n\nThey sink.")]
    assert BODY.remark(text) == f"no introduction: starts at 'Ships'; {LEFT_OUT.format('30–40')}"
    assert BODY.remark(PAPER) == LEFT_OUT.format("50–60")


def test_a_text_whose_headings_come_late_is_not_lost() -> None:
    text = "Ships sail. They float well. And so do boats.\n\n# Ships\n\nMore.\n\n# References\n\n[1]"
    assert [label for label, _ in sections_of(text)] == [None, "Ships"]
    assert BODY.remark(text) == f"no introduction: starts at the top; {LEFT_OUT.format('20–30')}"


def test_the_introduction_of_a_later_chapter_is_not_that_of_the_paper() -> None:
    text = "# Chapter 1 Ships\n\nThey sail.\n\n# Chapter 2 Trains\n\n## 2.1 Introduction\n\nThey run."
    assert [label for label, _ in sections_of(text)] == ["Chapter 1 Ships", "2.1 Introduction"]
    assert BODY.remark(text) == "no introduction: starts at 'Chapter 1 Ships'"


def test_the_introduction_of_the_paper_is_preferred_to_that_of_its_synopsis() -> None:
    front = "## Synopsis\n\n### Introduction\n\nIn short."
    text = f"{front}\n\n## Chapter 1 Introduction\n\nShips.\n\n## Chapter 2 End\n\nEnd."
    assert [label for label, _ in sections_of(text)] == ["Chapter 1 Introduction", "Chapter 2 End"]


def test_an_introduction_within_the_first_chapter_counts() -> None:
    text = "# Preface\n\nHello.\n\n# Chapter 1 Ships\n\n## 1.1 Introduction\n\nOh.\n\n# Chapter 2 Trains\n\nThey run."
    assert [label for label, _ in sections_of(text)] == ["1.1 Introduction", "Chapter 2 Trains"]
    assert BODY.remark(text) == LEFT_OUT.format("40–50")


@pytest.mark.parametrize("text", ["One.\n\nTwo.\n\nThree four.", "# Contents\n\n- one\n\n# References\n\n[1] two"])
def test_a_paper_without_sections_is_split_at_paragraphs_with_a_remark(text: str) -> None:
    assert sections_of(text) == [(None, text)]
    assert BODY.remark(text) == "no headings: split at paragraphs"


def test_paragraphs_without_headings_are_packed_up_to_the_size() -> None:
    assert sections_of("One.\n\nTwo.\n\nThree four.", size=2) == [(None, "One.\n\nTwo."), (None, "Three four.")]


def test_by_default_a_chunk_has_at_most_512_words() -> None:
    text = "# Introduction\n\n" + "word " * 1000
    assert [len(chunk.text.split()) for chunk in BODY.split(text)] == [2, 512, 488]


def test_by_default_all_sections_and_the_text_before_them_are_kept() -> None:
    text = "By Ann.\n\n# Abstract\n\nCats sleep.\n\n# Introduction\n\nCats.\n\n# References\n\n[1] Cats."
    assert sections_of(text, keep="all") == [
        (None, "By Ann."),
        ("Abstract", "# Abstract\n\nCats sleep."),
        ("Introduction", "# Introduction\n\nCats."),
        ("References", "# References\n\n[1] Cats."),
    ]
    assert Sections().remark(text) is None
    assert (Sections().covers_document, BODY.covers_document) == (True, False)


def test_declared_headings_are_the_sections_whatever_the_text_looks_like() -> None:
    text = "Lease\n\nRent\n\nThe rent is 900.\n\n1. Pay in cash\n2. Pay early\n\nDeposit\n\nTwo months."
    headings = [Heading(text.index(title), text.index(title) + len(title), level, title)
                for level, title in ((1, "Lease"), (2, "Rent"), (2, "Deposit"))]  # fmt: skip
    chunks = Sections().split_document(text, Layout(tuple(headings)))
    assert [(chunk.label, chunk.text) for chunk in chunks] == [
        ("Rent", text[: text.index("\n\nDeposit")]),
        ("Deposit", "Deposit\n\nTwo months."),
    ]
    assert Sections().remark_document(text, Layout(tuple(headings))) is None
    assert Sections().remark("One.\n\nTwo.") == "no headings: split at paragraphs"
    assert Sections().split_document(text, Layout()) == Sections().split(text)


def test_headings_without_text_at_the_end_belong_to_the_chunk_before_them() -> None:
    chunks = Sections().split_document("Text.\n\nLast", Layout((Heading(7, 11, 1, "Last"),)))
    assert [(chunk.label, chunk.text) for chunk in chunks] == [(None, "Text.\n\nLast")]


def test_a_blank_text_has_no_sections() -> None:
    assert BODY.split("") == BODY.split(" \n\n ") == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [("sections:size=0", "size must be 1 or more"), ("sections:level=0", "level must be 1 .* or more")],
)
def test_numbers_below_one_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        chunkers.get(spec)


def test_real_theses_are_split_into_their_chapters(realdata: Path) -> None:
    whole = Sections(level=1, size=10**6, keep="body")
    counts, remarks = {}, {}
    for path in sorted((realdata / "vlsp").glob("*.main.txt")):
        text = path.read_text(encoding="utf-8")
        chunks = whole.split(text)
        assert all(chunk.label and text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
        assert sum(len(chunk.text) for chunk in chunks) > 0.85 * len(text)
        counts[path.name[:4]] = len(chunks)
        remarks[path.name[:4]] = whole.remark(text)
    assert min(counts.values()) == 4
    assert max(counts.values()) == 18
    assert {name for name, remark in remarks.items() if remark and remark.startswith("no")} == {"0902", "1110"}


def test_the_first_chunk_of_a_real_thesis_is_its_introduction(realdata: Path) -> None:
    text = (realdata / "vlsp" / "1206.0669v1.main.txt").read_text(encoding="utf-8")
    first = BODY.split(text)[0]
    assert first == Chunk(first.text, text.index("## Chapter 1 Introduction"), first.end, "Chapter 1 Introduction")
