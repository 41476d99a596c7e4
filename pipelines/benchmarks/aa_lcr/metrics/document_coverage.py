"""Document coverage: of how many of the documents that a question is asked of was anything shown?

Questions of AA-LCR are about a set of documents, and nobody has marked which of them answer: an answer that compares
all of them can be found only where a part of each is shown.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.shown_parts import PartMetric


@dataclass(frozen=True)
class DocumentCoverage(PartMetric):
    """Mean share of a set's documents of which anything was shown, 0–100; the key is "document_coverage".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output; the line that names a document is
    no part of it. Examples of single documents are left out.
    """

    name = "document_coverage"
    field = "documents"
