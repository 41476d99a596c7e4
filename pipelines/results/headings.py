"""Tells shown headings from shown passages; a run records both in `shown_spans`, in the prompt's order."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.records import Prediction, Span


@dataclass(frozen=True, slots=True)
class UnselectedSpans:
    """The shown spans besides the selected ones.

    `headings` are those shown before a passage, by the passage's number in `selected`; `search_spans` are those that
    only a further search found.
    """

    headings: dict[int, Span]
    search_spans: list[Span]


def unselected_spans(prediction: Prediction) -> UnselectedSpans:
    """The shown spans outside the selected ones: headings, and results of further searches.

    A span is a heading where a part of a selected span comes next in the prompt, and after it in the document.
    """
    selected_spans = _SelectedSpans(prediction.selected)
    shown_spans = prediction.shown_spans
    numbers = [selected_spans.number(span) for span in shown_spans]
    unselected = UnselectedSpans({}, [])
    for position, (span, number) in enumerate(zip(shown_spans, numbers, strict=True)):
        next_number = numbers[position + 1] if position + 1 < len(shown_spans) else None
        if number is not None:
            continue
        if next_number is not None and span[1] <= shown_spans[position + 1][0]:
            unselected.headings.setdefault(next_number, span)
        else:
            unselected.search_spans.append(span)
    return unselected


class _SelectedSpans:
    """Finds the selected span that holds another one."""

    def __init__(self, selected: Sequence[tuple[int, int, float]]) -> None:
        self._exact = {(start, end): number for number, (start, end, _) in reversed(list(enumerate(selected)))}
        ordered_spans = sorted((start, end, number) for number, (start, end, _) in enumerate(selected))
        self._starts = [start for start, _, _ in ordered_spans]
        self._longest: list[tuple[int, int]] = []  # of the spans up to each: the largest end, and whose it is
        for _, end, number in ordered_spans:
            longest = self._longest[-1] if self._longest else (-1, -1)
            self._longest.append((end, number) if end > longest[0] else longest)

    def number(self, span: Span) -> int | None:
        """The number of a selected span that contains this one; None if there is none."""
        if span in self._exact:
            return self._exact[span]
        position = bisect_right(self._starts, span[0]) - 1
        end, number = self._longest[position] if position >= 0 else (-1, -1)
        return number if span[1] <= end else None
