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
        "On bees\n\nCall me Ishmael — some🐝\nyears…\n\nx = 1\n  y = 2\n\none\ntwo\n\na b\nc\n\n"
        "<script>alert(1)</script> stays text\n\nNext\n\nend"
    )
    assert [(text.text[start : start + len(label)], label) for start, label in text.marks] == [
        ("On bees", "On bees"),
        ("Next", "Next"),
    ]


def test_place_is_the_section(tmp_path: Path) -> None:
    text = read(tmp_path, PAGE)
    at = text.text.index("end")
    assert documents.place(text.meta, text.text, at, at + 3) == "section Next"


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
def test_encodings_as_declared_and_odd_pages(tmp_path: Path, source: str | bytes, text: str) -> None:
    assert read(tmp_path, source, "a.htm").text == text


def test_an_encoding_that_does_not_fit_is_told(tmp_path: Path) -> None:
    text = read(tmp_path, b"<meta charset=utf-8><p>Gr\xfc\xdfe</p>")
    assert text.text == "Grüße"
    assert "read as Western European" in text.notes[0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("<div>" * 5000 + "deep" + "</div>" * 5000, "nested too deeply"),
        ("<script>only()</script>", "has no text in it"),
        ("<!-- only -->", "has no text in it"),
        (b"%PDF-1.4", "begins like a .pdf"),
    ],
)
def test_pages_without_words_or_too_deep_are_refused(tmp_path: Path, source: str | bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, source)
