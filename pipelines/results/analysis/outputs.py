"""What did a model say? Lengths against the references, malformed outputs, and answers that say there is no answer.

Shaham et al. 2023 (ZeroSCROLLS), section 5: figure 5 sets the lengths of outputs beside those of the references,
and footnote 9 counts answers that no answer can be given. Lengths are white-space words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.metrics.accuracy import normal
from pipelines.results.analysis import _plots
from pipelines.results.analysis._numbers import HEADING, Quantiles, percent
from pipelines.results.run_folders.finished import FinishedRun, finished_run

MALFORMED = {  # a metric's own count: what it counts
    "no_letter": "no letter of an option",
    "no_percentage": "no percentage",
    "no_permutation": "no order of the numbers",
    "missing_paragraphs": "paragraphs without an author",
    "extra_paragraphs": "authors without a paragraph",
}
_TEXT = (
    r"(?:text|context|document|passages?|paragraphs?|article|paper|story|script|transcript|report|contract|information)"
)
CANNOT_ANSWER = (  # of lower-cased text; the answers that a task offers ("Not mentioned") never count
    r"^\W*(?:no answer|unknown|i (?:do not|don['’]?t) know)\W*$",
    r"^\W*not (?:mentioned|stated|specified|provided|given|known)\W*$",
    r"\b(?:un|not )answerable\b",
    r"\b(?:can ?not|can['’]?t) (?:be )?answer",
    r"\b(?:can ?not|can['’]?t) be (?:determined|inferred|identified) (?:from|based on)\b",
    r"\b(?:unable|not possible|impossible) to (?:answer|determine|infer|provide an answer)\b",
    r"\b(?:not enough|insufficient|no(?: relevant| specific)?) (?:information|context|evidence)\b",
    rf"\b{_TEXT} (?:provided |given |above )?(?:does not|doesn['’]?t|do not|don['’]?t)"
    r" (?:contain|mention|say|state|specify|provide|give|include)\b",
    rf"\bnot (?:\w+ly )?(?:mentioned|stated|specified|provided|given|answered) (?:in|by) the (?:\w+ )?{_TEXT}\b",
)
_CANNOT = re.compile("|".join(CANNOT_ANSWER))


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of a run; shares are 0–100, of outputs unless said otherwise.

    `values` are lengths in words by "outputs" and "references". `shorter` and `longer` outputs are outside the range of
    the middle 90% of the references. `malformed` are the metrics' own counts. `cannot_answer` outputs say that there is
    no answer, `references_cannot_answer` is the share of examples with such a reference.
    """

    task: str
    split: str
    folder: Path
    examples: int
    values: Mapping[str, Sequence[int]]
    empty: float
    shorter: float | None
    longer: float | None
    malformed: Mapping[str, float]
    cannot_answer: float
    references_cannot_answer: float | None

    @property
    def quantiles(self) -> dict[str, Quantiles]:
        """The distributions of lengths, those without numbers left out."""
        return {name: found for name, numbers in self.values.items() if (found := Quantiles.of(numbers))}

    def plot(self, path: str | Path) -> None:
        """Write a box plot of the lengths as PNG, SVG or PDF. Raises `UserError` without matplotlib."""
        _plots.boxes(Path(path), self.values, f"{self.task}, {self.split}", "length (words)")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        kept = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "values"}
        kept |= {"folder": str(self.folder), "malformed": dict(self.malformed)}
        return kept | {"lengths": {name: found.to_dict() for name, found in self.quantiles.items()}}

    def __str__(self) -> str:
        """Lengths, then shares."""
        lines = [f"{self.task}, {self.split}: {self.examples:,} outputs in {self.folder}, lengths in words"]
        lines += [f"  {'':<10} {HEADING}", *(f"  {name:<10} {found}" for name, found in self.quantiles.items())]
        if self.shorter is not None:
            lines.append(f"  {self.shorter:5.1f}% shorter, {self.longer:.1f}% longer than 90% of the references")
        lines.append(f"  {self.empty:5.1f}% empty")
        lines += [f"  {share:5.1f}% malformed: {MALFORMED[name]}" for name, share in self.malformed.items()]
        beside = self.references_cannot_answer
        said = "" if beside is None else f" (a reference of {beside:.1f}% of the examples does)"
        return "\n".join([*lines, f"  {self.cannot_answer:5.1f}% say that there is no answer{said}"])


def outputs(run: str | Path) -> Outputs:
    """What a finished run's model said. Raises `UserError` for a folder without a finished run."""
    found = finished_run(run)
    if not found.predictions:
        raise UserError(f"the run in {found.folder} has no predictions")
    said = [prediction.prediction for prediction in found.predictions]
    golds = [prediction.references for prediction in found.predictions if prediction.references]
    offered = _offered(found)
    lengths = [len(text.split()) for text in said]
    usual = Quantiles.of([len(text.split()) for row in golds for text in row])
    return Outputs(
        task=found.task,
        split=found.split,
        folder=found.folder,
        examples=len(said),
        values={"outputs": lengths, "references": [len(text.split()) for row in golds for text in row]},
        empty=percent(sum(not text.strip() for text in said), len(said)),
        shorter=percent(sum(size < usual.q05 for size in lengths), len(said)) if usual else None,
        longer=percent(sum(size > usual.q95 for size in lengths), len(said)) if usual else None,
        malformed={name: found.scores[name] for name in MALFORMED if name in found.scores},
        cannot_answer=percent(sum(cannot_answer(text, offered) for text in said), len(said)),
        references_cannot_answer=percent(sum(any(cannot_answer(t, offered) for t in row) for row in golds), len(golds))
        if golds
        else None,
    )


def cannot_answer(text: str, offered: Sequence[str] = ()) -> bool:
    """Whether a text says that there is no answer, by `CANNOT_ANSWER`; one of the answers `offered` does not."""
    lowered = normal(text)
    return bool(_CANNOT.search(lowered)) and lowered.rstrip(".") not in map(normal, offered)


def _offered(run: FinishedRun) -> Sequence[str]:
    task = tasks.all_tasks().get(run.task)
    return (*task.dataset.options, *task.labels) if task else ()
