"""The mean numbers of passages that a run selected for an example, of those that the model read, and of words.

A passage counts as read where any part of it was in a prompt after truncation. Where no model was asked, as with
`model="none"`, it is "shown".
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipelines.records import Prediction

Selection = Mapping[str, float]  # means over examples: "selected", "read" or "shown", and "words" shown if known
READ = {"read": "read by the model", "shown": "shown"}


@dataclass(slots=True)
class SelectionTally:
    """Sums over predictions, added one by one."""

    examples: int = 0
    selected: int = 0
    read: int = 0
    words: int = 0
    with_words: int = 0
    has_shown_spans: bool = False
    has_requests: bool = False

    def add(self, prediction: Prediction) -> None:
        """Add a prediction."""
        self.examples += 1
        self.selected += len(prediction.selected)
        self.read += _read(prediction)
        self.words += prediction.shown_words or 0
        self.with_words += prediction.shown_words is not None
        self.has_shown_spans |= bool(prediction.shown_spans)
        self.has_requests |= bool(prediction.requests)

    @property
    def means(self) -> dict[str, float]:
        """The means; empty if it is unknown what was read, as with pairs of paragraphs."""
        if not self.has_shown_spans:
            return {}
        name = "read" if self.has_requests else "shown"
        words = {"words": self.words / self.with_words} if self.with_words else {}
        return {"selected": self.selected / self.examples, name: self.read / self.examples} | words


def count(predictions: Iterable[Prediction]) -> dict[str, float]:
    """The means of predictions (`SelectionTally.means`)."""
    tally = SelectionTally()
    for prediction in predictions:
        tally.add(prediction)
    return tally.means


def words_shown(predictions: Sequence[Prediction]) -> float | None:
    """The mean number of the documents' words that were shown, with headings; None if it is unknown."""
    word_counts = [prediction.shown_words for prediction in predictions if prediction.shown_words is not None]
    return sum(word_counts) / len(word_counts) if word_counts else None


def describe(*selections: Selection) -> str:
    """`10.0 selected, 2.1 read by the model, 350 words, on average`; of several runs the ranges (`2.1 to 3.0`).

    Empty for one passage an example, all of them read.
    """
    known_selections = [selection for selection in selections if selection]
    if not known_selections or all(
        selection["selected"] == selection[_read_name(selection)] and selection["selected"] <= 1
        for selection in known_selections
    ):
        return ""
    parts = [f"{_range([selection['selected'] for selection in known_selections], '.1f')} selected"]
    for name, words in READ.items():
        if numbers := [selection[name] for selection in known_selections if name in selection]:
            parts.append(f"{_range(numbers, '.1f')} {words}")
    if numbers := [selection["words"] for selection in known_selections if "words" in selection]:
        parts.append(f"{_range(numbers, ',.0f')} words")
    return ", ".join([*parts, "on average"])


def sentence(selection: Selection) -> str:
    """`the model read 2.1 of 10.0 passages (350 words) on average`; empty for one passage an example, all read."""
    if not describe(selection):
        return ""
    name = _read_name(selection)
    selected, read = (f"{selection[key]:.1f}" for key in ("selected", name))
    passages = f"{read} passages" if read == selected else f"{read} of {selected} passages"
    words = f" ({selection['words']:,.0f} words)" if "words" in selection else ""
    return f"{passages}{words} shown on average" if name == "shown" else f"the model read {passages}{words} on average"


def _read_name(selection: Selection) -> str:
    """The key that a selection has of `READ`."""
    return next(name for name in READ if name in selection)


def _range(numbers: Sequence[float], form: str) -> str:
    low, high = (format(value, form) for value in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"


def _read(prediction: Prediction) -> int:
    """The number of selected passages of which some part was shown."""
    shown_spans = sorted(prediction.shown_spans)
    starts = [start for start, _ in shown_spans]
    return sum(
        any(span_end <= end for _, span_end in shown_spans[bisect_left(starts, start) : bisect_left(starts, end)])
        for start, end, _ in prediction.selected
    )
