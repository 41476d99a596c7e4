"""The parts of a document that a page needs: windows around spans, without overlaps.

All positions are code points of the document, as everywhere; the page converts them where it slices text.
"""

from collections.abc import Iterable

from pipelines.display.page import sound
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Span

CONTEXT = 300  # characters on each side of a passage


def excerpts(text: str, spans: Iterable[Span]) -> list[tuple[int, str]]:
    """The text around the spans as (start, text), in order; windows that overlap or touch are merged."""
    windows = merged((max(start - CONTEXT, 0), min(end + CONTEXT, len(text))) for start, end in spans)
    return [(start, sound(text[start:end])) for start, end in windows]
