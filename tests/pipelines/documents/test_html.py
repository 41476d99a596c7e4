import subprocess
import sys
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents


def read(path: Path, source: str | bytes, name: str = "a.html") -> documents.Text:
    (path / name).write_bytes(source.encode() if isinstance(source, str) else source)
    return documents.read(path / name, cache=False)


PAGE = """<!doctype html><html><head><title> Bees &amp; ants </title><style>p {color: red}</style>
<script>var a = "<p>never</p>";</script></head><body><nav><a href="/">Home</a></nav>
<h1>On <i>bees</i></h1><p><b>C</b>all me\n  Ishmael&nbsp;&mdash; so&shy;me&#128029;<br>years&hellip;</p>
<!-- gone --><pre>x = 1\n  y = 2</pre><ul><li>one<li>two</ul>
<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>
<p>&lt;script&gt;alert(1)&lt;/script&gt; stays text</p><div hidden>gone</div><h2>Next</h2>end
</body></html>"""


def test_words_stay_whole_blocks_have_lines_and_scripts_are_gone(tmp_path: Path) -> None:
    text = read(tmp_path, PAGE)
    assert text.title == "Bees & ants"
    assert text.text == (
        "On bees\n\nCall me Ishmael — some🐝\nyears…\n\nx = 1\n  y = 2\n\none\ntwo\n\n| a | b |\n| c |\n\n"
        "<script>alert(1)</script> stays text\n\nNext\n\nend"
    )
    assert [(text.text[start : start + len(label)], label) for start, label in text.marks] == [
        ("On bees", "On bees"),
        ("Next", "Next"),
    ]


def test_a_place_is_named_by_its_section(tmp_path: Path) -> None:
    text = read(tmp_path, PAGE)
    start = text.text.index("end")
    assert documents.location(text.meta, text.text, start, start + 3) == "section Next"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b'<meta charset="iso-8859-1"><p>Gr\xfc\xdfe</p>', "Grüße"),
        (
            b'<?xml version="1.0" encoding="windows-1251"?><html><body><p>\xef\xf7\xe5\xeb\xe0</p></body></html>',
            "пчела",
        ),
        ("<p>bees</p>".encode("utf-16"), "bees"),
        ("<p>שלום <bdo dir=rtl>עולם</bdo></p>", "שלום עולם"),
        (
            '<html xmlns="http://www.w3.org/1999/xhtml"><script src="x"/><title/><p>one<a id="q"/> two</p></html>',
            "one two",
        ),
        ("no tags at all", "no tags at all"),
        ("<p>half &#xD800; pair", "half � pair"),
    ],
)
def test_declared_encodings_and_odd_pages_are_read(tmp_path: Path, source: str | bytes, text: str) -> None:
    assert read(tmp_path, source, "a.htm").text == text


def test_an_encoding_that_does_not_fit_is_reported(tmp_path: Path) -> None:
    text = read(tmp_path, b"<meta charset=utf-8><p>Gr\xfc\xdfe</p>")
    assert text.text == "Grüße"
    assert "read as Western European" in text.warnings[0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("<div>" * 5000 + "deep" + "</div>" * 5000, "nested too deeply"),
        ("<script>only()</script>", "has no text"),
        ("<!-- only -->", "has no text"),
        (b"%PDF-1.4", "first bytes are those of a .pdf"),
    ],
)
def test_pages_without_words_or_too_deep_are_refused(tmp_path: Path, source: str | bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, source)


@pytest.mark.parametrize(
    "label",
    ["undefined", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "rot13", "base64", "hex", "zlib", "uu",
     "mbcs", "utf-7", "x" * 3000, "no-such"],
)  # fmt: skip
def test_a_declared_encoding_that_no_page_is_written_in_is_passed_over(tmp_path: Path, label: str) -> None:
    page = f'<meta charset="{label}"><p>A café.</p>'
    assert read(tmp_path, page).text == "A café."
    assert read(tmp_path, page).warnings == ()


def test_a_page_is_read_to_its_deepest_words_and_refused_beyond(tmp_path: Path) -> None:
    assert read(tmp_path, "<div>" * 1990 + "deep").text == "deep"
    with pytest.raises(UserError, match="nested too deeply"):
        read(tmp_path, "<div>" * 2001 + "deep")


def test_words_in_many_pieces_are_put_together_in_order(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(10_000)]
    assert read(tmp_path, "".join(f"<b>{word}</b> " for word in words)).text == " ".join(words)


def test_a_title_ends_at_a_tag_and_the_first_one_counts(tmp_path: Path) -> None:
    text = read(tmp_path, "<title>One &amp; two</title><p>Words.</p><svg><title>Other</title></svg>")
    assert (text.title, text.text) == ("One & two", "Words.")


def test_a_hidden_heading_within_one_that_is_shown_does_not_move_it(tmp_path: Path) -> None:
    text = read(tmp_path, "<p>Before.</p><h2>Seen <h3 hidden>not</h3></h2><p>After.</p>")
    assert text.marks == ((9, "Seen"),)


@pytest.mark.slow
def test_a_page_of_21_mb_is_read_without_a_tree_in_memory(tmp_path: Path) -> None:
    line = '<p>Ann has a <b>dog</b>. It sits by the <a href="#">door</a> all day long.</p>\n'
    (tmp_path / "a.html").write_text("<html><body>" + line * (21_000_000 // len(line)))
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("only Linux tells a process's own peak; getrusage's is never below that of the one that started it")
    code = "import sys; from pathlib import Path; from pipelines.documents import html; "
    code += "print(len(html.read(Path(sys.argv[1])).text), Path(sys.argv[2]).read_text().split('VmHWM:')[1].split()[0])"
    completed = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.html", status], capture_output=True, text=True, check=True
    )
    length, kilobytes = map(int, completed.stdout.split())
    line_length = len("Ann has a dog. It sits by the door all day long.")
    assert length == (line_length + 2) * (21_000_000 // len(line)) - 2
    assert kilobytes < 250_000


@pytest.mark.parametrize("name", ["utf-16", "UTF-16LE", "utf_32", "utf16", "U16"])
def test_a_page_that_wrongly_declares_two_bytes_a_letter_is_read_as_it_is(tmp_path: Path, name: str) -> None:
    page = f'<html><head><meta charset="{name}"></head><body>Café</body></html>'
    assert read(tmp_path, page).text == "Café"
    assert read(tmp_path, page.encode("utf-16")).text == "Café"  # with its byte order mark the declaration is right


def test_a_heading_within_a_heading_is_a_part_of_it(tmp_path: Path) -> None:
    text = read(tmp_path, "<h2>A<div>B<h3>C</h3></div>D</h2>E")
    assert text.marks == ((0, "A B C D"),)


def test_tables_and_headings_are_the_layout(tmp_path: Path) -> None:
    cells = "<tr><th>A<th>B<tr><td>1<td>2"
    text = read(tmp_path, f"<h1>Fees</h1><table>{cells}</table><table role=none><tr><td><table>{cells}</table></table>")
    table = "| A | B |\n| --- | --- |\n| 1 | 2 |"
    assert [text.text[start:end] for start, end in text.layout.tables] == [table, table]
    assert [heading.title for heading in text.layout.headings] == ["Fees"]
