"""The tokens of prompts for a model behind an API: how they are counted, and how many the window leaves for one."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from longdoc.optional import check
from models import hub
from models.apis.accounting import context_window
from models.apis.accounting.server_tokens import ServerTokens
from models.apis.accounting.token_estimate import estimates
from models.reader import StreamingReader
from models.tokenizer import Subwords
from models.truncation import Edges, word_ends


class TokenBudget(StreamingReader):
    """Counts tokens by `tokenizer`, else as the server does, else estimates them.

    `context_window` holds prompt, chat template and output together: `window`, or the server's where that is smaller.
    """

    system: str | None
    window: int | None
    tokenizer: str | None
    extra: Mapping[str, Any]

    @cached_property
    def _subwords(self) -> Subwords | None:
        return Subwords.load(self._folder) if self._folder else None

    @cached_property
    def _folder(self) -> Path | None:
        if self.tokenizer is None:
            return None
        check(("tokenizers", "transformers"), "neural", f"tokenizer={self.tokenizer!r}")  # before it is downloaded
        return hub.folder(self.tokenizer, weights=False).path

    @property
    def served_window(self) -> int | None:
        """The window that the server says it has; None where it says none."""
        return None

    @property
    def context_window(self) -> int | None:
        """The context window that prompts are cut to; None: they are not cut."""
        return min((window for window in (self.window, self.served_window) if window is not None), default=None)

    @property
    def _server_tokens(self) -> ServerTokens | None:
        """The server's tokenizer, where it has one and no other was given."""
        return None

    @property
    def _counts_exactly(self) -> bool:
        return self._subwords is not None or self._server_tokens is not None

    @property
    def template_tokens(self) -> int:
        """Tokens reserved in the window for the chat template and the system message."""
        if self._measured_template is not None:
            return self._measured_template
        if (tokens := self._server_tokens) is not None and (framed := self.framed_tokens("x")) is not None:
            return framed - tokens.count(["x"])[0]
        return context_window.TEMPLATE + self.count([self.system or ""])[0]

    @cached_property
    def _measured_template(self) -> int | None:
        if self._folder is None or self._subwords is None:
            return None
        return context_window.measured(self._folder, self._subwords, self.system, self.extra)

    def framed_tokens(self, text: str) -> int | None:
        """The tokens that the server reads of a prompt, chat template included; None where it does not count them."""
        return None

    def prompt_limit(self, max_new_tokens: int) -> int | None:
        """The most tokens of a prompt with an answer of so many behind it, None for no bound; below 1: no room.

        Answer, thinking and template are taken off the window; where tokens are estimated, a fifth of the rest is left
        free.
        """
        if self.context_window is None:
            return self.max_input_tokens
        budget = self.context_window - max_new_tokens - self.thinking_tokens - self.template_tokens
        budget = budget if self._counts_exactly else math.floor(context_window.ESTIMATED * budget)
        return budget if self.max_input_tokens is None else min(budget, self.max_input_tokens)

    def no_room_message(self, max_new_tokens: int) -> str:
        """The error for an output that leaves no room for a prompt."""
        output, hint = f"an output of {max_new_tokens} tokens", "lower max_new_tokens"
        if self.thinking_tokens:
            output, hint = f"{output}, thinking={self.thinking_tokens}", f"{hint} or thinking"
        problem = f"{output} and {self.template_tokens} for the chat template"
        return f"{problem} fill the window of {self.context_window}, which holds the prompt too: {hint}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by `tokenizer` or the server; without both an estimate (`token_estimate`).

        Raises `CountError` where the server, which counted before, does not answer.
        """
        if self._subwords is not None:
            return self._subwords.count(texts)
        return estimates(texts) if (tokens := self._server_tokens) is None else tokens.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """The ends of a text's tokens by `tokenizer` or the server; without both, the ends of its words."""
        if self._subwords is not None:
            return self._subwords.ends(text)
        ends = None if (tokens := self._server_tokens) is None else tokens.ends(text)
        return word_ends(text) if ends is None else ends

    @property
    def edges(self) -> Edges | None:
        """`tokenizer`, None without one."""
        return self._subwords
