"""Page recall: of how many pages with gold evidence was anything shown?

FinanceBench (Islam et al. 2023) gives each piece of evidence with its page. Annotators who copy a table copy all of it,
and an answer needs one row: a page is a unit that neither the length of a quotation nor the extraction of a PDF's text
changes.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.shown_parts import PartMetric


@dataclass(frozen=True)
class PageRecall(PartMetric):
    """Mean share of the pages with gold evidence of which anything was shown, 0–100; the key is "page_recall".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without such pages are
    left out.
    """

    name = "page_recall"
    field = "pages"
