"""Where gold evidence is lost: a bar for each stage of a run, of several runs side by side; and how it was answered."""

from collections.abc import Sequence
from urllib.parse import urlencode
from xml.etree.ElementTree import Element

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.markup import element
from pipelines.results.analysis.stages import ANSWER_STAGE, PARTS, STAGES, AnswerText, RunStages, Stage
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.reports.page.table import table

SHARE = "Share of the evidence's characters that is left, mean over examples"
COUNTS = "examples with all of it, and that lose some here"
BAR = 14  # pixels


def stages(content: Content) -> list[Element]:
    """Tables for runs with gold evidence, or whose answers are looked for in the text; empty for others."""
    runs = [run for run in content.finished if run.stages is not None]
    if len(content.runs) == 1 and runs:
        stages = runs[0].stages
        return _one_elements(stages) if stages is not None else []
    contents = [run for run in runs if run.stages is not None and run.stages.stages]
    return [_side_by_side(content, contents)] if contents else []


def _one_elements(run_stages: RunStages) -> list[Element]:
    elements = []
    if run_stages.stages:
        elements += [_funnel(run_stages), _answers(run_stages)]
    if run_stages.text is not None:
        elements.append(_text(run_stages.text, run_stages.primary_metric))
    return elements


def _funnel(run_stages: RunStages) -> Element:
    rows = [
        (
            STAGES[stage.name],
            [
                element("td", _bar(stage.share), class_="gauge"),
                element("td", f"{stage.share:.1f}%", class_="number lead"),
                element("td", f"{stage.complete:,}", class_="number"),
                element("td", _behind(stage.name, stage.losing), class_="number"),
            ],
        )
        for stage in run_stages.stages
    ]
    examples = counted(run_stages.examples, "example")
    caption = f"{SHARE}; {COUNTS}. {run_stages.with_evidence:,} of {examples} have gold evidence"
    if run_stages.missing:
        caption += (
            f", {run_stages.missing:,} of its spans {'is' if run_stages.missing == 1 else 'are'} not in the documents"
        )
    return table(caption, ["Stage", "", "Left", "All of it", "Lost here"], rows)


def _answers(run_stages: RunStages) -> Element:
    groups = run_stages.answers
    scored = any(group.score is not None for group in groups)
    recalled = any(group.answer_recall is not None for group in groups)
    heads = ["Evidence", "Examples", *([run_stages.primary_metric, "Right", "Not right"] if scored else [])]
    heads += ["Answer in the text"] if recalled else []
    rows = []
    for group in groups:
        cells = [numbers.count(group.examples)]
        wrong_value: Element | str = numbers.MISSING
        if scored:
            cells += [numbers.score(group.score), numbers.MISSING if group.right is None else f"{group.right:,}"]
            if group.right is not None:
                count = group.examples - group.right
                wrong_value = _behind(ANSWER_STAGE, count) if group.shown == "all" else f"{count:,}"
        elements = [element("td", cell, class_="number") for cell in cells]
        elements += [element("td", wrong_value, class_="number")] if scored else []
        elements += [element("td", _percent(group.answer_recall), class_="number")] if recalled else []
        rows.append((PARTS[group.shown], elements))
    return table("How the examples were answered, by how much of their evidence was shown", heads, rows)


def _text(answer_text: AnswerText, metric: str) -> Element:
    known_pairs = [("in the document", answer_text.in_document), ("in the shown text", answer_text.in_shown_text)]
    rows = [
        (name, [element("td", _bar(share), class_="gauge"), element("td", _percent(share), class_="number lead")])
        for name, share in known_pairs
        if share is not None
    ]
    caption = f"The answer, word for word: share of {counted(answer_text.examples, 'example')} without gold evidence"
    if answer_text.score is not None and answer_text.score_without is not None:
        scores = numbers.score(answer_text.score), numbers.score(answer_text.score_without)
        caption += f"; {metric} {scores[0]} where it was shown, {scores[1]} elsewhere"
    return table(caption, ["Where it is", "", "Share"], rows)


def _side_by_side(content: Content, runs: Sequence[RunContent]) -> Element:
    rows = []
    for run in runs:
        stages: Sequence[Stage] = run.stages.stages if run.stages is not None else ()
        cells = [element("td", f"{stage.share:.1f}%", _bar(stage.share), class_="number gauge") for stage in stages]
        complete = stages[-1].complete if stages else 0
        rows.append((run.label, [*cells, element("td", f"{complete:,}", class_="number")]))
    return table(SHARE, ["Run", *STAGES.values(), "Examples shown all of it"], rows)


def _bar(share: float) -> Element:
    """A bar as wide as its cell; the number stands beside it."""
    left = element("rect", class_="left", width=f"{share:.2f}%", height="100%")
    whole_element = element("rect", class_="whole", width="100%", height="100%")
    return element("svg", whole_element, left, class_="share", width="100%", height=str(BAR), aria_hidden="true")


def _behind(stage: str, count: int) -> Element | str:
    """How many examples are behind a stage, as a link that lists them."""
    return element("a", f"{count:,}", href=f"#{urlencode({'show': f'lost-{stage}'})}") if count else "0"


def _percent(share: float | None) -> str:
    return numbers.MISSING if share is None else f"{share:.1f}%"
