"""The headings of a text that was written from mark-up."""

from chunkers import Heading
from pipelines.documents import LONGEST_HEADING
from pipelines.documents.markup.grids import Sink


def headings_of(text: str, sink: Sink) -> list[Heading]:
    """The headings in order, one inside another left out; so are those too long to be any."""
    headings = list[Heading]()
    for start, end, level in sorted(sink.headings):
        title = " ".join(text[start:end].split())
        if title and len(title) <= LONGEST_HEADING and not (headings and start < headings[-1].end):
            headings.append(Heading(start, min(end, len(text)), level, title))
    return headings
