"""Special tokens that a model wrote out as text: `<|im_end|>`, `</s>`, `[/INST]`.

They stand where a server does not know the model's template, or does not stop at its end. Metrics count them, and all
that the model went on to write behind them, as words of the answer.
"""

import re

_TOKEN = re.compile(
    r"<\|[a-z][a-z0-9_ ]{0,30}\|>"  # ChatML, Llama 3, Phi, GPT: <|im_end|>, <|eot_id|>, <|endoftext|>
    r"|<｜[^｜<>\n]{1,30}｜>"  # DeepSeek, with wide bars
    r"|</?(?:start|end)_of_(?:turn|utterance|text)>"  # Gemma
    r"|<(?:bos|eos|pad)>"
    r"|\[/?INST\]|<</?SYS>>"  # Llama 2, Mistral
    r"|\A\s*<s>|\A(?!.+<s>).*?(?P<end></s>)",  # an <s> further on begins HTML that is struck through
    re.IGNORECASE | re.DOTALL,
)


def special_token(text: str) -> str:
    """The first special token in a text; "" if there is none."""
    if not any(character in text for character in "<["):
        return ""
    match = _TOKEN.search(text)
    return (match["end"] or match[0]).strip() if match else ""
