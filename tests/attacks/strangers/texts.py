"""Documents without rows: `ask` reads them, and the commands that need questions say where to write them."""

from pathlib import Path

from tests.attacks.strangers.outcomes import AS_WESTERN, ASKED, PLACED, SCORED, TRAINED, Refused, Stranger
from tests.attacks.strangers.own_rows import Write, text
from tests.attacks.strangers.rows import DOCUMENTS, json_lines, rows, saved, without

TEXT = "\n\n".join(DOCUMENTS)
MARKDOWN = "# Notes\n\n" + "\n\n".join(f"## Part {number}\n\n{content}" for number, content in enumerate(DOCUMENTS, 1))
HTML = f"<!DOCTYPE html><title>Notes</title><body>{''.join(f'<p>{content}</p>' for content in DOCUMENTS)}</body>"
CUES = "\n\n".join(
    f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n{content}" for number, content in enumerate(DOCUMENTS, 1)
)


def unasked(name: str, write: Write, ask: str = ASKED) -> Stranger:
    """A document, which has no questions beside it."""
    words = Refused(f"{{name}} has no questions; write them to {Path(name).with_suffix('.jsonl')}, a line each")
    return Stranger(name, write, words, ask, words, words)


def pdf(path: Path) -> None:
    from tests.pipelines.documents.small_files import pdf as written

    sentences = [sentence for content in DOCUMENTS for sentence in content.replace("–", "-").split(". ")]
    written(path, [[f"{sentence.rstrip('.')}." for sentence in sentences]])  # the first letter, Å, is not in its font


def docx(path: Path) -> None:
    from docx import Document

    document = Document()
    for content in DOCUMENTS:
        document.add_paragraph(content)
    document.save(str(path))


def folder(path: Path) -> None:
    """Texts with their questions beside them."""
    for number, content in enumerate(DOCUMENTS):
        saved(path / f"text_{number}.txt", content)
        beside = [row for row in rows() if row["document"] == content]
        saved(path / f"text_{number}.jsonl", json_lines(without(beside, "document")))


TEXTS = (
    unasked("notes.txt", text(TEXT)),
    unasked("windows.txt", text(TEXT.replace("\n", "\r\n"), "utf-16")),
    unasked("western.txt", text(TEXT, "cp1252"), AS_WESTERN),
    unasked("one_line.txt", text(" ".join(DOCUMENTS * 2000))),
    unasked("notes.md", text(MARKDOWN)),
    unasked("page.html", text(HTML)),
    unasked("scan.pdf", pdf, "Most relevant: … se Berg owned the mill until her death. … [1] {name}, page 1"),
    unasked("letter.docx", docx),
    unasked("film.srt", text(CUES)),
    Stranger("letters", folder, SCORED, f"{ASKED} … warning: skipped text_0.jsonl", PLACED, TRAINED),
)
