"""In every format, chunks are stretches of the text, headings are found, and no passage is a heading alone."""

import json
from pathlib import Path

import pytest

import chunkers
from pipelines import documents
from tests.pipelines.documents import small_files

SECTIONS = (("Rent", "The rent is 900 euros. It is due in May. 🐳"), ("Deposit", "Two months of rent. Paid once."))
CHUNKERS = ("tokens:size=6", "sentences:size=8", "paragraphs:size=8", "lines:size=8", "sections", "sections:size=6",
            "units",
            "units:of=sentence", "whole")  # fmt: skip


def html(folder: Path) -> Path:
    path = folder / "a.html"
    body = "".join(f"<h2>{title}</h2><p>{text}</p>" for title, text in SECTIONS)
    path.write_text(f"<meta charset=utf-8><body><style>i{{display:none}}</style>{body}<i>no</i>", encoding="utf-8")
    return path


def markdown(folder: Path) -> Path:
    path = folder / "a.md"
    sections = "\n\n".join(f"{title}\n-------\n\n{text}" for title, text in SECTIONS)
    path.write_text(f"---\ntitle: Lease\n---\n\n{sections}\n", encoding="utf-8")
    return path


def latex(folder: Path) -> Path:
    path = folder / "a.tex"
    path.write_text(
        "% no\n" + "\n\n".join(f"\\section{{{title}}}\n{text}" for title, text in SECTIONS), encoding="utf-8"
    )
    return path


def rst(folder: Path) -> Path:
    path = folder / "a.rst"
    path.write_text(
        ".. no\n\n" + "\n\n".join(f"{title}\n=======\n\n{text}" for title, text in SECTIONS), encoding="utf-8"
    )
    return path


def epub(folder: Path) -> Path:
    return small_files.epub(
        folder / "a.epub", {f"{n}.xhtml": f"<h1>{title}</h1><p>{text}</p>" for n, (title, text) in enumerate(SECTIONS)}
    )


def docx(folder: Path) -> Path:
    paragraphs = (
        small_files.paragraph(title, outlineLvl="0") + small_files.paragraph(text) for title, text in SECTIONS
    )
    return small_files.docx(folder / "a.docx", "".join(paragraphs))


def jats(folder: Path) -> Path:
    path = folder / "a.xml"
    sections = "".join(f"<sec><title>{title}</title><p>{text}</p></sec>" for title, text in SECTIONS)
    path.write_text(f"<article><journal-meta>no</journal-meta><body>{sections}</body></article>", encoding="utf-8")
    return path


def notebook(folder: Path) -> Path:
    path = folder / "a.ipynb"
    cells = [{"cell_type": "markdown", "source": f"# {title}\n\n{text}<!-- no -->"} for title, text in SECTIONS]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


FORMATS = (html, markdown, latex, rst, epub, docx, jats, notebook)


@pytest.mark.parametrize("write_file", FORMATS, ids=lambda write_file: write_file.__name__)
def test_chunks_of_every_format_are_stretches_of_its_text_and_cover_it(write_file, tmp_path: Path) -> None:
    text = documents.read(write_file(tmp_path), cache=False)
    assert "no" not in text.text.split()
    for name in CHUNKERS:
        chunks = chunkers.get(name).split_document(text.text, text.layout)
        assert all(text.text[chunk.start : chunk.end] == chunk.text for chunk in chunks), name
        covered = {
            position
            for chunk in chunks
            for span in ((chunk.start, chunk.end), chunk.heading or (0, 0))
            for position in range(*span)
        }
        left_out = [char for position, char in enumerate(text.text) if position not in covered and not char.isspace()]
        assert not left_out, (name, "".join(left_out))


@pytest.mark.parametrize("write_file", FORMATS, ids=lambda write_file: write_file.__name__)
def test_chunkers_and_citations_know_the_headings_of_every_format(write_file, tmp_path: Path) -> None:
    text = documents.read(write_file(tmp_path), cache=False)
    assert [heading.title for heading in text.headings] == [label for _, label in text.marks] == ["Rent", "Deposit"]
    for name in ("sections", "units"):
        chunks = chunkers.get(name).split_document(text.text, text.layout)
        assert [chunk.label for chunk in chunks] == ["Rent", "Deposit"], name
        for chunk in chunks:
            location = documents.location(text.meta, text.text, chunk.start, chunk.end)
            assert location.endswith(f"{'chapter' if text.kind == 'chapter' else 'section'} {chunk.label}"), name


@pytest.mark.parametrize("write_file", FORMATS, ids=lambda write_file: write_file.__name__)
def test_in_no_format_is_a_heading_a_passage_of_its_own(write_file, tmp_path: Path) -> None:
    text = documents.read(write_file(tmp_path), cache=False)
    for name in ("sentences:size=8", "paragraphs:size=8", "sections", "units", "units:of=sentence"):
        for chunk in chunkers.get(name).split_document(text.text, text.layout):
            assert not any(heading.start <= chunk.start and chunk.end <= heading.end for heading in text.headings), name


@pytest.mark.parametrize("write_file", FORMATS, ids=lambda write_file: write_file.__name__)
def test_a_text_from_the_cache_is_the_same(write_file, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    path = write_file(tmp_path)
    assert documents.read(path) == documents.read(path) == documents.read(path, cache=False)
