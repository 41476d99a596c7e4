"""SCROLLS' cleansing of original releases (Shaham et al. 2022, section 3.2), also applied to ZeroSCROLLS' data.

Left out are GovReport's reports with fewer than twice or more than 1,000 times the words of their summary, or with the
literal summary in them; Qasper's papers under 8,192 characters; and what surrounds NarrativeQA's stories. Its table 5
shows papers without title and abstract.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from longdoc.errors import UserError
from pipelines.documents.gutenberg import work
from pipelines.records import Document, Example, Span
from pipelines.sources import Read, parsing
from pipelines.sources.warnings import Warnings

PAPER = 8_192  # characters
MINIMUM, MAXIMUM = 2, 1_000  # words of a report for each word of its summary
Count = Callable[[str, str], None]  # what was done to a text, and where

_CUT = "stories cut at marks of Project Gutenberg or of a web page"
_OUTSIDE_EVIDENCE = "stretches of evidence left out, because they are in what SCROLLS leaves out"
_PAGE = re.compile(r"\A\s*<(?:!doctype|html|head)\b.*?<pre>(.*)</pre>", re.S | re.I)


class Cleansing:
    """The rules for `papers`, `stories` or `reports`; "" for data without rules. Each document is processed once."""

    def __init__(self, rules: str, count: Count) -> None:
        self._count = count
        self._text_span = {"papers": _body, "stories": _story}.get(rules)
        self._problem = {"papers": _paper_problem, "reports": _report_problem}.get(rules)
        self._latest: tuple[Document, Document, Span] | None = None

    def __call__(self, example: Example) -> Example | str:
        """The example as the benchmark has it, or the reason why it is dropped."""
        if self._text_span:
            if self._latest is None or self._latest[0] is not example.document:
                self._latest = example.document, *self._shortened(example.document, self._text_span(example.document))
            _, document, (start, end) = self._latest
            kept = (span for span in example.evidence if start <= span[0] and span[1] <= end)
            moved_spans = tuple((first - start, last - start) for first, last in kept)
            example = replace(example, document=document, evidence=moved_spans)
        return (self._problem(example) if self._problem else "") or example

    def _shortened(self, document: Document, span: Span) -> tuple[Document, Span]:
        """The document cut to a span of its text, and the span."""
        text = document.text[slice(*span)]
        if text == document.text:
            return document, span
        if self._text_span is _story:
            self._count(_CUT, document.title or document.id)
        meta = {**document.meta, "body": 0} if "body" in document.meta else document.meta
        return replace(document, id=parsing.identity(text), text=text, meta=meta), span


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of SCROLLS for `name`: "papers", "stories" or "reports"."""

    name: str

    def cleansed(self, read: Read) -> Read:
        """The examples that the rules keep, the others counted by reason. Raises `UserError` where none is kept."""

        def read_cleansed(warnings: Warnings) -> Iterator[Example]:
            """Read the examples, and count those that a rule leaves out."""
            cleansing, count, reasons = Cleansing(self.name, warnings.count), 0, dict[str, None]()
            for example in read(warnings):
                result = cleansing(example)
                if isinstance(result, Example):
                    count += 1
                    for _ in range(len(example.evidence) - len(result.evidence)):
                        warnings.count(_OUTSIDE_EVIDENCE, example.id)
                    yield result
                else:
                    reasons[result] = None
                    warnings.count(f"examples left out as in SCROLLS, of {result}", example.id)
            if reasons and not count:
                raise UserError(
                    f"SCROLLS' rules leave out every example: they drop {' and '.join(reasons)}. To keep them, give "
                    f"rows with document, question and answers"
                )

        return read_cleansed


def _body(document: Document) -> Span:
    return document.meta.get("body", 0), len(document.text)


def _story(document: Document) -> Span:
    """The span of the story alone; what is outside of the release's own marks is already removed."""
    page = _PAGE.search(document.text)
    first, text = (page.start(1), page[1]) if page else (0, document.text)
    start, end = work(text)
    first, text = first + start, text[start:end]
    if text == document.text or not text.strip():
        return 0, len(document.text)
    body = text.lstrip("\r\n")
    first += len(text) - len(body)
    return first, first + len(body.rstrip("\r\n"))


def _paper_problem(example: Example) -> str:
    return f"papers of fewer than {PAPER:,} characters" if len(example.document.text) < PAPER else ""


def _report_problem(example: Example) -> str:
    """What is wrong with a report and its summary; empty without a summary to compare."""
    report = example.document.text.split()
    for reference in example.references:
        summary = reference.split()
        if len(report) < MINIMUM * len(summary):
            return f"reports of fewer than {MINIMUM} words for one of their summary"
        if len(report) > MAXIMUM * len(summary):
            return f"reports of more than {MAXIMUM:,} words for one of their summary"
        if f" {' '.join(summary)} " in f" {' '.join(report)} ":
            return "reports that hold their summary to the letter"
    return ""
