"""What a browser shows of a page is read, once; what it does not show is not."""

from pathlib import Path

from pipelines.documents import Text, html


def read(tmp_path: Path, source: str) -> Text:
    (tmp_path / "a.html").write_text(f"<!doctype html><meta charset=utf-8><body>{source}", encoding="utf-8")
    return html.read(tmp_path / "a.html")


def text_of(tmp_path: Path, source: str) -> str:
    return read(tmp_path, source).text


def test_visible_parts_and_parts_that_can_be_opened_are_read(tmp_path: Path) -> None:
    for source, text in (
        ("<h2><button>How?</button></h2><p>So.", "How?\n\nSo."),
        ("<button><h3>How?</h3></button><p>So.", "How?\n\nSo."),
        ("<p hidden=until-found>Found.", "Found."),
        ("<details><summary>More</summary>Inside.</details>", "More\nInside."),
        ("<dialog open>Shut on Monday.</dialog>", "Shut on Monday."),
        ("<svg><title>no</title><text>48 million</text></svg>", "48 million"),
        ("<p>Name <input value='Ida Holm'><input type=hidden value=no>", "Name Ida Holm"),
        ("<p><select><option>May<option selected>June</select>", "June"),
        ("<textarea>Typed.</textarea>", "Typed."),
        ("<style>body{visibility:hidden}</style><p>Later.", "Later."),
        ("<q>quoted</q>", "“quoted”"),
        ("<nav><p>We are open until noon.</p><a href=x>Home</a></nav>", "We are open until noon.\n\nHome"),
        ("<template shadowrootmode=open><p>Shadow.</template>", "Shadow."),
        ("<p>A <m:math xmlns:m='x'><m:mfrac><m:mn>3</m:mn><m:mn>4</m:mn></m:mfrac></m:math>", "A 3/4"),
        ("<button aria-expanded=false aria-controls=p>Q</button><div id=p hidden>Answer</div>", "Q\nAnswer"),
        ("<p style='visibility:hidden'>no <b style='visibility:visible'>yes</b>", "yes"),
        ("<p style='font-size:0'>no<b style='font-size:12px'>yes</b>", "yes"),
        ("<style>.panel{display:none}.panel.open{display:block}</style><div class=panel>Opens.</div>", "Opens."),
        ("<style>@media print{p{display:none}}</style><p>Screen.", "Screen."),
        ("<style>.a:before{content:'$'}.b::after{content:' \\20AC'}</style>Fee <i class=a>40</i>, <i class=b>5</i>",
         "Fee $40, 5 €"),
        ("<style>p::before{content:'Note: '}i:after{content:'\\f105'}b:after{content:'.';height:0}</style>"
         "<p>A<i></i><b>B",
         "Note: AB"),
        ("<div style='display:flex'><span>Rent</span><span>900</span></div>", "Rent 900"),
        ("<b style='display:block'>Rent</b><b style='display:block'>900</b>", "Rent\n900"),
        ("<b style='display:inline-block'>Rent</b><b style='display:inline-block'>900</b>", "Rent 900"),
        ("<p style='margin-left:-900px;left:-5px;clip:auto'>Seen", "Seen"),
        ("<ruby>家賃<rp>(</rp><rt>やちん</rt><rp>)</rp></ruby>は", "家賃は"),
    ):  # fmt: skip
        assert text_of(tmp_path, source) == text, source


def test_invisible_parts_are_not_read(tmp_path: Path) -> None:
    for source in (
        "<p style='display: none'>no", "<p style='VISIBILITY:hidden'>no", "<p hidden>no", "<dialog>no</dialog>",
        "<template>no</template>", "<nav><h2>Menu</h2><a href=x>Go to no other place</a></nav>",
        "<noscript>no</noscript>", "<div popover>no</div>", "<span class=sr-only>no</span>",
        "<style>.a{display:none}</style><p class='b a'>no",
        "<style>#x .y > b{display:none}</style><p id=x><i class=y><b>no",
        "<style>@media screen{.a{visibility:hidden}}</style><p class=a>no", "<select><option>one<option>no</select>",
        "<style>.a{display:none!important} p.a{display:block}</style><p class=a>no",
        "<p style='text-indent:-9999px'>no", "<p style='position:absolute;left:-999em'>no",
        "<style>.a{position:absolute;clip:rect(1px, 1px, 1px, 1px)}</style><p class=a>no",
        "<style>.a{display:none!important}</style><p class=a style='display:block'>no",
        "<i class=material-icons>no</i>", "<progress>no</progress>",
    ):  # fmt: skip
        assert "no" not in text_of(tmp_path, f"<p>Seen.{source}").replace("one", ""), source


def test_formulas_of_renderers_are_read_once(tmp_path: Path) -> None:
    math = "<math><semantics><msup><mn>10</mn><mn>5</mn></msup><annotation>10^5</annotation></semantics></math>"
    for source in (
        f"<b class=katex><b class=katex-mathml>{math}</b><b class=katex-html aria-hidden=true>105</b></b>",
        f"<span class=MathJax><nobr aria-hidden=true>105</nobr><span class=MJX_Assistive_MathML>{math}</span></span>",
        f"<span class=mwe-math-mathml-inline style='display: none;'>{math}</span><img alt='10^5'>",
    ):
        assert text_of(tmp_path, f"<p>A {source} kg") == "A 10^5 kg", source


def test_lists_have_the_numbers_that_a_browser_shows(tmp_path: Path) -> None:
    for source, lines in (
        ("<ol start=3><li>a<li>b</ol>", ["3. a", "4. b"]),
        ("<ol type=a><li>x<li value=5>y<li>z</ol>", ["a. x", "e. y", "f. z"]),
        ("<ol type=I start=4><li><p>x</ol>", ["IV. x"]),
        ("<ol reversed><li>x<li>y</ol>", ["2. x", "1. y"]),
        ("<ol reversed start=9><li>x<li>y</ol>", ["9. x", "8. y"]),
        ("<ol style='list-style-type:lower-roman'><li>x<li>y</ol>", ["i. x", "ii. y"]),
        ("<ol style='list-style:none'><li>x</ol>", ["x"]),
        ("<ol><li>a<ol><li>b</ol><li>c</ol>", ["1. a", "1. b", "2. c"]),
        ("<style>ol{counter-reset:i;list-style:none}li{counter-increment:i}li::before{content:counters(i,'.') ' '}"
         "</style><ol><li>a<ol><li>b<li>c</ol><li>d</ol>", ["1 a", "1.1 b", "1.2 c", "2 d"]),
        ("<style>li::marker{content:counter(list-item) ') '}</style><ol><li>a<li>b</ol>", ["1) a", "2) b"]),
        ("<style>main{counter-reset:s}h2{counter-reset:c;counter-increment:s}h2:before{content:'Article ' counter(s,"
         "upper-roman)}.c:before{counter-increment:c;content:counter(s) '.' counter(c)}</style>"
         "<main><section><h2>Rent</h2><p class=c>a<p class=c>b</section><section><h2>Term</h2><p class=c>d",
         ["Article I Rent", "1.1 a", "1.2 b", "Article II Term", "2.1 d"]),
        ("<style>p:before{content:'» '}</style><p>a", ["a"]),
        ("<ul><li>a</ul>", ["a"]),
    ):  # fmt: skip
        assert [line for line in text_of(tmp_path, source).split("\n") if line] == lines, source


def test_tables_of_figures_have_bars_and_tables_of_layout_have_none(tmp_path: Path) -> None:
    source = "<table><tr><th>A<th>B<tr><td rowspan=2>x<td>1<tr><td></table>"
    assert text_of(tmp_path, source) == "| A | B |\n| --- | --- |\n| x | 1 |\n| x | |"
    bold = "<table><tr><td><b>Clause</b><td><strong>Text</strong><tr><td>Pets<td>are allowed</table>"
    assert text_of(tmp_path, bold) == "| Clause | Text |\n| --- | --- |\n| Pets | are allowed |"
    layout = read(tmp_path, "<table><tr><td><h2>Menu</h2><p>Home<td><p>Text</table>")
    assert (layout.text, layout.marks) == ("Menu\n\nHome\n\nText", ((0, "Menu"),))
    with_headings = "<table><tr><td><h4>Item</h4><td><h4>Fee</h4><tr><td>Boat<td>40</table>"
    assert text_of(tmp_path, with_headings).startswith("| Item | Fee |\n| --- |")
    nested = "<table><tr><td>x<td><table><tr><td>1<td>2</table><tr><td>y<td>3</table>"
    assert text_of(tmp_path, nested) == "| x | 1, 2 |\n| y | 3 |"


def test_parts_of_a_table_follow_from_their_roles_and_styles(tmp_path: Path) -> None:
    cells = (("columnheader", "Ship"), ("columnheader", "2023"), ("columnheader", "2024"), ("cell", "Plover"),
             ("cell", ""), ("cell", "380"))  # fmt: skip
    words = [f"<div role={role}>{text}</div>" for role, text in cells]
    rows = "".join(f"<div role=row>{''.join(row)}</div>" for row in (words[:3], words[3:]))
    lines = "| Ship | 2023 | 2024 |\n| --- | --- | --- |\n| Plover | | 380 |"
    assert text_of(tmp_path, f"<div role=table>{rows}</div>") == lines
    styles = "<style>.t{display:table}.t p,.r{display:table-row}.r b,.r div{display:table-cell}</style>"
    row = "<div class=r><div>{}</div><div>{}</div></div>"
    table = f"<div class=t>{row.format('Rent', 900)}{row.format('Deposit', 1800)}</div>"
    assert text_of(tmp_path, styles + table) == "| Rent | 900 |\n| Deposit | 1800 |"
    assert text_of(tmp_path, "<table><tr><td>A<td rowspan=0>all<tr><td>B</table>") == "| A | all |\n| B | all |"


def test_notes_are_recognized_by_their_links(tmp_path: Path) -> None:
    for source, text in (
        ("1871<a href='#n'><sup>2</sup></a>", "1871[2]"),
        ("1871<a href='n.html#2' role=doc-noteref>2</a>", "1871[2]"),
        ("10<sup><a href='#n'>2</a></sup>", "10[2]"),
        ("<a href='#s'>see 10<sup>2</sup></a>", "see 10^2"),
        ("10<span style='vertical-align: super'>2</span>", "10^2"),
        ("<style>.up{vertical-align:super}</style>10<span class=up>2</span>", "10^2"),
    ):
        assert text_of(tmp_path, f"<p>{source}") == text, source


def test_headings_of_all_levels_are_declared_with_their_numbers(tmp_path: Path) -> None:
    text = read(
        tmp_path,
        "<h1>A</h1><h4>B<a class=headerlink>¶</a></h4><ol><li><h2>C</h2></ol><div role=heading aria-level=3>D</div>",
    )
    assert [(one.level, one.title, text.text[one.start : one.end]) for one in text.headings] == [
        (1, "A", "A"), (4, "B", "B"), (2, "1. C", "1. C"), (3, "D", "D"),
    ]  # fmt: skip


def test_raised_words_that_are_not_closed_do_not_swallow_the_page(tmp_path: Path) -> None:
    text = read(tmp_path, f"<div>10<sup>6 cells {'word ' * 60}<h2>Next</h2><p>More.</p><a href=x>link</a></div><p>End.")
    assert text.text.startswith("10 6 cells word")
    assert text.text.endswith("Next\n\nMore.\n\nlink\n\nEnd.")
    assert [heading.title for heading in text.headings] == ["Next"]


def test_marked_sections_of_xhtml_are_words(tmp_path: Path) -> None:
    source = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p><![CDATA[5 < 6]]></p></body></html>'
    (tmp_path / "a.xhtml").write_text(source)
    assert html.read(tmp_path / "a.xhtml").text == "5 < 6"


def test_a_heading_too_long_to_be_one_is_a_paragraph(tmp_path: Path) -> None:
    text = read(tmp_path, f"<h1>{'word ' * 200_000}</h1><p>End.")
    assert text.headings == text.marks == ()
    assert text.text.endswith("word\n\nEnd.")
