"""Text of others on a terminal: it must not move the cursor, ring the bell, rename the window or reorder a line."""

import re
import sys

# C0 and C1 controls, halves of surrogate pairs, line and paragraph separators, what overrides or embeds a direction
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with control characters as symbols: `␛[2J` clears nothing. Line ends (`\\n`) and tabs stay.

    Right-to-left text and emoji stay, too; what overrides or embeds a direction, C1 controls and lone surrogates become
    `\\u202e` and the like.
    """
    return _CONTROL.sub(_symbol, text.replace("\r\n", "\n"))


def note(text: object) -> None:
    """Print "longdoc: " and a line on stderr, whatever names and messages of others are in it."""
    print(f"longdoc: {visible(' '.join(str(text).split()))}", file=sys.stderr)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the block "control pictures" is in ASCII's order
    return "␡" if code == 0x7F else f"\\u{code:04x}"
