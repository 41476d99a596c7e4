"""Markdown: its lines stay, invisible parts are left out, and its headings are declared."""

from pathlib import Path

from pipelines import documents
from pipelines.documents import Text


def read(tmp_path: Path, source: str, name: str = "a.md") -> Text:
    (tmp_path / name).write_text(source, encoding="utf-8", newline="")
    return documents.read(tmp_path / name, cache=False)


def test_front_matter_is_no_text_and_gives_the_title(tmp_path: Path) -> None:
    for front, title in (
        ("---\ntitle: The mill\n# note\n---\n", "The mill"),
        ('+++\ntitle = "The mill"\n# note\n+++\n', "The mill"),
        ("---\r\ntags: [a]\r\n...\r\n", "Rent"),
    ):
        text = read(tmp_path, f"{front}# Rent\n\nIt is 900.\n")
        assert (text.text.strip(), text.title) == ("# Rent\n\nIt is 900.", title)
        assert text.text.count("\n") == front.count("\n") + 3
        assert [one.title for one in text.headings] == ["Rent"]
        line = text.text.index("It is")
        assert documents.location(text.meta, text.text, line, line + 2).startswith(f"line {front.count(chr(10)) + 3},")


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    for source in ("---\n\nA text.\n\n---\n", "---\nNote: we sail.\nAt noon.\n---\n", "+++\nA text.\n+++\n"):
        assert read(tmp_path, source).text == source


def test_pictures_as_text_and_comments_are_no_text(tmp_path: Path) -> None:
    picture = f"data:image/png;base64,{'iVBOR' * 100}"
    text = read(
        tmp_path, f"![chart]({picture})\n<!-- a\nb -->\n\nEnd.\n\n[image1]: <{picture}>\n\n```\n<!-- code -->\n```\n"
    )
    assert text.text == "![chart]\n\n\n\nEnd.\n\n\n\n```\n<!-- code -->\n```\n"


def test_raised_words_and_readings_are_read_as_in_a_page(tmp_path: Path) -> None:
    assert read(tmp_path, "3<sup>1</sup>/<sub>2</sub> cups\n").text == "3 1/2 cups\n"
    ruby = "<ruby>家賃<rp>(</rp><rt>やちん</rt><rp>)</rp></ruby>"
    source = f"10<sup>6</sup> cells in 1998<sup>3</sup>, H<sub>2</sub>O, {ruby}は\n"
    assert read(tmp_path, source).text == "10^6 cells in 1998[3], H2O, 家賃は\n"


def test_headings_are_declared_as_they_are_shown(tmp_path: Path) -> None:
    source = "Lease\n=====\n\n## **Rent** [now](x.html) {#rent}\n\n1. one\n\nDeposit\n---\n\n```\n# no\n```\n"
    text = read(tmp_path, source)
    assert [(one.level, one.title, source[one.start : one.end]) for one in text.headings] == [
        (1, "Lease", "Lease\n====="), (2, "Rent now", "## **Rent** [now](x.html) {#rent}"),
        (2, "Deposit", "Deposit\n---"),
    ]  # fmt: skip


def test_latex_has_no_comments_and_its_lines_stay(tmp_path: Path) -> None:
    source = "% top\n\\section{Method} % why\nAbout 10\\,\\% of it.\n% within\nMore. \\verb|%| \\url{a%20b}\n\n"
    source += "\\begin{comment}\nx\n\\end{comment}\n"
    text = read(tmp_path, source, "a.tex")
    assert text.text == "\n\\section{Method}\nAbout 10\\,\\% of it.\n%\nMore. \\verb|%| \\url{a%20b}\n\n\n\n\n"
    assert [(one.title, one.level) for one in text.headings] == [("Method", 3)]
    assert documents.location(text.meta, text.text, text.text.index("More"), len(text.text)) == "line 5, section Method"


def test_restructured_text_has_no_comments_and_its_underlined_titles_are_headings(tmp_path: Path) -> None:
    source = "====\nMill\n====\n\n.. a comment\n   that goes on\n\nRent\n----\n\n900 euros.\n\n"
    source += ".. note:: Shown.\n\n.. _target:\n\n..\n\n  Quoted.\n"
    text = read(tmp_path, source, "a.rst")
    assert (
        "comment" not in text.text
        and "goes on" not in text.text
        and "note:: Shown." in text.text
        and "Quoted" in text.text
    )
    assert text.text.count("\n") == source.count("\n")
    assert [(one.level, one.title) for one in text.headings] == [(1, "Mill"), (2, "Rent")]
