"""From a prediction to an answer: its passages by number, what it cites, and what to warn of."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipelines.answers.answer import Answer
from pipelines.answers.answer_content import Citation, Passage
from pipelines.answers.citations import cited, is_only_citations
from pipelines.answers.indexing.collection import Collection
from pipelines.answers.passage_prompt import NOT_FOUND_TEXT, WORDING, PassagePrompt
from pipelines.answers.unsupported_numbers import unsupported_numbers
from pipelines.engine.planning.plan import Plan
from pipelines.records import Prediction
from pipelines.results import output_counts, over_limit
from pipelines.results.headings import unselected_spans
from pipelines.results.special_tokens import special_token
from pipelines.strategies import Job

MAX_SHOWN = 5  # numbers, or brackets, in a warning


def answer_of(plan: Plan, job: Job, collection: Collection, output: Prediction, warnings: Sequence[str]) -> Answer:
    """The answer that a prediction gives; `warnings` are those about the documents."""
    prompt = job.template if isinstance(job.template, PassagePrompt) else None
    passages = _passages(collection, prompt, output)
    told_names = [*warnings, *([output.notes["chunks"]] if "chunks" in output.notes else [])]
    told_names += over_limit.messages(output.passages)
    text, outputs, is_found = output.prediction, dict(output.outputs), True
    if prompt is not None and prompt.denials and not text.strip():
        text, is_found = prompt.denials[0] if len(prompt.denials) == 1 else NOT_FOUND_TEXT, False
        outputs.pop(output_counts.EMPTY, None)  # it is as a prediction, though no output was
    told_names += _output_warnings(output, outputs, plan.max_new_tokens)
    if token := special_token(text):
        told_names.append(f"the answer contains {token}: check the model's chat template")
    if output.truncated_tokens:
        told_names.append(_cut(passages, output.truncated_tokens, plan.max_input_tokens))
    citations: list[Citation] = []
    if prompt is not None:
        citations, wrong_names = _citations(prompt.outputs(text), passages)
        told_names += wrong_names
        refused_count = outputs.get(output_counts.REFUSAL)
        if is_found and not refused_count and text.strip() and not citations and prompt.text == WORDING:
            told_names.append("the answer cites no passage: check it against them")
        if not is_found:
            told_names.append(_more_text(passages))
        elif is_only_citations(text):
            told_names.append("the answer is only numbers of passages: read these, or ask another model")
            is_found = False
        elif citations and not refused_count:
            told_names += _unsupported(
                text, job.example.query, [passages[citation.number - 1] for citation in citations]
            )
    return Answer(
        text,
        passages,
        output.truncated_tokens,
        job.example.query,
        tuple(told_names),
        outputs,
        plan.reader.reads,
        citations=tuple(citations),
        found=is_found,
    )


def _passages(collection: Collection, prompt: PassagePrompt | None, output: Prediction) -> list[Passage]:
    """The passages in the order of their numbers in the prompt, else in that of the selection."""
    headings = unselected_spans(output).headings
    starts = {start for start, end in output.shown_spans if end > start}
    order = list(enumerate(output.selected))
    if prompt is not None:
        order.sort(key=lambda numbers: prompt.spans.get(numbers[1][:2], len(prompt.spans) + 1))
    return [
        collection.passage(
            *span, output.prediction, headings.get(place), is_shown=not output.shown_spans or span[0] in starts
        )
        for place, span in order
    ]


def _citations(text: str, passages: Sequence[Passage]) -> tuple[list[Citation], list[str]]:
    """What a text cites, and a warning for what is no number of a passage that was shown."""
    numbered = list(enumerate(passages, 1))
    shown_numbers = [number for number, passage in numbered if passage.shown]
    found_cited = cited(text, [passage.text for passage in passages], shown_numbers)
    citations = [
        Citation(number, passages[number - 1].file, passages[number - 1].location) for number in found_cited.numbers
    ]
    if not found_cited.wrong:
        return citations, []
    count = f"{len(shown_numbers)} passage{' was' if len(shown_numbers) == 1 else 's were'} shown"
    return citations, [f"the answer cites {_some_text(found_cited.wrong)}, but {count}"]


def _unsupported(text: str, question: str, cited_passages: Sequence[Passage]) -> list[str]:
    """A warning of numbers and dates that neither the cited passages nor the question have."""
    sources = [question]
    for passage in cited_passages:
        sources += [passage.text, passage.heading, passage.location, Path(passage.file or "").name]
    if not (numbers := unsupported_numbers(text, sources)):
        return []
    verb, pronoun = ("stands", "it is") if len(numbers) == 1 else ("stand", "they are")
    return [
        f"the answer has {_some_text(numbers)}, which {verb} in no passage that it cites: {pronoun} computed or made up"
    ]


def _cut(passages: Sequence[Passage], tokens: int, limit: int | None) -> str:
    """The warning that passages were cut, and which of them whole."""
    prompt = "the prompt" if limit is None else f"a prompt of {limit:,} tokens"
    unread = [f"[{number}]" for number, passage in enumerate(passages, 1) if not passage.shown]
    which = f": {_some_text(unread)} {'was' if len(unread) == 1 else 'were'} not read" if unread else ""
    return f"{tokens:,} tokens of the passages did not fit {prompt}{which}"


def _more_text(passages: Sequence[Passage]) -> str:
    """What to do where the model says that it is not there."""
    shown_count = sum(passage.shown for passage in passages)
    return (
        f"not found in the {shown_count} passage{'' if shown_count == 1 else 's'} that the model was "
        "shown: ask in the words of "
        f"the documents, or show more of them (k={2 * max(shown_count, 1)}; on the command line -k "
        f"{2 * max(shown_count, 1)})"
    )


def _some_text(names: Sequence[str]) -> str:
    more_text = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    return ", ".join(names[:MAX_SHOWN]) + more_text


def _output_warnings(output: Prediction, outputs: Mapping[str, int], length: int) -> list[str]:
    """Warnings that an output was cut at its length, is empty, repeats the prompt, or was refused."""
    description = "the answer" if output.requests == 1 else "an output that the answer is made of"
    more_text = f"max_new_tokens={2 * length}; on the command line --max-new-tokens {2 * length}"
    ended_count, empty = outputs.get(output_counts.LENGTH_STOP), outputs.get(output_counts.EMPTY)
    lines = []
    if outputs.get(output_counts.THINKING):
        room_text = (
            "give thinking=2048, or more than it had, in model=; on the command line --model MODEL,thinking=2048"
        )
        lines.append(f"{description} is empty: the model thought until its length of {length} tokens; {room_text}")
    elif ended_count and empty:
        lines.append(
            f"{description} is empty: its length of {length} tokens went before the model came to it; give {more_text}"
        )
    elif ended_count:
        lines.append(f"{description} was cut at its length of {length} tokens: give more ({more_text})")
    elif empty and not outputs.get(output_counts.REFUSAL):
        lines.append(f"{description} is empty: the model wrote nothing")
    if outputs.get(output_counts.ECHO):
        lines.append(f"{description} repeats the prompt: check the model's chat template, or ask another model")
    if outputs.get(output_counts.REFUSAL):
        lines.append(f"{description} was refused by the model: ask in other words, or another model")
    return lines
