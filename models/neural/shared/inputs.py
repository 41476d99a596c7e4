"""What encoder-decoder networks read: token ids of prompts, alone or as several windows, and of continuations."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A prompt's token ids, and for each whether it attends to all others (models with global attention; else None)."""

    ids: list[int]
    attends_to_all: list[bool] | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A continuation: the special tokens that stand before it on the decoder's side, and its own tokens."""

    prefix: list[int]
    ids: list[int]


@dataclass(frozen=True, slots=True)
class Window:
    """What is encoded at once, and the stretch (start, end) of its tokens whose states are used."""

    source: Source
    used: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fused:
    """Windows whose states the decoder sees as one; `budget`: padded tokens encoded together (None: one window).

    `tokens` is how many tokens of text the decoder sees, special ones left out.
    """

    windows: tuple[Window, ...]
    budget: int | None
    tokens: int

    @property
    def ids(self) -> list[int]:
        """The tokens whose states are used."""
        return [token for window in self.windows for token in window.source.ids[slice(*window.used)]]
