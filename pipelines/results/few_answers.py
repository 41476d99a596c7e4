"""Whether most outputs of a run are one of a few short texts while the references are not.

The references tell two cases apart. One answer of a closed set (a label, a letter, yes or no) can be given too often;
where answers are open, up to three texts can take the place of all others. The thresholds were chosen on the published
outputs of 20 models for seven benchmarks, whole and in samples of 20 to 60.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.statistics.binomial import upper_tail

MIN_OUTPUTS = 10  # outputs: fewer have no distribution
MOST_TEXTS = 3  # such as yes, no and unanswerable, the special answers that prompts name
OPEN_SHARE = 0.8  # of the outputs, for open answers: honest runs have at most 0.1 in their three commonest texts
CLOSED_SHARE = 0.6  # of the outputs, for closed ones: an honest model that is right in 0.21 of cases had 0.46
USUAL_SHARE = 0.5  # of the references, for open answers: a task mostly of yes and no may get nothing else
REPEATED = 3  # examples for each different reference from which on the references are a closed set
EXCESS = 0.3  # of the outputs, above the share of the references: so a common label may be given more often
CHANCE = 0.005  # probability of so many outputs where each is drawn as the references are


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """An output and its references in the form in which they are compared; "" for a text that is not short."""

    output: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overuse:
    """Texts that `outputs` of `total` outputs are, and that only `references` examples have as a reference."""

    texts: tuple[str, ...]
    outputs: int
    references: int
    total: int


def overuse(answers: Sequence[ShortAnswer]) -> Overuse | None:
    """The short texts that most outputs but few references are; None if there are no such texts, or few answers."""
    if len(answers) < MIN_OUTPUTS:
        return None
    are_closed = is_closed(answers)
    share = CLOSED_SHARE if are_closed else OPEN_SHARE
    most_common = Counter(answer.output for answer in answers if answer.output).most_common(
        1 if are_closed else MOST_TEXTS
    )
    texts = [text for text, count in most_common if count > 1]
    if any(map(is_letter, texts)):  # of options whose references are texts: three of four letters are most outputs
        texts = texts[:1]
    for number in range(len(texts), 0, -1):
        counts = _counts(tuple(texts[:number]), answers)
        is_usual = not are_closed and counts.references > USUAL_SHARE * counts.total
        if counts.outputs >= share * counts.total and not is_usual and _is_too_many(counts):
            return counts
    return None


def is_closed(answers: Sequence[ShortAnswer]) -> bool:
    """Whether the references, or the letters among them, are a closed set: few texts, all of them short."""
    first_references = [answer.references[0] for answer in answers]
    letters = [next(filter(is_letter, answer.references), "") for answer in answers]
    return any(all(texts) and REPEATED * len({*texts}) <= len(texts) for texts in (first_references, letters))


def is_letter(text: str) -> bool:
    """Whether a text is a single letter, as that of an option."""
    return len(text) == 1 and text.isalpha()


def _counts(texts: tuple[str, ...], answers: Sequence[ShortAnswer]) -> Overuse:
    outputs = sum(answer.output in texts for answer in answers)
    references = sum(not set(texts).isdisjoint(answer.references) for answer in answers)
    return Overuse(texts, outputs, references, len(answers))


def _is_too_many(counts: Overuse) -> bool:
    if counts.outputs - counts.references < EXCESS * counts.total:
        return False
    expected = (counts.references + 1) / (counts.total + 2)  # by Laplace's rule, since no reference may be one of them
    return upper_tail(counts.outputs, counts.total, expected) < CHANCE
