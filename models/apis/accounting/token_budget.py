"""The tokens of prompts for a model behind an API: how they are counted, and how many the window leaves for one."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from longdoc.optional import check
from models import hub
from models.apis.accounting import context_window
from models.apis.accounting.token_estimate import estimates
from models.reader import StreamingReader
from models.tokenizer import Subwords
from models.truncation import Edges, word_ends


class TokenBudget(StreamingReader):
    """Counts tokens by `tokenizer`, or estimates them; `window` holds prompt, chat template and output together."""

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

    @cached_property
    def template_tokens(self) -> int:
        """What is left in the window for the chat template and the system message."""
        if self._folder is not None and self._subwords is not None:
            count = context_window.measured(self._folder, self._subwords, self.system, self.extra)
            if count is not None:
                return count
        return context_window.TEMPLATE + self.count([self.system or ""])[0]

    def prompt_limit(self, max_new_tokens: int) -> int | None:
        """The most tokens of a prompt with an answer of so many behind it, None for no bound; below 1: no room.

        Answer, thinking and template are taken off the window; where tokens are estimated, a fifth of the rest is left
        free.
        """
        if self.window is None:
            return self.max_input_tokens
        budget = self.window - max_new_tokens - self.thinking_tokens - self.template_tokens
        budget = budget if self._subwords is not None else math.floor(context_window.ESTIMATED * budget)
        return budget if self.max_input_tokens is None else min(budget, self.max_input_tokens)

    def no_room_message(self, max_new_tokens: int) -> str:
        """What to say where the window is full without a prompt."""
        output, hint = f"an output of {max_new_tokens} tokens", "lower max_new_tokens"
        if self.thinking_tokens:
            output, hint = f"{output}, thinking={self.thinking_tokens}", f"{hint} or thinking"
        problem = f"{output} and {self.template_tokens} for the chat template"
        return f"{problem} fill the window of {self.window}, which holds the prompt too: {hint}"

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by `tokenizer`; without one an estimate (`_token_estimate`)."""
        if self._subwords is not None:
            return self._subwords.count(texts)
        return estimates(texts)

    def token_ends(self, text: str) -> list[int]:
        """Where the tokens of a text end by `tokenizer`; without one the ends of its words."""
        return word_ends(text) if self._subwords is None else self._subwords.ends(text)

    @property
    def edges(self) -> Edges | None:
        """`tokenizer`, None without one."""
        return self._subwords
