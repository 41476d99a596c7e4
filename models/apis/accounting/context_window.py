"""The context window of a model behind an API: the errors of servers about longer prompts, and new limits.

Prompt, the chat template around it and the output share a window. A server that gets more answers with an error whose
words differ: OpenAI's, vLLM's, SGLang's, llama.cpp's, TGI's, Anthropic's, Mistral's, Google's, xAI's and Ollama's are
known here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from models.apis.sending.response import Unanswered, whole_number
from models.chat import Chat
from models.tokenizer import Subwords

TEMPLATE = 128  # tokens that are left for a chat template nothing is known of; Llama 3.1's takes 40, gpt-oss' 70
SPARE = 8  # tokens beside a template that was measured: a second start token, words joined to it otherwise
ESTIMATED = 0.8  # of the room, where tokens are estimated: numbers and tables take more than prose
SAFETY_SHARE = 0.95  # of what should fit, once a server has refused: the part that is cut may have fewer tokens
BLIND_SHARES = (0.75, 0.5)  # of a prompt at each try, where the server does not say how long it is
MAX_RETRIES = len(BLIND_SHARES)  # tries after the first

_NUMBER = r"(\d[\d,]{0,14})"
_PROMPTS = (
    rf"{_NUMBER} in (?:the messages|your prompt)",
    rf"messages resulted in {_NUMBER} tokens",
    rf"request has {_NUMBER} input tokens",
    rf"prompt contains {_NUMBER} (?:input )?tokens",
    rf"{_NUMBER} tokens from the input",
    rf"input(?: prompt)? \({_NUMBER} tokens\)",
    rf"prompt \((?:total )?length {_NUMBER}\)",
    rf"request \({_NUMBER} tokens\) exceeds",
    rf"prompt is too long: {_NUMBER}",
    rf"exceed context limit: {_NUMBER} \+",
    rf"given: {_NUMBER}",
    rf"token count \({_NUMBER}\) exceeds",
    rf"request contains {_NUMBER} tokens",
)
_WINDOWS = (
    rf"context length (?:is|of) {_NUMBER}",
    rf"context length \({_NUMBER} tokens",
    rf"\(context length {_NUMBER}\)",
    rf"maximum model length of {_NUMBER}",
    rf"context size \({_NUMBER} tokens",
    rf"exceed context limit: [\d,]+ \+ [\d,]+ > {_NUMBER}",
    rf"> {_NUMBER} maximum",
    rf"must be <= {_NUMBER}",
    rf"must have less than {_NUMBER} tokens",
    rf"with {_NUMBER} maximum context length",
    rf"tokens allowed \({_NUMBER}\)",
    rf"prompt length is {_NUMBER}",
)
_LOWER_BOUND = re.compile(r"at least [\d,]+ (?:input )?tokens", re.IGNORECASE)
_EXCESS = rf"exceeded max context length by {_NUMBER} tokens"  # Ollama's
_ABOUT = re.compile(r"context[ _](?:length|limit|size|window)|prompt is too long|max_new_tokens` must be <=", re.I)


@dataclass(frozen=True, slots=True)
class Overrun:
    """A server's error about a prompt over its window: tokens of prompt and window (None: not known).

    `excess` are the tokens by which it is over, where the server says no more.
    """

    prompt: int | None
    window: int | None
    excess: int | None = None

    def limit(self, count: int, window: int | None, output: int, retries: int) -> int:
        """The limit for the next try, for a prompt of `count` tokens as counted here."""
        bounds = [tokens for tokens in (window, self.window) if tokens is not None]
        if self.excess is not None and self.excess < count:
            return max(int((count - self.excess) * SAFETY_SHARE), 1)
        if not self.prompt or not bounds:  # 0 is said where it is not known
            return max(int(count * BLIND_SHARES[retries]), 1)
        budget = min(bounds) - output
        return max(min(int(count * SAFETY_SHARE * budget / self.prompt), count - 1), 1)


@dataclass(frozen=True)
class _Folder:
    """The fields of a reader that `Chat` needs."""

    model: str
    system: str | None = None
    chat: bool | None = None
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)


class Overlong(Unanswered):
    """A prompt that the server finds too long for its window; `over` is None where its words give no numbers."""

    def __init__(self, problem: str, over: Overrun | None) -> None:
        super().__init__(problem)
        self.over = over

    @classmethod
    def of(cls, problem: str, body: Any) -> "Overlong | None":
        """The error for a server's message and its JSON; None if the message is about something else."""
        over = overrun(problem, body)
        return cls(problem, over) if over is not None or _ABOUT.search(problem) else None


def advice(
    error: Unanswered, count: int, output: int, known_window: int | None, window: int | None, tokenizer: str | None
) -> str:
    """What to type after an error about a prompt over the window, with a limit that would fit; else "".

    The prompt counts `count` tokens here; `known_window` is the model's window where the error does not name it.
    """
    if not isinstance(error, Overlong):
        return ""
    if window is not None:
        return f" (give a smaller window={'' if tokenizer else ', or tokenizer=FOLDER of the served model'})"
    window = (error.over and error.over.window) or known_window
    if window is not None and window <= output:
        return f" (the longest output, {output} tokens, fills the window of {window}: lower max_new_tokens)"
    fits = "TOKENS" if error.over is None else str(error.over.limit(count, window, output, 0))
    return (
        f" (window={window or 'TOKENS'} cuts prompts so that they fit with output and chat template; "
        f"max_input_tokens={fits} bounds the prompt alone)"
    )


def overrun(message: str, body: Any = None) -> Overrun | None:
    """The numbers in an error about a prompt over the window; None for other errors.

    `body` is the error's record: llama.cpp's has the numbers in fields of their own.
    """
    fields = body.get("error", body) if isinstance(body, Mapping) else None
    if isinstance(fields, Mapping) and (tokens := whole_number(fields.get("n_prompt_tokens"))) is not None:
        return Overrun(tokens, whole_number(fields.get("n_ctx")))
    prompt, window = _first(_PROMPTS, message), _first(_WINDOWS, message)
    if prompt is not None and window is not None:
        return Overrun(prompt, window)
    if (excess := _first((_EXCESS,), message)) is not None:
        return Overrun(None, None, excess)
    return Overrun(None, window) if _LOWER_BOUND.search(message) and window is not None else None


def measured(path: Path, subwords: Subwords, system: str | None, extra: Mapping[str, Any]) -> int | None:
    """The tokens that a model folder's chat template puts around a prompt, the system message's among them.

    `extra` may hold `chat_template_kwargs`, as requests to a server do. None for a folder without a template.
    """
    if Chat.load(path, _Folder(path.name)) is None:
        return None
    chat = Chat.load(path, _Folder(path.name, system, chat_template_kwargs=extra.get("chat_template_kwargs") or {}))
    assert chat is not None
    around, inner = (len(subwords.encode(text).ids) for text in (chat.rendered("x"), "x"))
    return around - inner + SPARE


def _first(patterns: tuple[str, ...], message: str) -> int | None:
    matches = (re.search(pattern, message, re.IGNORECASE) for pattern in patterns)
    return next((int(match[1].replace(",", "")) for match in matches if match), None)
