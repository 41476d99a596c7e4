"""What Word shows of a document: its numbers, notes, tables, formulas and headings."""

from pathlib import Path

import pytest

from pipelines import documents
from pipelines.documents import Text
from pipelines.documents.word.numbers import numeral
from tests.pipelines.documents import small_files
from tests.pipelines.documents.small_files import docx, paragraph, run

SUPER, SUB = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'


def read(path: Path, body: str, **parts: str) -> Text:
    return documents.read(docx(path / "a.docx", body, **parts), cache=False)


def level(number: int, text: str, format: str = "decimal", more: str = "") -> str:
    start = f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{format}"/>'
    return f'{start}{more}<w:lvlText w:val="{text}"/></w:lvl>'


def numbering(*levels: str, nums: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> str:
    return f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{nums}'


def item(words: str, place: int, list_id: int = 1) -> str:
    numbers = f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return f"<w:p><w:pPr>{numbers}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"


def test_raised_runs_are_exponents_and_notes_however_they_are_cut(tmp_path: Path) -> None:
    body = paragraph("held 10", run("−", SUPER), run("6", SUPER),
                     "<w:r><w:t xml:space='preserve'> cells in 1998</w:t></w:r>",
                     run("3", SUPER), "<w:r><w:t xml:space='preserve'>, H</w:t></w:r>", run("2", SUB), "O, 12 m",
                     run("2", '<w:position w:val="6"/>'), " wide")  # fmt: skip
    assert read(tmp_path, body).text == "held 10^−6 cells in 1998[3], H2O, 12 m^2 wide"


def test_formulas_are_on_the_line(tmp_path: Path) -> None:
    formula = (
        "<m:oMath><m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath>"
    )
    body = paragraph("<w:r><w:t xml:space='preserve'>The dose is 2</w:t></w:r>", formula, "<w:r><w:t> now</w:t></w:r>")
    assert read(tmp_path, body).text == "The dose is 2 3/4 now"


def test_clauses_have_the_numbers_that_word_makes(tmp_path: Path) -> None:
    parts = numbering(level(0, "%1."), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"))
    body = item("Rent", 0) + item("Due", 1) + item("only", 2) + item("if", 2) + item("Paid", 1) + item("Term", 0)
    lines = read(tmp_path, body + item("May", 1) + item("or", 2), numbering=parts).text.split("\n\n")
    assert lines == ["1. Rent", "1.1 Due", "(a) only", "(b) if", "1.2 Paid", "2. Term", "2.1 May", "(a) or"]


def test_numbers_restart_and_go_on_as_the_levels_say(tmp_path: Path) -> None:
    never = level(1, "%1.%2", more='<w:lvlRestart w:val="0"/>')
    body = item("a", 0) + item("b", 1) + item("c", 0) + item("d", 1)
    assert read(tmp_path, body, numbering=numbering(level(0, "%1."), never)).text.split("\n\n")[-1] == "2.2 d"
    nums = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="0"/>{more}</w:num>' for n, more in (
        (1, ""), (2, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'), (3, "")))  # fmt: skip
    body = item("a", 0) + item("b", 0, 2) + item("c", 0, 3)
    assert read(tmp_path, body, numbering=numbering(level(0, "%1)"), nums=nums)).text == "1) a\n\n7) b\n\n8) c"


def test_legal_numbers_are_figures_and_bullets_have_no_number(tmp_path: Path) -> None:
    plain = level(1, "%1.%2", more="<w:isLgl/>")
    parts = numbering(level(0, "Article %1", "upperRoman"), plain, level(2, "•", "bullet"))
    body = item("Rent", 0) + item("Due", 1) + item("point", 2)
    assert read(tmp_path, body, numbering=parts).text == "Article I Rent\n\n1.1 Due\n\npoint"
    zero = level(1, "Section %1.%2", "decimalZero", more="<w:isLgl/>")
    parts = numbering(level(0, "Article %1", "upperRoman"), zero)
    assert read(tmp_path, item("a", 0) + item("b", 1), numbering=parts).text == "Article I a\n\nSection 1.01 b"


def test_numbers_come_with_styles_too_and_an_id_of_0_takes_them_away(tmp_path: Path) -> None:
    style = '<w:style w:type="paragraph" w:styleId="C"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    below = '<w:style w:type="paragraph" w:styleId="D"><w:basedOn w:val="C"/></w:style>'
    none = (
        '<w:p><w:pPr><w:pStyle w:val="C"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>'
    )
    body = paragraph("a", pStyle="C") + none + paragraph("b", pStyle="D")
    text = read(tmp_path, body, styles=style + below, numbering=numbering(level(0, "§ %1")))
    assert text.text == "§ 1 a\n\nx\n\n§ 2 b"


def test_numerals_are_written_as_word_writes_them() -> None:
    for number, format, text in (
        (28, "lowerLetter", "bb"), (4, "upperRoman", "IV"), (7, "decimalZero", "07"), (22, "ordinal", "22nd"),
        (3, "ordinalText", "Third"), (12, "cardinalText", "Twelve"), (21, "chineseCounting", "二十一"), (5, "hex", "5"),
    ):  # fmt: skip
        assert numeral(number, format) == text


def test_headings_are_known_by_inheritance_outline_and_name(tmp_path: Path) -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Clause"/><w:basedOn w:val="H1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="TOC Heading"/><w:basedOn w:val="H1"/>'
        '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="N"><w:name w:val="Title"/></w:style>'
    )
    body = (
        paragraph("Lease", pStyle="N") + paragraph("Contents", pStyle="T") + paragraph("Rent", pStyle="C")
        + paragraph("x")
        + paragraph("Repairs", outlineLvl="1") + paragraph("y")
    )  # fmt: skip
    text = read(tmp_path, body, styles=styles)
    assert [(one.level, one.title) for one in text.headings] == [(1, "Lease"), (1, "Rent"), (2, "Repairs")]
    assert text.marks == tuple((one.start, one.title) for one in text.headings)


def test_deleted_moved_and_hidden_words_are_not_read(tmp_path: Path) -> None:
    heading = paragraph("<w:moveFrom><w:r><w:t>Old </w:t></w:r></w:moveFrom>", "Term", outlineLvl="0")
    body = (
        paragraph("rent ", "<w:del><w:r><w:t>8</w:t></w:r></w:del>", "<w:ins><w:r><w:t>900</w:t></w:r></w:ins>")
        + "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>two months</w:t></w:r></w:p>"
        + "<w:p><w:r><w:t xml:space='preserve'> of rent</w:t></w:r></w:p>"
        + heading + paragraph(run("Secret", "<w:vanish/>"), run("shown", '<w:vanish w:val="0"/>'))
        + "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>row</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )  # fmt: skip
    text = read(tmp_path, body)
    assert text.text == "rent 900\n\ntwo months of rent\n\nTerm\n\nshown"
    assert text.marks == ((30, "Term"),)


def test_a_note_stands_behind_its_paragraph_under_its_heading(tmp_path: Path) -> None:
    words = paragraph("Raised in 2023.")
    note = f'<w:footnote w:type="separator" w:id="0"/><w:footnote w:id="5">{words}</w:footnote>'
    refer = '<w:r><w:footnoteReference w:id="5"/></w:r>'
    body = paragraph("The rent is 900", refer, ".") + paragraph("Repairs", outlineLvl="0") + paragraph("The roof.")
    text = read(tmp_path, body, footnotes=note).text
    assert text == "The rent is 900[1].\n\n[1] Raised in 2023.\n\nRepairs\n\nThe roof."


def test_tables_keep_empty_and_merged_cells(tmp_path: Path) -> None:
    def cell(words: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>"

    rows = (
        [cell("Model"), cell("Price", '<w:gridSpan w:val="2"/>')],
        [cell("Heron", '<w:vMerge w:val="restart"/>'), cell("410"), cell("")],
        [cell("", "<w:vMerge/>"), cell("420"), cell("455")],
    )
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    lines = [f"<w:tr>{'' if number else head}{''.join(row)}</w:tr>" for number, row in enumerate(rows)]
    assert read(tmp_path, f"<w:tbl>{''.join(lines)}</w:tbl>").text.split("\n") == [
        "| Model | Price | Price |", "| --- | --- | --- |", "| Heron | 410 | |", "| Heron | 420 | 455 |",
    ]  # fmt: skip


def test_a_bold_first_row_names_the_columns(tmp_path: Path) -> None:
    rows = ((run("Clause", "<w:b/>"), run("Text", "<w:b/>")), ("Pets", "are allowed"), ("Boats", "are not"))
    lines = "".join(f"<w:tr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in rows)
    assert read(tmp_path, f"<w:tbl>{lines}</w:tbl>").text.split("\n")[:2] == ["| Clause | Text |", "| --- | --- |"]


def test_text_boxes_ruby_symbols_and_breaks_are_read(tmp_path: Path) -> None:
    box = "<w:r><w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent></w:r>"
    base = "<w:rubyBase><w:r><w:t>家賃</w:t></w:r></w:rubyBase>"
    ruby = f"<w:r><w:ruby><w:rt><w:r><w:t>やちん</w:t></w:r></w:rt>{base}</w:ruby></w:r>"
    sign = '<w:r><w:sym w:font="Symbol" w:char="F0B1"/></w:r>'
    body = paragraph("One ", box, "sentence.") + paragraph(ruby, "は") + paragraph("5 ", sign, "2<w:br/>")
    assert read(tmp_path, body.replace("2<w:br/></w:t>", "2</w:t><w:br/><w:t>next</w:t>")).text == (
        "One sentence.\n\nBoxed.\n\n家賃は\n\n5 ±2\nnext"
    )


def test_fields_show_their_results_boxes_and_fractions_and_no_instructions(tmp_path: Path) -> None:
    begin, mid, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    instruction = "<w:r><w:instrText> {} </w:instrText></w:r>".format
    form = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{}</w:ffData></w:fldChar></w:r>'.format
    merged = (
        begin,
        instruction("IF "),
        begin,
        instruction("MERGEFIELD"),
        mid,
        "unseen",
        end,
        instruction("= 1"),
        mid,
        "seen",
        end,
    )
    ticked = "<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>"
    listed = "<w:ddList><w:result w:val='1'/><w:listEntry w:val='Red'/><w:listEntry w:val='Blue'/></w:ddList>"
    for runs, text in (
        (merged, "seen"),
        (
            (form(ticked), instruction("FORMCHECKBOX"), end, "<w:r><w:t xml:space='preserve'> Paid</w:t></w:r>"),
            "☒ Paid",
        ),
        ((form(listed), instruction("FORMDROPDOWN"), end), "Blue"),
        (("Take 2", begin, instruction(r"EQ \f(3;4)"), mid, end), "Take 2 3/4"),
        ((begin, instruction("PAGE"), "unseen"), ""),
    ):
        assert read(tmp_path, paragraph(*runs) + paragraph("End.")).text == f"{text}\n\nEnd.".strip(), text


def test_strict_macro_and_template_documents_are_read(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Mooring costs 410."), namespace=small_files.STRICT)
    assert documents.read(path, cache=False).text == "Mooring costs 410."
    for ending in (".docm", ".dotx", ".dotm"):
        assert documents.read(path.rename(path.with_suffix(ending)), cache=False).text == "Mooring costs 410."
        path = path.with_suffix(ending)


def test_parts_with_names_that_are_not_declared_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "<w:p><w:r><w:t>Read.</w:t></w:r><w14:x/></w:p>").text == "Read."


def test_inserted_files_are_reported(tmp_path: Path) -> None:
    text = read(tmp_path, paragraph("Words.") + "<w:altChunk/><w:altChunk/>")
    assert text.text == "Words."
    (warning,) = text.warnings
    assert warning.endswith("a.docx: 2 files inserted in it not read; open it in Word and save it again")


def test_ten_thousand_tables_in_each_other_are_refused_in_one_line(tmp_path: Path) -> None:
    body = "<w:tbl><w:tr><w:tc>" * 10_000 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 10_000
    with pytest.raises(
        documents.UserError, match=r"a.docx is nested too deeply to be read; save it from Word"
    ) as caught:
        read(tmp_path, body)
    assert "\n" not in str(caught.value)
    hundred = "<w:tbl><w:tr><w:tc>" * 100 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 100
    assert read(tmp_path, hundred).text == "x"
