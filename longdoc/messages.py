"""Texts for users: other people's texts made safe for a terminal, counts with nouns, progress lines in logs."""

import re
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger

# C0 and C1 controls, halves of surrogate pairs, line and paragraph separators, what overrides or embeds a direction
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with control characters as symbols: `␛[2J` clears nothing. Line ends (`\\n`) and tabs stay.

    Right-to-left text and emoji stay, too; overrides of the direction, C1 controls and lone surrogates become
    `\\u202e` and the like.
    """
    return _CONTROL.sub(_symbol, text.replace("\r\n", "\n"))


def note(text: object) -> None:
    """Print "longdoc: " and a text on one line of stderr, without control characters."""
    print(f"longdoc: {visible(' '.join(str(text).split()))}", file=sys.stderr)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the block "control pictures" is in ASCII's order
    return "␡" if code == 0x7F else f"\\u{code:04x}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """The number with its noun: `1 run`, `1,200 runs`; `plural` if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


INTERVAL = 60.0  # seconds


class LogLines:
    """Logs a line at most every `interval` seconds, the first one after that time.

    Lines have the level INFO; `logging.basicConfig(level=logging.INFO)` shows them, and the command line does.
    """

    def __init__(
        self, logger: "Logger", clock: Callable[[], float] = time.monotonic, interval: float = INTERVAL
    ) -> None:
        self._logger, self._clock, self._interval = logger, clock, interval
        self._last = clock()

    def say(self, line: Callable[[], str]) -> None:
        """Log a line if it is time for one; `line` is only called then."""
        now = self._clock()
        if now - self._last >= self._interval:
            self._last = now
            self._logger.info("%s", line())
