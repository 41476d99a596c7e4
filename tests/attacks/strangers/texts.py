"""Documents without rows: `ask` reads them, and the commands that need questions say where to write them."""

from pathlib import Path

from tests.attacks.strangers.outcomes import AS_WESTERN, ASKED, PLACED, SCORED, TRAINED, Refused, Stranger
from tests.attacks.strangers.own_rows import Write, text
from tests.attacks.strangers.rows import DOCUMENTS, json_lines, rows, save, without_fields

TEXT = "\n\n".join(DOCUMENTS)
MARKDOWN = "# Notes\n\n" + "\n\n".join(f"## Part {number}\n\n{content}" for number, content in enumerate(DOCUMENTS, 1))
HTML = f"<!DOCTYPE html><title>Notes</title><body>{''.join(f'<p>{content}</p>' for content in DOCUMENTS)}</body>"
CUES = "\n\n".join(
    f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\n{content}" for number, content in enumerate(DOCUMENTS, 1)
)


def without_questions(name: str, write: Write, ask: str = ASKED) -> Stranger:
    """A document, which has no questions beside it."""
    outcome = Refused(f"{{name}} has no questions; write them to {Path(name).with_suffix('.jsonl')}, a line each")
    return Stranger(name, write, outcome, ask, outcome, outcome)


def write_pdf(path: Path) -> None:
    from tests.pipelines.documents.small_files import pdf as write_pages

    sentences = [sentence for content in DOCUMENTS for sentence in content.replace("–", "-").split(". ")]
    # the first letter, Å, is not in its font
    write_pages(path, [[f"{sentence.rstrip('.')}." for sentence in sentences]])


def write_docx(path: Path) -> None:
    from docx import Document

    document = Document()
    for content in DOCUMENTS:
        document.add_paragraph(content)
    document.save(str(path))


def write_folder(path: Path) -> None:
    """Texts with their questions beside them."""
    for number, content in enumerate(DOCUMENTS):
        save(path / f"text_{number}.txt", content)
        rows_beside = [row for row in rows() if row["document"] == content]
        save(path / f"text_{number}.jsonl", json_lines(without_fields(rows_beside, "document")))


TEXTS = (
    without_questions("notes.txt", text(TEXT)),
    without_questions("windows.txt", text(TEXT.replace("\n", "\r\n"), "utf-16")),
    without_questions("western.txt", text(TEXT, "cp1252"), AS_WESTERN),
    without_questions("one_line.txt", text(" ".join(DOCUMENTS * 2000))),
    without_questions("notes.md", text(MARKDOWN)),
    without_questions("page.html", text(HTML)),
    without_questions(
        "scan.pdf", write_pdf, "Most relevant: … se Berg owned the mill until her death. … [1] {name}, page 1"
    ),
    without_questions("letter.docx", write_docx),
    without_questions("film.srt", text(CUES)),
    Stranger("letters", write_folder, SCORED, f"{ASKED} … warning: skipped text_0.jsonl", PLACED, TRAINED),
)
