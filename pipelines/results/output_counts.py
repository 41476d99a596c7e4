"""Counts of outputs that stopped at their length, are empty, refused or not as asked, or went in thinking.

They are scored like all others, so a score over such outputs says little about what the model can do.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from longdoc.plurals import counted
from models.requests import Reply
from pipelines.records import (
    LOST_TEXT,
    MALFORMED_CALL,
    NO_AUTHOR,
    NO_CALL,
    NO_COUNT,
    NO_LABEL,
    NOT_LOOKED,
    OUT_OF_BUDGET,
    REPEATED_CALL,
    SEVERAL_CALLS,
    Prediction,
)

LENGTH_STOP, EMPTY, REFUSAL = "ended at length", "empty", "refused"
UNKNOWN = "ended with an unknown reason"
THINKING = "filled by thinking"  # of those that ended at their length and are empty
DESCRIPTIONS = {
    LENGTH_STOP: (
        "ended at its length (max_new_tokens), unfinished",
        "ended at their length (max_new_tokens), unfinished",
    ),
    EMPTY: ("is empty", "are empty"),
    REFUSAL: ("was refused by the model", "were refused by the model"),
    THINKING: (
        "is empty, as the model thought until its length: give thinking=2048, or more than it had",
        "are empty, as the model thought until its length: give thinking=2048, or more than it had",
    ),
    UNKNOWN: (
        "ended with a finish reason that is not known here (under served in run.json), and may be unfinished",
        "ended with a finish reason that is not known here (under served in run.json), and may be unfinished",
    ),
    NO_LABEL: ("names no label, or several", "name no label, or several"),
    NO_AUTHOR: ("leaves paragraphs without an author", "leave paragraphs without an author"),
    NO_COUNT: ("has no number, and counts as 0", "have no number, and count as 0"),
    NO_CALL: ("calls no tool, and was taken as the answer", "call no tool, and were taken as answers"),
    NOT_LOOKED: (
        "is an answer before the agent looked into the document, which it was reminded of",
        "are answers before the agent looked into the document, which it was reminded of",
    ),
    MALFORMED_CALL: (
        "calls a tool that does not exist, or names nothing for it",
        "call no tool that exists, or name nothing for it",
    ),
    REPEATED_CALL: ("is a call that was made before", "are calls that were made before"),
    SEVERAL_CALLS: ("has several calls, of which the first counts", "have several calls, of which the first counts"),
    OUT_OF_BUDGET: (
        "had to be the answer, as the agent's budget of steps or tokens was used up",
        "had to be the answer, as the agent's budget of steps or tokens was used up",
    ),
    LOST_TEXT: (
        "line is lost: asked for alone, it came without a text",
        "lines are lost: asked for one by one, they came without a text",
    ),
}  # singular, plural
ADVICE_SHARE = 0.01  # the share of outputs that ended at their length from which on a longer one is advised
KIND_OF_FINISH_REASON = {"length": LENGTH_STOP, "refusal": REFUSAL, "unknown": UNKNOWN}

Counts = Mapping[str, Mapping[str, int]]


def is_text(value: Any) -> bool:
    """Whether a reply's value is an output text, or several."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(value, str) for value in value))


def output_kinds(reply: Reply) -> list[str]:
    """The kinds that apply to a reply; one with several outputs is empty where all of them are."""
    if not is_text(reply.value):
        return []
    texts = (reply.value,) if isinstance(reply.value, str) else reply.value
    kind = KIND_OF_FINISH_REASON.get(reply.finish_reason)
    kind_names = [] if kind is None else [kind]
    if any(text.strip() for text in texts):
        return kind_names
    is_thinking = kind == LENGTH_STOP and (reply.thinking or reply.reasoning_tokens)
    return [*kind_names, EMPTY, *([THINKING] if is_thinking else [])]


def count(predictions: Sequence[Prediction]) -> dict[str, dict[str, int]]:
    """For each kind that occurs, the number of its outputs (of lines for `LOST`) and of their examples."""
    counts = {}
    for kind in DESCRIPTIONS:
        numbers = [number for prediction in predictions if (number := prediction.outputs.get(kind, 0))]
        if numbers:
            counts[kind] = {"outputs": sum(numbers), "examples": len(numbers)}
    return counts


def describe(counts: Counts, requests: int, examples: int, spec: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """A line per kind: `3 of 3 outputs are empty`; with the number of examples where these took several requests.

    Where thinking filled all that ended at their length, or all that are empty, its line says both. With the run's spec
    the line on more than 1% of outputs that ended at their length has what to type.
    """
    lines = []
    thinking_count = counts.get(THINKING, {}).get("outputs", 0)
    for kind, count in counts.items():
        number = count["outputs"]
        if kind in (LENGTH_STOP, EMPTY) and number == thinking_count:
            continue
        outputs = "" if kind == LOST_TEXT else f" of {counted(requests, 'output')}"  # lines are counted, not outputs
        line = f"{number:,}{outputs} {DESCRIPTIONS[kind][number != 1]}"
        line += "" if requests == examples else f", in {count['examples']:,} of {counted(examples, 'example')}"
        lines.append(
            line
            + (
                _longer_option(spec)
                if kind == LENGTH_STOP and number - thinking_count > ADVICE_SHARE * requests
                else ""
            )
        )
    return lines


def messages(predictions: Sequence[Prediction], spec: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """The counts of predictions, described; with what to type where the run's spec is given."""
    return describe(count(predictions), sum(prediction.requests for prediction in predictions), len(predictions), spec)


def _longer_option(spec: Mapping[str, Any]) -> str:
    """What to type for twice the length; chunks of lines that the run sized would grow with it, so theirs is set."""
    if not (length := spec.get("max_new_tokens")):
        return ""
    fields, options = [f"max_new_tokens={2 * length}"], [f"--max-new-tokens {2 * length}"]
    chunker = spec.get("chunker", {})
    if chunker.get("name") == "lines" and chunker.get("unit") == "reader":
        size = f"lines:size={chunker['size']}"
        fields, options = [*fields, f"chunker={size!r}"], [*options, f"--chunker {size}"]
    return f": for whole ones give {', '.join(fields)}; on the command line {' '.join(options)}"
