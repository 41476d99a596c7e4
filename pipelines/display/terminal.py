"""The console that everything is printed on: tables and colours on a terminal, plain text elsewhere.

`NO_COLOR` (no-color.org) removes every escape sequence, `FORCE_COLOR` keeps them in a pipe, and `TERM=dumb` counts as a
pipe; rich decides the rest. Text from documents and models goes through `visible` first: it must not move the cursor,
ring the bell or rename the window.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longdoc.messages import visible as visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# the others are escaped by JSON itself
_JSON_PATTERN = re.compile(r"[\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables that make rich take a pipe for a terminal


def console(stderr: bool = False) -> "Console":
    """A console for the current stdout or stderr that prints text as it is: no markup, emoji codes or highlighting."""
    from rich.console import Console

    colours = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, color_system=colours, markup=False, emoji=False, highlight=False)  # type: ignore[arg-type]


def is_plain() -> bool:
    """Whether stdout gets plain text, as it is a pipe, a file or a dumb terminal."""
    if not (sys.stdout.isatty() or any(os.environ.get(name) for name in _FORCING)):
        return True  # without importing rich, which takes 35 ms
    stdout = console()
    return not stdout.is_terminal or stdout.is_dumb_terminal


def coloured() -> bool:
    """Whether stdout shows colours, bold and underlined text."""
    return not is_plain() and console().color_system is not None


def progress_bar(before: str, after: str, left: str = "") -> Any:
    """A progress bar on stderr, "{before} ━━━ 3/10 {after} 0:01:20", that disappears when it is stopped.

    None if stderr is not a terminal, or cannot move its cursor. The texts may name fields of the bar's task:
    `{task.fields[speed]}`. `left` replaces the time left, which rich estimates from the steps.
    """
    if not sys.stderr.isatty():
        return None
    stderr = console(stderr=True)
    if stderr.is_dumb_terminal:
        return None
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    time_left = TextColumn(left) if left else TimeRemainingColumn()
    columns = (TextColumn(before), BarColumn(), MofNCompleteColumn(), TextColumn(after), time_left)
    return Progress(*columns, console=stderr, transient=True)


def draw(renderable: "RenderableType") -> None:
    """Print a table or styled text on stdout, wrapped at the terminal's width, nothing cut off."""
    console().print(renderable, crop=False)


def unbroken(line: str, style: str = "") -> "RenderableType":
    """A line that users copy (a path, a command), without control characters; only the terminal itself wraps it.

    Wrapped between words, as prose is, it would be copied as two lines.
    """
    from rich.console import Group
    from rich.text import Text

    # in a group: texts that `Console.print` gets by themselves are joined, and lose how they break
    return Group(Text(visible(line), style=style, no_wrap=True, overflow="ignore"))


def warn(text: str) -> None:
    """Print a warning on stderr, in yellow on a terminal."""
    line, stderr = f"warning: {visible(text)}", console(stderr=True)
    if not stderr.is_terminal or stderr.is_dumb_terminal:
        print(line, file=sys.stderr)
    else:
        stderr.print(line, style="yellow")


def visible_values(value: Any) -> Any:
    """`visible` applied to all text in nested mappings and lists."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible_values(key): visible_values(item) for key, item in value.items()}
    return [visible_values(item) for item in value] if isinstance(value, (list, tuple)) else value


def to_json(value: Any) -> str:
    """Indented JSON: text as it is, except characters that would control a terminal."""
    json_text = json.dumps(value, indent=2, ensure_ascii=False)
    return _JSON_PATTERN.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)
