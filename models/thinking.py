"""What models think: the field `thinking` of readers that write, and blocks of thinking in prompts and outputs.

The field says how many tokens a model may think for, on top of its answer's length. Servers with a parser for thinking
send it in a field of its own. Others leave it in the text, between the marks of the model's chat template; the families
in `MARKS` and OpenAI's harmony format (gpt-oss) are known here.
"""

import re
from typing import Literal

from longdoc.errors import UserError

Thinking = int | Literal["off"] | None
OFF: Literal["off"] = "off"
HINT = "give the number of tokens that the model may think for, thinking=2048, or thinking=off"

MARKS = {  # the mark that opens a block of thinking, and the one that closes it
    "<think>": "</think>",  # DeepSeek-R1, Qwen 3, GLM 4.5, Phi 4 reasoning, MiniMax M1, Nemotron
    "<thinking>": "</thinking>",  # models that are asked to, Claude's prompts among them
    "<thought>": "</thought>",  # EXAONE Deep
    "<seed:think>": "</seed:think>",  # Seed-OSS
    "[THINK]": "[/THINK]",  # Magistral
    "◁think▷": "◁/think▷",  # Kimi-VL
    "<|begin_of_thought|>": "<|end_of_thought|>",  # Sky-T1, OpenThinker
    "<|START_THINKING|>": "<|END_THINKING|>",  # Command A
    "<unused94>": "<unused95>",  # MedGemma
}
AROUND_ANSWERS = (
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
)  # of the same templates: dropped
CHANNEL = "<|channel|>"
HARMONY = (CHANNEL, "<|start|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>")

ALL_MARKS = (*MARKS, *MARKS.values(), *AROUND_ANSWERS)
WORDS = ("<thinking>", "<thought>")  # marks that an answer may name: without an end they count at the beginning only

_OPEN = re.compile("|".join(re.escape(mark) for mark in MARKS))
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(.*?)(?:<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)|\Z)",
    re.DOTALL,
)
_WITHOUT_MARKS = re.compile(r"\Aanalysis(.*?)assistantfinal", re.DOTALL)  # harmony, its special tokens dropped


def checked(thinking: Thinking) -> Thinking:
    """The field as a reader keeps it: YAML reads `off` as false.

    Raises `UserError` for true, and for numbers below 1.
    """
    if thinking is False:
        return OFF
    if thinking is True:
        raise UserError(f"thinking=true does not say how much: {HINT}")
    if isinstance(thinking, int) and thinking < 1:
        raise UserError(f"thinking must be at least 1, got {thinking}: {HINT}")
    return thinking


def tokens_of(thinking: Thinking) -> int:
    """The thinking tokens on top of an answer's length: 0 unless `thinking` is a number."""
    return thinking if isinstance(thinking, int) else 0


def split(text: str, opened: str = "") -> tuple[str, str]:
    """The thinking in an output and the answer, without the marks.

    `opened`: the mark that the chat template ended with, so that the output begins inside a block. A block that is not
    closed goes to the end.
    """
    if CHANNEL in text and not opened:
        return _harmony(text)
    if not opened and (match := _WITHOUT_MARKS.match(text)):
        return match[1].strip(), text[match.end() :]
    text = (opened or _opened_before(text)) + text
    thoughts: list[str] = []
    answer, position = "", 0
    while match := _OPEN.search(text, position):
        close = MARKS[match[0]]
        end = text.find(close, match.end())
        before = answer + text[position : match.start()]
        if end < 0 and match[0] in WORDS and before.strip():
            break
        answer = before
        thoughts.append(text[match.end() : end if end >= 0 else len(text)].strip())
        position = len(text) if end < 0 else _after_space(text, end + len(close))
    answer += text[position:]
    for mark in AROUND_ANSWERS if thoughts else ():
        answer = answer.replace(mark, "")
    return "\n\n".join(filter(None, thoughts)), answer


def opening(prompt: str) -> str:
    """The mark of a block of thinking that a prompt ends with, as templates of some models begin it; "" for none."""
    return next((mark for mark in MARKS if prompt.rstrip().endswith(mark)), "")


def _opened_before(text: str) -> str:
    """The opening mark that the prompt ended with, if the text closes a block that it does not open; else ""."""
    for mark, close in MARKS.items():
        end, start = text.find(close), text.find(mark)
        if end >= 0 and not 0 <= start < end:
            return mark
    return ""


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _harmony(text: str) -> tuple[str, str]:
    """Channels: what is in `final` is the answer, all others (analysis, commentary) are thinking."""
    channels = [(match[1], match[2]) for match in _CHANNEL.finditer(text)]
    thoughts = [content.strip() for name, content in channels if name != "final"]
    return "\n\n".join(filter(None, thoughts)), "".join(content for name, content in channels if name == "final")
