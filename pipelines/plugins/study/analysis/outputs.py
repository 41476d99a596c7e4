"""The outputs of a model: lengths against the references, malformed outputs, and outputs that say there is no answer.

Shaham et al. 2023 (ZeroSCROLLS), section 5: figure 5 compares the lengths of outputs with those of the
references, and footnote 9 counts outputs that say there is no answer. Lengths are in words, as chunkers count them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkers.shared.words import count_words
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from longdoc.plain_json import plain_fields, plain_value
from pipelines import tasks
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.metrics.accuracy import normal
from pipelines.plugins.study.analysis._numbers import Quantiles, named_quantiles, percent, quantile_table
from pipelines.results.run_folders.run import Run, finished_run

MALFORMED = {  # the key of a metric's own count: what it counts
    "no_letter": "no letter of an option",
    "no_percentage": "no percentage",
    "no_permutation": "no order of the numbers",
    "missing_paragraphs": "paragraphs without an author",
    "extra_paragraphs": "authors without a paragraph",
}
_TEXT_NOUN = (
    r"(?:text|context|document|passages?|paragraphs?|article|paper|story|script|transcript|report|contract|information)"
)
CANNOT_ANSWER = (  # of lower-cased text; the options of a task ("Not mentioned") never count
    r"^\W*(?:no answer|unknown|i (?:do not|don['’]?t) know)\W*$",
    r"^\W*not (?:mentioned|stated|specified|provided|given|known)\W*$",
    r"\b(?:un|not )answerable\b",
    r"\b(?:can ?not|can['’]?t) (?:be )?answer",
    r"\b(?:can ?not|can['’]?t) be (?:determined|inferred|identified) (?:from|based on)\b",
    r"\b(?:unable|not possible|impossible) to (?:answer|determine|infer|provide an answer)\b",
    r"\b(?:not enough|insufficient|no(?: relevant| specific)?) (?:information|context|evidence)\b",
    rf"\b{_TEXT_NOUN} (?:provided |given |above )?(?:does not|doesn['’]?t|do not|don['’]?t)"
    r" (?:contain|mention|say|state|specify|provide|give|include)\b",
    rf"\bnot (?:\w+ly )?(?:mentioned|stated|specified|provided|given|answered) (?:in|by) the (?:\w+ )?{_TEXT_NOUN}\b",
)
_CANNOT_ANSWER = re.compile("|".join(CANNOT_ANSWER))


@dataclass(frozen=True, slots=True)
class Outputs(View):
    """The outputs of a run; shares are 0–100, of outputs unless stated otherwise.

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
        return named_quantiles(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self, leave_out=("values",)) | {"lengths": plain_value(self.quantiles)}

    def tables(self) -> list[Table]:
        """Lengths, then shares."""
        caption = f"{self.task}, {self.split}: {counted(self.examples, 'output')} in {self.folder}, lengths in words"
        notes = [f"{self.empty:5.1f}% empty"]
        if self.shorter is not None:
            notes.insert(0, f"{self.shorter:5.1f}% shorter, {self.longer:.1f}% longer than 90% of the references")
        notes += [f"{share:5.1f}% malformed: {MALFORMED[name]}" for name, share in self.malformed.items()]
        share = self.references_cannot_answer
        of_references = "" if share is None else f" ({share:.1f}% of the examples have a reference that does)"
        notes.append(f"{self.cannot_answer:5.1f}% say that there is no answer{of_references}")
        return [quantile_table(caption, self.quantiles, notes)]


@checks_names
def outputs(run: str | Path) -> Outputs:
    """Measure the outputs of a finished run. Raises `UserError` for a folder without a finished run."""
    chosen_run = finished_run(run)
    if not chosen_run.predictions:
        raise UserError(f"the run in {chosen_run.folder} has no predictions")
    texts = [prediction.prediction for prediction in chosen_run.predictions]
    references = [prediction.references for prediction in chosen_run.predictions if prediction.references]
    options = _options(chosen_run)
    lengths, reference_lengths = count_words(texts), count_words([text for own in references for text in own])
    quantiles = Quantiles.from_values(reference_lengths)
    return Outputs(
        task=chosen_run.task,
        split=chosen_run.split,
        folder=chosen_run.folder,
        examples=len(texts),
        values={"outputs": lengths, "references": reference_lengths},
        empty=percent(sum(not text.strip() for text in texts), len(texts)),
        shorter=percent(sum(size < quantiles.q05 for size in lengths), len(texts)) if quantiles else None,
        longer=percent(sum(size > quantiles.q95 for size in lengths), len(texts)) if quantiles else None,
        malformed={name: chosen_run.scores[name] for name in MALFORMED if name in chosen_run.scores},
        cannot_answer=percent(sum(cannot_answer(text, options) for text in texts), len(texts)),
        references_cannot_answer=_share_cannot_answer(references, options) if references else None,
    )


def cannot_answer(text: str, options: Sequence[str] = ()) -> bool:
    """Whether a text says that there is no answer, by `CANNOT_ANSWER`, and is not one of a task's `options`."""
    normal_text = normal(text)
    return bool(_CANNOT_ANSWER.search(normal_text)) and normal_text.rstrip(".") not in map(normal, options)


def _share_cannot_answer(references: Sequence[Sequence[str]], options: Sequence[str]) -> float:
    """The share, 0–100, of examples with a reference that says that there is no answer."""
    return percent(sum(any(cannot_answer(text, options) for text in own) for own in references), len(references))


def _options(run: Run) -> Sequence[str]:
    """The options and labels of the run's task."""
    task = tasks.all_tasks().get(run.task)
    return (*task.dataset.options, *task.labels) if task else ()
