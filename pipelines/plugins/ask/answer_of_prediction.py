"""From a prediction to an answer: its passages by number, what it cites, and what to warn of."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from longdoc.errors import listed
from pipelines.engine.planning.plan import Plan
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_content import Citation, Passage
from pipelines.plugins.ask.citations import cited_numbers, is_only_citations
from pipelines.plugins.ask.indexing.collection import Collection
from pipelines.plugins.ask.passage_prompt import PassagePrompt
from pipelines.plugins.ask.unsupported_numbers import unsupported_numbers
from pipelines.prompts.ask_words import NOT_FOUND_TEXT, WORDING
from pipelines.records import Prediction
from pipelines.results import output_counts, over_limit
from pipelines.results.headings import unselected_spans
from pipelines.results.special_tokens import special_token
from pipelines.strategies import Job

MAX_SHOWN = 5  # numbers, or brackets, in a warning


def answer_of(
    plan: Plan, job: Job, collection: Collection, prediction: Prediction, index_warnings: Sequence[str]
) -> Answer:
    """The answer of a prediction; its warnings begin with those of the index."""
    prompt = job.template if isinstance(job.template, PassagePrompt) else None
    passages = _passages(collection, prompt, prediction)
    warnings = [*index_warnings, *([prediction.notes["chunks"]] if "chunks" in prediction.notes else [])]
    warnings += over_limit.messages(prediction.passages)
    text, outputs, is_found = prediction.prediction, dict(prediction.outputs), True
    if prompt is not None and prompt.denials and not text.strip():
        text, is_found = prompt.denials[0] if len(prompt.denials) == 1 else NOT_FOUND_TEXT, False
        outputs.pop(output_counts.EMPTY, None)  # the prediction is empty, but no output was
    warnings += _output_warnings(prediction, outputs, plan.max_new_tokens)
    if token := special_token(text):
        warnings.append(f"the answer contains {token}: check the model's chat template")
    if prediction.truncated_tokens:
        warnings.append(_cut_warning(passages, prediction.truncated_tokens, plan.max_input_tokens))
    citations: list[Citation] = []
    if prompt is not None:
        citations, citation_warnings = _citations(prompt.outputs(text), passages)
        warnings += citation_warnings
        is_refused = bool(outputs.get(output_counts.REFUSAL))
        if is_found and not is_refused and text.strip() and not citations and prompt.text == WORDING:
            warnings.append("the answer cites no passage: check it against the passages")
        if not is_found:
            warnings.append(_not_found_warning(passages))
        elif is_only_citations(text):
            warnings.append("the answer is only passage numbers: read those passages, or ask another model")
            is_found = False
        elif citations and not is_refused:
            cited = [passages[citation.number - 1] for citation in citations]
            warnings += _number_warnings(text, job.example.query, cited)
    return Answer(
        text,
        passages,
        prediction.truncated_tokens,
        job.example.query,
        tuple(warnings),
        outputs,
        plan.reader.reads,
        citations=tuple(citations),
        found=is_found,
    )


def _passages(collection: Collection, prompt: PassagePrompt | None, prediction: Prediction) -> list[Passage]:
    """The passages in the order of their numbers in the prompt, else in that of the selection."""
    headings = unselected_spans(prediction).headings
    starts = {start for start, end in prediction.shown_spans if end > start}
    numbered = list(enumerate(prediction.selected))
    if prompt is not None:
        numbered.sort(key=lambda pair: prompt.spans.get(pair[1][:2], len(prompt.spans) + 1))
    return [
        collection.passage(
            *span, prediction.prediction, headings.get(place), is_shown=not prediction.shown_spans or span[0] in starts
        )
        for place, span in numbered
    ]


def _citations(text: str, passages: Sequence[Passage]) -> tuple[list[Citation], list[str]]:
    """The citations of a text, and a warning of numbers that belong to no passage that was shown."""
    shown_numbers = [number for number, passage in enumerate(passages, 1) if passage.shown]
    cited = cited_numbers(text, [passage.text for passage in passages], shown_numbers)
    citations = [Citation(number, passages[number - 1].file, passages[number - 1].location) for number in cited.numbers]
    if not cited.wrong:
        return citations, []
    count = f"{len(shown_numbers)} passage{' was' if len(shown_numbers) == 1 else 's were'} shown"
    return citations, [f"the answer cites {listed(cited.wrong, MAX_SHOWN)}, but only {count}"]


def _number_warnings(text: str, question: str, cited: Sequence[Passage]) -> list[str]:
    """A warning of numbers and dates that neither the cited passages nor the question have."""
    sources = [question]
    for passage in cited:
        sources += [passage.text, passage.heading, passage.location, Path(passage.file or "").name]
    if not (numbers := unsupported_numbers(text, sources)):
        return []
    pronoun = "it" if len(numbers) == 1 else "them"
    return [
        f"the cited passages do not contain {listed(numbers, MAX_SHOWN)}: the model computed {pronoun} or made "
        f"{pronoun} up"
    ]


def _cut_warning(passages: Sequence[Passage], tokens: int, limit: int | None) -> str:
    """The warning that passages were cut, with the numbers of those that were left out whole."""
    prompt = "the prompt" if limit is None else f"a prompt of {limit:,} tokens"
    unread = [f"[{number}]" for number, passage in enumerate(passages, 1) if not passage.shown]
    which = f": {listed(unread, MAX_SHOWN)} {'was' if len(unread) == 1 else 'were'} not read" if unread else ""
    return f"{tokens:,} tokens of the passages did not fit into {prompt}{which}"


def _not_found_warning(passages: Sequence[Passage]) -> str:
    """The warning that the model found no answer, with what to try next."""
    shown_count = sum(passage.shown for passage in passages)
    return (
        f"the model found no answer in the {shown_count} passage{'' if shown_count == 1 else 's'} it was shown: "
        f"use words of the documents, or show it more passages (k={2 * max(shown_count, 1)}; on the command line -k "
        f"{2 * max(shown_count, 1)})"
    )


def _output_warnings(prediction: Prediction, outputs: Mapping[str, int], length: int) -> list[str]:
    """Warnings of an output that was cut at its length, is empty, repeats the prompt, or was refused."""
    subject = "the answer" if prediction.requests == 1 else "one of the outputs behind the answer"
    longer = f"max_new_tokens={2 * length}; on the command line --max-new-tokens {2 * length}"
    is_cut, is_empty = bool(outputs.get(output_counts.LENGTH_STOP)), bool(outputs.get(output_counts.EMPTY))
    is_refused = bool(outputs.get(output_counts.REFUSAL))
    warnings = []
    if outputs.get(output_counts.THINKING):
        advice = "allow more, such as thinking=2048 in model= (on the command line --model MODEL,thinking=2048)"
        warnings.append(f"{subject} is empty: the model used all {length} tokens for thinking; {advice}")
    elif is_cut and is_empty:
        warnings.append(
            f"{subject} is empty: the model used all {length} tokens before it came to an answer; allow more ({longer})"
        )
    elif is_cut:
        warnings.append(f"{subject} was cut at {length} tokens: allow more ({longer})")
    elif is_empty and not is_refused:
        warnings.append(f"{subject} is empty: the model wrote nothing")
    if outputs.get(output_counts.ECHO):
        warnings.append(f"{subject} repeats the prompt: check the model's chat template, or ask another model")
    if is_refused:
        warnings.append(f"{subject} was refused by the model: ask in other words, or ask another model")
    return warnings
