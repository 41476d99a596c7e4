"""What a model thinks aloud is no part of its answer: `<think>` blocks (DeepSeek-R1, Qwen 3) are taken out."""

import re

_BLOCK = re.compile(r"<think>.*?(?:</think>\s*|\Z)", re.DOTALL)  # one that was cut off has no end
_TAIL = re.compile(r"\A(?:(?!<think>).)*?</think>\s*", re.DOTALL)  # templates may open the block in the prompt


def visible(text: str) -> str:
    """The text without its `<think>` blocks and the white space after each."""
    return _BLOCK.sub("", _TAIL.sub("", text, count=1))
