"""Headings of Markdown, LaTeX and plain text, and lines that only look like headings."""

import re
from pathlib import Path

import pytest

from chunkers.shared.headings import headings
from tests.turns import for_each

TEXT = "This is a paragraph of plain text that goes on for a while, and ends here. It has two sentences."


def titles(text: str) -> list[str]:
    return [heading.title for heading in headings(text)]


def levels(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in headings(text)]


def document(*lines: str) -> str:
    """The lines with blank lines between them; "…" stands for a paragraph."""
    return "\n\n".join(TEXT if line == "…" else line for line in lines)


def test_markdown_headings_need_no_blank_lines_and_may_be_closed() -> None:
    assert titles(f"# One\n{TEXT}\n## Two ##\n{TEXT}") == ["One", "Two"]


def test_a_wrapped_markdown_heading_ends_at_the_blank_line() -> None:
    text = document("# A", "### Chapter 3 A review of the two dimensional model on a fuzzy\nsphere", "…")
    heading = headings(text)[1]
    assert heading.title == "Chapter 3 A review of the two dimensional model on a fuzzy sphere"
    assert text[heading.start : heading.end].endswith("fuzzy\nsphere")


def test_a_heading_that_runs_into_its_paragraph_ends_with_its_first_words() -> None:
    assert titles(f"# Methods\n\n##### Acknowledgements. I would like to thank\n{TEXT}\n{TEXT}\n{TEXT}") == [
        "Methods",
        "Acknowledgements",
    ]


def test_theorems_proofs_formulas_and_code_are_not_sections() -> None:
    other_headings = ("###### Theorem 2.1 (Rank).", "###### Proof.", "#### Lemma 3", "## $x = y$", "##### @xmath")
    code = f"```\n# a comment\n{TEXT}\n```"
    assert titles(document("# One", "…", *other_headings, code, "# Two", "…")) == ["One", "Two"]
    assert titles(document("## 1.4 Notation and other warnings.", "## Notation", "## Example", "…")) == [
        "1.4 Notation and other warnings.",
        "Notation",
        "Example",
    ]


def test_in_a_text_with_markdown_headings_plain_lines_are_not_headings() -> None:
    assert titles(document("# One", "1 Introduction", "…", "# Two", "IN CAPITAL LETTERS", "…")) == ["One", "Two"]


def test_latex_headings_lose_their_commands() -> None:
    text = r"""
\begin{abstract} Short. \end{abstract}
\chapter*{Introduction}\label{intro}
\section[Short]{The {\bf big} one}
  \subsection{On $x$}
% \section{No}
\begin{thebibliography}{9}"""
    assert levels(text) == [
        (1, "Abstract"),
        (1, "Introduction"),
        (1, "The big one"),
        (2, "On $x$"),
        (1, "References"),
    ]


@pytest.mark.parametrize(
    "names",
    [
        ["1 Introduction", "2 Methods", "2.1 Data", "2.2 Models and more", "3 Results"],
        ["1. Introduction", "2. Methods", "2.1. Further Methods", "3. Results"],
        ["I. INTRODUCTION", "II. RESULTS", "III. DISCUSSION"],
        ["Chapter 1", "Chapter 2: On Data", "CHAPTER III. The End", "Appendix A"],
        ["INTRODUCTION", "MATERIALS AND METHODS", "RESULTS OF THE STUDY"],
        ["Introduction", "Related work", "Conclusions", "References"],
    ],
)
def test_plain_headings_of_each_kind_are_found(names: list[str]) -> None:
    assert titles(document(*(line for name in names for line in (name, "…")))) == names


def test_plain_headings_may_stand_right_above_their_text_or_after_a_full_stop() -> None:
    assert titles(f"1 Introduction\nText.\n\n2 Methods\n{TEXT}\n3 Results\n{TEXT}") == [
        "1 Introduction",
        "2 Methods",
        "3 Results",
    ]


def test_in_a_text_without_blank_lines_every_line_may_be_a_heading() -> None:
    assert titles(f"1 Introduction\n{TEXT}\n2 Methods\n{TEXT}\n2.1 Data\n{TEXT}") == [
        "1 Introduction",
        "2 Methods",
        "2.1 Data",
    ]


def test_a_title_on_the_line_below_its_chapter_belongs_to_it() -> None:
    assert titles(document("Chapter 1\nOn Ships", "…")) == ["Chapter 1 On Ships"]


@pytest.mark.parametrize(
    "line",
    [
        "NASA ESA JAXA",
        "UNESCO",
        "3 X = Y + Z",
        "3 The end of it.",
        "3 dogs came along",
        "Chapter 3 and summarized in Section 1",
        "WHAT FOLLOWS IS NO SECTION:",
        "THIS IS A LONG LINE IN CAPITALS THAT GOES ON AND ON AND DOES NOT END HERE",
        "2006 Nobel Prize",
        "5 Much Later",
        "C. Montgomery Burns",
        "V. Nabokov",
        "the results",
    ],
)
def test_lines_that_only_look_like_headings_are_not_headings(line: str) -> None:
    assert titles(document("1 Introduction", "…", line, "…", "2 Methods", "…")) == ["1 Introduction", "2 Methods"]


def test_items_of_a_list_are_no_headings_and_do_not_stop_those_that_follow() -> None:
    items = ("1. Wash the Sample", "2. Dry it", "3. Weigh it")
    assert titles(document("1 Introduction", "…", *items, "…", "2 Methods", "…")) == ["1 Introduction", "2 Methods"]
    spaced_items = ("1. Wash the Sample", "…", "2. Dry it", "…")
    assert titles(document("1 Introduction", "…", *spaced_items, "2 Methods", "…")) == ["1 Introduction", "2 Methods"]


def test_a_subsection_number_continues_only_its_own_section() -> None:
    assert titles(document("1 Ants", "…", "2.3 Bees", "…", "2 Cats", "…")) == ["1 Ants", "2 Cats"]
    assert titles(document("A.2 Ants", "…", "A.1 Bees", "…", "A.2 Cats", "…")) == ["A.1 Bees", "A.2 Cats"]


@pytest.mark.parametrize("ending", ["", " ..... 7", " 7"])
def test_entries_of_a_table_of_contents_are_no_headings(ending: str) -> None:
    names = ("1 Introduction", "2 Methods", "3 Results")
    entries = [name + ending for name in names]
    text = document(*entries, *(line for name in names for line in (name, "…")))
    assert titles(text) == list(names)


def test_running_heads_count_once() -> None:
    pages = ("ON METHODS AND DATA", "…", "ON METHODS AND DATA 13", "…", "14 ON METHODS AND DATA", "…")
    assert titles(document("INTRODUCTION", "…", *pages)) == ["INTRODUCTION", "ON METHODS AND DATA"]


def test_chapters_are_the_first_level_whatever_their_mark() -> None:
    marked = document(
        "# Chapter 1 A", "### 1.1 B", "…", "## Part I C", "## Chapter 2 D", "## Chapter 3 E", "#### F", "…"
    )
    assert levels(marked) == [
        (1, "Chapter 1 A"), (2, "1.1 B"), (1, "Part I C"), (1, "Chapter 2 D"), (1, "Chapter 3 E"), (3, "F"),
    ]  # fmt: skip
    plain = document("Chapter 1 Ants", "1 Bees Fly", "…", "1.1 Cats", "…", "Chapter 2 Dogs", "…")
    assert levels(plain) == [(1, "Chapter 1 Ants"), (2, "1 Bees Fly"), (2, "1.1 Cats"), (1, "Chapter 2 Dogs")]


def test_a_heading_in_capitals_has_the_level_of_the_numbered_ones_beside_it() -> None:
    assert levels(document("1 Ants", "…", "ON BEES AND WASPS", "…", "1.1 Dogs", "…", "2 Cats", "…")) == [
        (1, "1 Ants"), (1, "ON BEES AND WASPS"), (2, "1.1 Dogs"), (1, "2 Cats"),
    ]  # fmt: skip


def test_without_chapters_the_highest_level_that_occurs_twice_is_the_first() -> None:
    assert levels(document("# Title", "## A", "…", "### B", "…", "## C", "…")) == [
        (1, "Title"), (1, "A"), (2, "B"), (1, "C"),
    ]  # fmt: skip


def test_texts_without_headings_have_none() -> None:
    assert headings("") == headings(" \n\n ") == headings(TEXT) == []


def test_windows_line_ends_change_nothing() -> None:
    text = document("1 Introduction", "…", "2 Methods", "…")
    assert titles(text.replace("\n", "\r\n")) == ["1 Introduction", "2 Methods"]


@for_each(
    "names",
    [
        ["I", "II", "III"],
        ["I.", "II.", "III.", "IV."],
        ["CHAP. I.", "CHAP. II."],
        ["Chapter Nineteen", "Chapter Twenty", "Chapter Twenty-One", "Chapter Twenty One"],
        ["Chapter the First", "CHAPTER THE LAST"],
        ["BOOK I", "BOOK THE SECOND. The Golden Thread", "Book Three: On Land"],
        ["First Act", "Second Act", "THIRD ACT."],
        ["Volume 1", "Volume 2"],
        ["Letter 1", "Letter 2"],
        ["Chapter \\thechapter Introduction", "Chapter \\thechapter Hyperbolic Graphs"],
        ["Chapter 12a The Condition Back", "Chapter 3-2", "Chapter II.4", "Chapter No. 5", "Chapter #6"],
        ["Chapter 7 What about torsion?", "Chapter 8 Volume expansions.", "Part I Gauge Theory in Riem."],
        ["Appendix A Proofs", "a.1 Linear algebra", "a.1.1 Definitions", "Appendix C Codes", "c.1 Ada"],
        ["1 Introduction", "1.1 What is knot concordance?", "1.2 Notation and other warnings.", "1.3 ADM 3+1 split"],
        ["Chapter 2 Spaces", "2.1 Ants", "2.2 Bees", "Chapter 3 Times", "3.1 Cats"],
    ],
)
def test_chapters_with_unusual_counters_are_found(names: list[str]) -> None:
    assert titles(document(*(line for name in names for line in (name, "…")))) == names


@pytest.mark.parametrize(
    "line",
    ["I", "MI", "II", "Act surprised", "Book club", "Letter to Anna", "Chapter of accidents", "2.5 X = Y of All",
     "2.2 million of them", "The First Act", "Part I was easy", "Chapter One, of course,", "Volume 3,"],
)  # fmt: skip
def test_lines_that_only_look_numbered_are_not_headings(line: str) -> None:
    assert titles(document("1 Introduction", "…", line, "…", "2 Methods", "…")) == ["1 Introduction", "2 Methods"]


def test_each_book_may_have_chapters_of_the_same_numbers() -> None:
    books = ("Book I", "CHAPTER I", "…", "CHAPTER II", "…")
    lines = [name.replace("Book I", f"Book {number}") for number in ("I", "II", "III", "IV") for name in books]
    assert titles(document(*lines)) == [name for name in lines if name != "…"]


def test_each_chapter_may_have_an_introduction_and_a_summary() -> None:
    lines = [line for n in range(1, 5) for line in (f"Chapter {n} On Ships", "1 Introduction", "…", "Summary", "…")]
    assert titles(document(*lines)) == [line for line in lines if line != "…"]


def test_a_running_head_that_repeats_its_chapter_counts_once() -> None:
    page = ("Chapter 2 On Ships", "…")
    assert titles(document("Chapter 1 On Land", "…", *page, *page, *page)) == [
        "Chapter 1 On Land",
        "Chapter 2 On Ships",
    ]


def test_items_of_a_list_do_not_continue_from_the_chapter_s_number() -> None:
    text = document("Chapter 2 Ants", "2.1 Legs", "…", "3. The third solution is", "…", "2.2 Eyes", "…")
    assert titles(text) == ["Chapter 2 Ants", "2.1 Legs", "2.2 Eyes"]


def test_a_part_a_chapter_and_a_title_in_a_row_are_headings() -> None:
    assert titles(document("PART 1", "CHAPTER ONE", "PLAYING PILGRIMS", "…", "CHAPTER TWO", "…")) == [
        "PART 1",
        "CHAPTER ONE",
        "PLAYING PILGRIMS",
        "CHAPTER TWO",
    ]


def test_roman_numerals_are_on_the_level_of_parts_and_below_chapters() -> None:
    assert levels(document("Part I", "I", "…", "II", "…")) == [(1, "Part I"), (1, "I"), (1, "II")]
    assert levels(document("Chapter 1", "I", "…", "II", "…", "Chapter 2", "…")) == [
        (1, "Chapter 1"), (2, "I"), (2, "II"), (1, "Chapter 2"),
    ]  # fmt: skip


def test_numbered_headings_of_theses_are_found_without_their_markdown_marks(realdata: Path) -> None:
    """With their # removed, nearly all numbered headings are found, and hardly anything else is."""
    right = wrong = missed = 0
    for file in sorted((realdata / "vlsp").glob("*.main.txt"))[::3]:
        text = file.read_text(encoding="utf-8")
        marked = {text.count("\n", 0, heading.start): heading.title for heading in headings(text)}
        marked_lines = {number for number, line in enumerate(text.split("\n")) if line.startswith("#")}
        plain = re.sub(r"(?m)^#+[ \t]+", "", text)
        heading_lines = {plain.count("\n", 0, heading.start) for heading in headings(plain)}
        numbered = {
            n for n, title in marked.items() if re.match(r"(?i)(chapter|appendix|part)\s|(\d+|[a-h])\.\d", title)
        }
        right, missed = right + len(heading_lines & numbered), missed + len(numbered - heading_lines)
        wrong += len(heading_lines - marked_lines)
    assert right / (right + missed) > 0.98
    assert right / (right + wrong) > 0.99


@pytest.mark.parametrize(("story", "chapters"), [("166", 18), ("16357", 31), ("13152", 50)])
def test_the_chapters_of_real_books(realdata: Path, story: str, chapters: int) -> None:
    text = (realdata / "narrativeqa" / "stories" / f"{story}.txt").read_text(encoding="utf-8", errors="replace")
    chapter_titles = [title for title in titles(text) if re.fullmatch(r"(?:CHAP(?:TER|\.) )?[IVXL]+\.?", title)]
    assert len(chapter_titles) == chapters


def test_the_chapters_of_real_theses(realdata: Path) -> None:
    text = (realdata / "vlsp" / "1201.5712v1.main.txt").read_text(encoding="utf-8")
    assert [title for level, title in levels(text) if level == 1][:3] == [
        "Chapter 1 Introduction",
        "Chapter 2 Black Holes and Duality in M-Theory and String Theory",
        "Chapter 3 Evolution of Early Universe",
    ]
