"""L-Eval's rows: a long document with several instructions each, `{instructions, outputs, input, source, evaluation}`.

`evaluation` says how the outputs are scored: "exam", "f1" or "rouge" (An et al. 2024). A document may come again with
"human" or "LLM", for people or a judge; these rows are left out, as from the benchmark's own scores. Summaries
("rouge") are asked for with the number of words of their reference, in words of our own, since the benchmark does so.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import UNPACKED, Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "L-Eval's documents (instructions, outputs, input, evaluation)"
JUDGED = ("human", "LLM")  # values of `evaluation` of rows that no metric scores
LENGTH = "Write about {words} words."
SOURCES = {  # how `source` begins in the rows of a task; of the other tasks it is not known
    "coursera": "coursera",
    "quality": "quality",
    "toefl_tpo": "tpo",
    "SFGram": "sci_fi",
    "financial": "financial_qa",
    "legal_contract_qa": "legal_contract_qa",
    "multidoc_qa": "multidoc_qa",
    "news_summ": "news_summ",
    "paper_review": "paper_assistant",
    "patent_summ": "patent_summ",
    "tv_show_summ": "tv_show_summ",
}

_JUDGED_DOCUMENTS = "documents left out, which are for people or a judge, not for a metric"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a document with instructions."""
    has_lists = all(isinstance(fields.get(name), list) for name in ("instructions", "outputs"))
    return has_lists and isinstance(fields.get("input"), str)


def check_task(first: Row, task: str) -> None:
    """Raise `UserError` where a first row says that it is of another of L-Eval's tasks."""
    source = str(first.fields.get("source", ""))
    name = next((name for begin, name in SOURCES.items() if source.startswith(begin)), "")
    if name and task.startswith("leval/") and task != f"leval/{name}":
        raise UserError(f"{first.location}: the source {source!r} is of another task: use task leval/{name}")


def task_file(folder: Path, task: str) -> Path:
    """The only file called as a task in a subfolder. Raises `UserError` where there is none, or several."""
    name = task.rpartition("/")[2]
    files = [path for end in UNPACKED for path in sorted(folder.glob(f"*/{name}{end}")) if path.is_file()]
    if len(files) != 1:
        raise UserError(f"no data of {task} in {folder}: expected one {name}.jsonl in it or in one of its folders")
    return files[0]


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per instruction, in the order of documents and instructions.

    Raises `UserError` for malformed rows, and where all documents are for people or a judge.
    """
    documents = SharedDocuments()
    has_examples = False
    row: Row | None = None
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        if row.fields.get("evaluation") in JUDGED:
            warnings.count(_JUDGED_DOCUMENTS, row.location)
            continue
        document = documents.document(row.fields["input"], row.location)
        for number, (instruction, references) in enumerate(_pairs(row), 1):
            has_examples = True
            query = _with_length(instruction, references) if row.fields.get("evaluation") == "rouge" else instruction
            yield Example(f"{split}-{row.number}-{number}", document, query, references)
    if not has_examples and row is not None:
        raise UserError(f"{table.name}: all rows are for people or a judge: give a file with other rows")


def _pairs(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The instructions of a row with their references. Raises `UserError` where one of the two is missing or empty."""
    instructions, outputs = row.fields["instructions"], row.fields["outputs"]
    if len(instructions) != len(outputs):
        raise UserError(f"{row.location}: {len(instructions)} instructions for {len(outputs)} outputs: make them equal")
    for number, (instruction, output) in enumerate(zip(instructions, outputs, strict=True), 1):
        location = f"{row.location}, instruction {number}"
        text = parsing.string(instruction, location, "instructions").strip()
        references = parsing.strings([output], location, "outputs")
        if not text or not references:
            raise UserError(
                f"{location}: an instruction and its output must have text: leave both out, or fill them in"
            )
        yield text, references


def _with_length(instruction: str, references: tuple[str, ...]) -> str:
    """The instruction with the number of words of its reference."""
    return f"{instruction} {LENGTH.format(words=len(references[0].split()))}"
