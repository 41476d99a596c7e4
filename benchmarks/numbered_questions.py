"""Are clauses of a lease, and sections of real theses and contracts, found by their numbers?

"How much does the tenant pay under clause 7.3?" is asked of 81 clauses that differ in nothing but numbers; the best
clause is shown. "What does section 4.3 say?" is asked of sections of the real examples (theses of `vlsp`, contracts of
`contract_nli`); one chunk of 300 words is shown, or the best sentences of that many words. A section is found where the
chunk has its heading with the first words below it. Each document is asked for twelve sections at most, evenly over it.
Run: python -m benchmarks.numbered_questions (LONGDOC_REALDATA)
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import retrievers
from benchmarks.evidence_families import DocumentQuestions, System, measure
from benchmarks.results import publish, realdata, table
from pipelines.records import Document, Example

WORDS = 300
MOST = 12  # sections of a document that are asked for
FEWEST = 8  # sections of a document that is taken
BELOW = 20  # words below a heading that belong to the evidence
HEADING = re.compile(r"(?m)^[ \t#]*(?P<number>\d+(?:\.\d+)+)\.?[ \t]+(?=[A-Z“\"(\[])\S.*")
RANKERS = ("tfidf:", "bm25", "bm25:stop_words=auto,stem=auto", "best:encoder=none", "tfidf:token_pattern=scikit-learn")


def lease() -> DocumentQuestions:
    """Nine sections of nine clauses, and the question for each."""
    numbers = [f"{section}.{clause}" for section in range(1, 10) for clause in range(1, 10)]
    lines = [f"{number} The tenant shall, as to pets, pay {30 + 7 * n} euros." for n, number in enumerate(numbers)]
    document = Document("lease", "\n\n".join(lines))
    starts = [document.text.index(line) for line in lines]
    return DocumentQuestions(
        document,
        tuple(
            Example(
                number,
                document,
                f"How much does the tenant pay under clause {number}?",
                evidence=((start, start + len(line)),),
            )
            for number, start, line in zip(numbers, starts, lines, strict=True)
        ),
    )


def sections(folder: Path) -> Iterator[DocumentQuestions]:
    """The real documents that have numbered headings, and questions for some of these."""
    contracts = json.loads((folder / "contract_nli" / "dev.json").read_text(encoding="utf-8"))["documents"]
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted(folder.glob("vlsp/*.main.txt"))}
    texts |= {contract["file_name"]: contract["text"] for contract in contracts}
    for name, text in texts.items():
        # the first heading with a number may be in a table of contents
        last_heading_by_number = {heading["number"]: heading for heading in HEADING.finditer(text)}
        if len(last_heading_by_number) < FEWEST:
            continue
        document, step = Document(name, text), -(-len(last_heading_by_number) // MOST)
        headings = list(last_heading_by_number.values())[::step]
        yield DocumentQuestions(document, tuple(_question(document, heading) for heading in headings))


def _question(document: Document, heading: re.Match[str]) -> Example:
    below = re.compile(rf"(?:\s+\S+){{0,{BELOW}}}").match(document.text, heading.end())
    end = below.end() if below else heading.end()
    number = heading["number"]
    return Example(number, document, f"What does section {number} say?", evidence=((heading.start(), end),))


def main() -> None:
    """Measure the rankers on the clauses and on the sections."""
    clauses = [System(ranker, "units:of=sentence", ranker) for ranker in RANKERS]
    systems = [
        System(ranker, retrievers.get(ranker).chunker or f"sentences:size={WORDS}", ranker) for ranker in RANKERS
    ]
    folder = realdata()
    documents = list(sections(folder)) if folder else []
    systems += [System("random", f"sentences:size={WORDS}", "random")]
    clause_results, section_results = measure([lease()], clauses, [10]), measure(documents, systems, [WORDS])
    rows = [
        [
            name,
            clause_results[name].recall(10).split()[0] if name in clause_results else "–",
            result.recall(WORDS),
            f"{result.score('full_evidence', WORDS):.1f}",
        ]
        for name, result in section_results.items()
    ]
    text = f"81 clauses; {sum(len(examples) for _, examples in documents)} sections of {len(documents)} documents.\n\n"
    head = ["ranker", "clauses: recall, one clause", f"sections: recall, {WORDS} words", "sections found whole"]
    publish("numbered_questions", text + table(head, rows))


if __name__ == "__main__":
    main()
