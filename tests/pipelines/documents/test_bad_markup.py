"""Bad files of mark-up: one line that names the file and what to do, no hang, no recursion, bounded texts."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents
from tests.pipelines.documents import small_files


def test_a_file_of_another_kind_under_a_name_is_refused_in_one_line(tmp_path: Path) -> None:
    zipped = small_files.zipped(tmp_path / "zip", {"a": "b"}).read_bytes()
    for ending in (".html", ".epub", ".docx", ".docm", ".md", ".tex", ".rst"):
        for data in (
            b"%PDF-1.4\n",
            b"\xd0\xcf\x11\xe0" + bytes(90),
            b"\x89PNG\r\n",
            zipped,
            b"<p>" if ending in (".epub", ".docx", ".docm") else bytes(90),
        ):
            path = tmp_path / f"a{ending}"
            path.write_bytes(data)
            with pytest.raises(UserError) as caught:
                documents.read(path, cache=False)
            message = str(caught.value)
            assert (
                path.name in message
                and "\n" not in message
                and any(word in message.lower() for word in ("rename", "binary", "fetch"))
            )


def test_files_that_are_cut_off_anywhere_are_read_or_refused_in_one_line(tmp_path: Path) -> None:
    note = '<w:footnote w:id="5"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>'
    small_files.docx(tmp_path / "a.docx", small_files.paragraph("Words.") * 50, footnotes=note)
    small_files.epub(tmp_path / "a.epub", {"one.xhtml": "<h1>One</h1><p>Words.</p>" * 50})
    page = (
        "<style>p{color:red}</style><table><tr><td colspan=2>a<sup>2</sup></table><ol reversed><li>x</ol>"
        "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    )
    (tmp_path / "a.html").write_text(page)
    for name in ("a.docx", "a.epub", "a.html"):
        data = (tmp_path / name).read_bytes()
        for size in range(1, len(data), max(1, len(data) // 40)):
            cut = tmp_path / f"cut-{name}"
            cut.write_bytes(data[:size])
            try:
                documents.read(cut, cache=False)
            except UserError as error:
                assert cut.name in str(error) and "\n" not in str(error)


def test_markup_nested_ten_thousand_times_is_refused_or_read_in_time(tmp_path: Path) -> None:
    for source in ("<table><tr><td>", "<ol><li>", "<sup>", "<math><mrow>", "<b>", "<ol reversed><li>", "<h1>", "<q>"):
        (tmp_path / "a.html").write_text(f"<body>{source * 10_000}x")
        try:
            assert "x" in documents.read(tmp_path / "a.html", cache=False).text
        except UserError as error:
            assert "is nested too deeply to be read; save it from a browser as text or PDF" in str(error)
    (tmp_path / "a.html").write_text("<body>" + "<table><tr><td>" * 300 + "deep" + "</table>" * 300)
    assert documents.read(tmp_path / "a.html", cache=False).text == "deep"
    (tmp_path / "a.md").write_text(">" * 10_000 + " # x\n\n" + "- " * 5_000 + "end")
    assert documents.read(tmp_path / "a.md", cache=False).text.endswith("end")


def test_texts_stay_bounded(tmp_path: Path) -> None:
    rows = "<tr><td colspan=1000 rowspan=65000>" + "word " * 200 + "<td>b" + "<tr><td>c" * 2_000
    for source in (
        f"<table>{rows}</table>",
        "<h1>" + "word " * 200_000,
        "<style>" + ".a .b{display:none}" * 50_000 + "</style><p class='a b'>x",
    ):
        (tmp_path / "a.html").write_text(f"<body>{source}")
        assert len(documents.read(tmp_path / "a.html", cache=False).text) < 2 * len(source)


def test_text_from_right_to_left_stays_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<h1 dir=rtl>חוזה</h1><table><tr><th>שנה<th>מחיר<tr><td>2024<td>380</table>", encoding="utf-8"
    )
    text = documents.read(tmp_path / "a.html", cache=False)
    assert text.text == "חוזה\n\n| שנה | מחיר |\n| --- | --- |\n| 2024 | 380 |"
    assert text.marks == ((0, "חוזה"),)
    small_files.docx(
        tmp_path / "a.docx", small_files.paragraph("<w:r><w:rPr><w:rtl/></w:rPr><w:t>חוזה 10</w:t></w:r>", bidi="1")
    )
    assert documents.read(tmp_path / "a.docx", cache=False).text == "חוזה 10"


def test_markup_opened_a_hundred_thousand_times_and_never_closed_is_read_at_once(tmp_path: Path) -> None:
    for name, source, text in (
        ("a.html", f"<style>{'{' * 100_000}</style><p>End.", "End."),
        ("b.html", f"<style>{'a ' * 100_000}{{display:none}}</style><p>End.", "End."),
        ("a.md", f"{'<!--' * 100_000}\nEnd.", "<!--" * 100_000 + "\nEnd."),
        ("a.tex", "End.\n" + "\\begin{comment}" * 100_000, "End."),
    ):
        (tmp_path / name).write_text(source)
        assert documents.read(tmp_path / name, cache=False).text.strip() == text, name
