"""Counts of outputs that stopped at max_new_tokens, are empty, refused or malformed, or were spent on thinking.

They are scored like all others, so a score over such outputs says little about what the model can do.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from longdoc.messages import counted
from models.prompts import Prompt
from models.requests import Reply
from pipelines.records import LOST_TEXT, NO_AUTHOR, NO_COUNT, NO_LABEL, Prediction

LENGTH_STOP, EMPTY, REFUSAL = "ended at length", "empty", "refused"
UNKNOWN = "ended with an unknown reason"
ECHO = "repeats the prompt"
THINKING = "filled by thinking"  # empty outputs that stopped at max_new_tokens
DESCRIPTIONS = {
    LENGTH_STOP: (
        "stopped at max_new_tokens, unfinished",
        "stopped at max_new_tokens, unfinished",
    ),
    EMPTY: ("is empty", "are empty"),
    REFUSAL: ("was refused by the model", "were refused by the model"),
    THINKING: (
        "is empty, as thinking took all of max_new_tokens: give thinking=2048, or more than before",
        "are empty, as thinking took all of max_new_tokens: give thinking=2048, or more than before",
    ),
    UNKNOWN: (
        "ended with an unknown finish reason (see served in run.json), and may be unfinished",
        "ended with an unknown finish reason (see served in run.json), and may be unfinished",
    ),
    ECHO: ("repeats the prompt: check the model's chat template", "repeat the prompt: check the model's chat template"),
    NO_LABEL: ("names no label, or several", "name no label, or several"),
    NO_AUTHOR: ("leaves paragraphs without an author", "leave paragraphs without an author"),
    NO_COUNT: ("has no number, and counts as 0", "have no number, and count as 0"),
    LOST_TEXT: (
        "line is lost: asked for alone, it came without a text",
        "lines are lost: asked for one by one, they came without a text",
    ),
}  # singular, plural
LEAST_ECHO = 30  # characters of an instruction that no answer repeats by chance
ADVICE_SHARE = 0.01  # share of outputs that stopped at max_new_tokens above which more tokens are advised
KIND_OF_FINISH_REASON = {"length": LENGTH_STOP, "refusal": REFUSAL, "unknown": UNKNOWN}

Counts = Mapping[str, Mapping[str, int]]


def is_text(value: Any) -> bool:
    """Whether a reply's value is one output text or several, and not a score."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(value, str) for value in value))


def output_kinds(reply: Reply) -> list[str]:
    """The kinds in `DESCRIPTIONS` that apply to a reply. A reply with several outputs is empty if all of them are."""
    if not is_text(reply.value):
        return []
    texts = (reply.value,) if isinstance(reply.value, str) else reply.value
    kind = KIND_OF_FINISH_REASON.get(reply.finish_reason)
    kinds = [] if kind is None else [kind]
    if any(text.strip() for text in texts):
        return kinds
    is_thinking = kind == LENGTH_STOP and (reply.thinking or reply.reasoning_tokens)
    return [*kinds, EMPTY, *([THINKING] if is_thinking else [])]


def instruction_of(prompt: Prompt) -> str:
    """The first instruction of a prompt; "" without one, or if it is so short that an answer may contain it."""
    first = next((part.text.strip() for part in prompt.parts if part.role == "instruction"), "")
    return first if len(first) >= LEAST_ECHO else ""


def is_echo(reply: Reply, instruction: str) -> bool:
    """Whether a reply repeats the instruction of its prompt."""
    if not instruction or not is_text(reply.value):
        return False
    texts = (reply.value,) if isinstance(reply.value, str) else reply.value
    return any(instruction in text for text in texts)


def count(predictions: Sequence[Prediction]) -> dict[str, dict[str, int]]:
    """For each kind that occurs, the number of outputs (of lines for `LOST_TEXT`) and of examples that have them."""
    counts = {}
    for kind in DESCRIPTIONS:
        numbers = [number for prediction in predictions if (number := prediction.outputs.get(kind, 0))]
        if numbers:
            counts[kind] = {"outputs": sum(numbers), "examples": len(numbers)}
    return counts


def describe(counts: Counts, requests: int, examples: int, spec: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """A line for each kind: `3 of 3 outputs are empty`, with the number of examples if they took several requests.

    If thinking filled all outputs that stopped at max_new_tokens, or all empty ones, only the line on thinking is kept.
    With the run's spec, the line on outputs that stopped at max_new_tokens says what to type if they are over 1 %.
    """
    lines = []
    thinking_count = counts.get(THINKING, {}).get("outputs", 0)
    for kind, count in counts.items():
        output_count = count["outputs"]
        if kind in (LENGTH_STOP, EMPTY) and output_count == thinking_count:
            continue
        outputs = "" if kind == LOST_TEXT else f" of {counted(requests, 'output')}"  # lines are counted, not outputs
        line = f"{output_count:,}{outputs} {DESCRIPTIONS[kind][output_count != 1]}"
        line += "" if requests == examples else f", in {count['examples']:,} of {counted(examples, 'example')}"
        lines.append(
            line
            + (
                _longer_option(spec)
                if kind == LENGTH_STOP and output_count - thinking_count > ADVICE_SHARE * requests
                else ""
            )
        )
    return lines


def messages(predictions: Sequence[Prediction], spec: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """The lines of `describe` for predictions."""
    return describe(count(predictions), sum(prediction.requests for prediction in predictions), len(predictions), spec)


def _longer_option(spec: Mapping[str, Any]) -> str:
    """What to type for twice the length. It also fixes the chunk size of `lines`, which would grow with the length."""
    if not (length := spec.get("max_new_tokens")):
        return ""
    fields, options = [f"max_new_tokens={2 * length}"], [f"--max-new-tokens {2 * length}"]
    chunker = spec.get("chunker", {})
    if chunker.get("name") == "lines" and chunker.get("unit") == "reader":
        size = f"lines:size={chunker['size']}"
        fields, options = [*fields, f"chunker={size!r}"], [*options, f"--chunker {size}"]
    return f": for complete outputs give {', '.join(fields)}; on the command line {' '.join(options)}"
