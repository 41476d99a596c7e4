"""The page's section on lost evidence: the stages of one run or of several side by side, and how it was answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.results.lost_evidence.stages import AnswerText, RunStages
from pipelines.results.reports.content import Content, RunContent

SHARE = "Share of the evidence's characters that is left, mean over examples"
COUNTS = "examples with all of it, and that lose some here"


@dataclass(frozen=True, slots=True)
class Losses:
    """Where evidence is lost: in `single`, the stages of the only run, or in several `runs` side by side."""

    single: RunStages | None = None
    runs: Sequence[RunContent] = ()
    caption: str = SHARE
    text_caption: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether some group of examples has a score."""
        return self.single is not None and any(group.score is not None for group in self.single.answers)

    @property
    def has_recall(self) -> bool:
        """Whether for some group it is known how often the answer was in the shown text."""
        return self.single is not None and any(group.answer_recall is not None for group in self.single.answers)


def losses(content: Content) -> Losses | None:
    """The section on runs with gold evidence, or on a run with answer recall; None for others."""
    if len(content.runs) > 1:
        runs = [run for run in content.finished if run.stages is not None and run.stages.stages]
        return Losses(runs=runs) if runs else None
    stages = content.finished[0].stages if content.finished else None
    if stages is None or not (stages.stages or stages.text):
        return None
    text_caption = "" if stages.text is None else _text_caption(stages.text, stages.primary_metric)
    return Losses(stages, caption=_funnel_caption(stages), text_caption=text_caption)


def _funnel_caption(stages: RunStages) -> str:
    caption = (
        f"{SHARE}; {COUNTS}. {stages.with_evidence:,} of {counted(stages.run.examples, 'example')} have gold evidence"
    )
    if not stages.missing:
        return caption
    return f"{caption}, {stages.missing:,} of its spans {'is' if stages.missing == 1 else 'are'} not in the documents"


def _text_caption(text: AnswerText, metric: str) -> str:
    caption = f"The answer, word for word: share of {counted(text.examples, 'example')} without gold evidence"
    if text.score is None or text.score_without is None:
        return caption
    return (
        f"{caption}; {metric} {numbers.score(text.score)} where it was shown, {numbers.score(text.score_without)} "
        "elsewhere"
    )
