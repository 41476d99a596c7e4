"""Articles in JATS, texts in TEI, other XML."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents

JATS = (
    '<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE article [<!ENTITY a "laugh">]><article><front><journal-meta>'
    "<journal-id>j-7</journal-id></journal-meta><article-meta><article-id>99</article-id><title-group><article-title>"
    "Owls at <italic>night</italic></article-title></title-group><contrib-group><contrib><name><surname>Lund</surname>"
    "<given-names>Ida</given-names></name></contrib></contrib-group></article-meta></front><body><sec><title>Method</title>"
    "<p>We saw <italic>Strix</italic> for 10<sup>3</sup> nights –  5.</p><table><tr><td>Year</td><td/><td>40</td></tr>"
    "</table></sec></body></article>"
)
TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Songs</title></titleStmt>'
    "<publicationStmt><p>Unseen</p></publicationStmt></fileDesc></teiHeader><text><body><div><head>First</head><lg><l>"
    "The <choice><sic>ole</sic><corr>old</corr></choice> mill</l><l>is still.</l></lg></div></body></text></TEI>"
)


def read(path: Path, source: bytes) -> documents.Text:
    path.write_bytes(source)
    return documents.read(path)


def test_an_article_is_its_titles_and_paragraphs(tmp_path: Path) -> None:
    text = read(tmp_path / "a.xml", JATS.replace("–", "").encode("latin-1"))
    assert text.text == (
        "Owls at night\n\nLund Ida\n\nMethod\n\nWe saw Strix for 10^3 nights – € 5.\n\n| Year | | 40 |"
    )
    assert [label for _, label in text.marks] == ["Owls at night", "Method"]
    assert all(text.text[start:].startswith(label) for start, label in text.marks)


def test_a_text_in_tei_is_read_as_it_is_corrected(tmp_path: Path) -> None:
    text = read(tmp_path / "a.tei", TEI.encode())
    assert text.text == "Songs\n\nFirst\n\nThe old mill\nis still."
    assert [label for _, label in text.marks] == ["Songs", "First"]


def test_formulas_tables_labels_and_notes_are_read_as_those_of_a_page(tmp_path: Path) -> None:
    formula = (
        '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mfrac><m:mn>3</m:mn><m:mn>4</m:mn></m:mfrac></m:math>'
    )
    table = (
        "<table-wrap><label>Table 1</label><caption><title>Fees</title></caption><table><thead><tr><th>Ship</th>"
        '<th>2024</th></tr></thead><tr><td rowspan="2">Plover</td><td>1</td></tr><tr>'
        "<td>2</td></tr></table></table-wrap>"
    )
    items = '<list list-type="alpha-lower"><list-item><p>Owls</p></list-item><list-item><p>Cats</p></list-item></list>'
    method = (
        f"<sec><label>2</label><title>Method</title><p>Take {formula}<xref><sup>7</sup></xref>.</p>{table}{items}</sec>"
    )
    text = read(tmp_path / "a.xml", f"<article><body>{method}</body></article>".encode())
    assert text.text == (
        "2 Method\n\nTake 3/4[7].\n\nTable 1 Fees\n\n| Ship | 2024 |\n| --- | --- |\n| Plover | 1 |\n| Plover | 2 |"
        "\n\na. Owls\n\nb. Cats"
    )
    assert [(heading.level, heading.title) for heading in text.headings] == [(2, "2 Method")]
    assert [text.text[start:end].splitlines()[-1] for start, end in text.tables] == ["| Plover | 2 |"]
    note = '<p>It rose in 1871<note n="4"><p>Or in <hi>1872</hi>.</p></note> and fe<lb break="no"/>ll.</p><p>Then.</p>'
    assert read(tmp_path / "a.tei", f"<TEI><text><body>{note}</body></text></TEI>".encode()).text == (
        "It rose in 1871[4] and fell.\n\n[4] Or in 1872.\n\nThen."
    )


def test_other_xml_is_the_words_of_its_elements(tmp_path: Path) -> None:
    text = read(tmp_path / "a.xml", b"<list><item><name>Mill</name><fee>40 <b>euros</b></fee></item></list>")
    assert text.text == "Mill\n40 euros"


def test_xml_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a.xml cannot be read as XML .*. It is damaged or was cut off; fetch or copy"):
        read(tmp_path / "a.xml", b"<article><p>We saw")
