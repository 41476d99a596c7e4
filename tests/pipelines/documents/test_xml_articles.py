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
    assert text.text == ("Owls at night\n\nLund Ida\n\nMethod\n\nWe saw Strix for 10^3 nights – € 5.\n\nYear | | 40")
    assert [label for _, label in text.marks] == ["Owls at night", "Method"]
    assert all(text.text[start:].startswith(label) for start, label in text.marks)


def test_a_text_in_tei_is_read_as_it_is_corrected(tmp_path: Path) -> None:
    text = read(tmp_path / "a.tei", TEI.encode())
    assert text.text == "Songs\n\nFirst\n\nThe old mill\nis still."
    assert [label for _, label in text.marks] == ["Songs", "First"]


def test_other_xml_is_the_words_of_its_elements(tmp_path: Path) -> None:
    text = read(tmp_path / "a.xml", b"<list><item><name>Mill</name><fee>40 <b>euros</b></fee></item></list>")
    assert text.text == "Mill\n40 euros"


def test_xml_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a.xml cannot be read as XML .*: it is damaged or was cut off; fetch or copy"):
        read(tmp_path / "a.xml", b"<article><p>We saw")
