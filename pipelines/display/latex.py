r"""A table in LaTeX with the rules of booktabs; `\usepackage{booktabs}` is all it needs.

Letters for which pdfLaTeX has no glyph (Chinese, Cyrillic …) are left as they are, for XeLaTeX and LuaLaTeX.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from longdoc.errors import UserError
from pipelines.display import numbers
from pipelines.display.interval_notes import BOUNDS
from pipelines.display.table import Delta, Entry, Score, Table
from pipelines.display.view import NOT_COMPARABLE
from pipelines.statistics.intervals import NO_INTERVAL

LINE = 60  # characters of a row that fit the text width; wider tables are set in a smaller size
Bounds = Literal["brackets", "margin", "none"]
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "–": "--", "—": "---", "…": r"\ldots{}", "→": r"$\rightarrow$", "Δ": r"$\Delta$", "±": r"$\pm$",
    "×": r"$\times$", "−": "$-$", "\ufffd": "?",
}  # fmt: skip
_SPECIAL = re.compile("[" + re.escape("".join(_SIGNS)) + "]|-(?=-)")


def table_latex(
    table: Table,
    caption: str | None = None,
    label: str | None = None,
    bounds: Bounds = "brackets",
    second: bool = False,
) -> str:
    """A `table` environment: the best score of each column in bold, the signatures as notes below.

    Warnings, failures and the names of hidden scores are comments above the table. `bounds` says how intervals are
    written: `[low, high]`, ± half their width, or not at all; `second` underlines the second best; `caption` is plain
    text, `label` is for `\\ref`. Raises `UserError` for an invalid label or bounds.
    """
    if bounds not in ("brackets", "margin", "none"):
        raise UserError(f"bounds must be brackets, margin or none, got {bounds!r}")
    alignments = "".join(column.align[0] for column in table.columns)
    name = label if label is not None else "tab:" + re.sub(r"[^a-z0-9]+", "-", table.caption.lower()).strip("-")
    if re.search(r"[^\w:.+/ -]", name):
        raise UserError(f"a label may have letters, digits and :._+/-, got {name!r}")
    headings = [escaped(column.name) for column in table.columns]
    body = [[_entry(entry, bounds, second) for entry in row] for row in table.entries]
    lines = [
        r"\begin{table}[tb]",
        r"\centering",
        rf"\caption{{{escaped(caption or table.caption)}}}",
        rf"\label{{{name}}}",
        *([r"\footnotesize\setlength{\tabcolsep}{3pt}"] if _width([headings, *body]) > LINE else []),
        rf"\begin{{tabular}}{{{alignments}}}",
        r"\toprule",
        _row(headings),
        r"\midrule",
        *map(_row, body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    printed_notes = [note for note in table.notes if not _for_the_author(note)]
    comments = [f"% {numbers.line(note)}" for note in table.notes if _for_the_author(note)]
    notes = list(_notes(printed_notes, bounds))
    if notes:
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\footnotesize\raggedright"]
        lines += [_breakable(escaped(note)) + r"\par" for note in notes] + [r"\end{minipage}"]
    return "\n".join([r"% needs \usepackage{booktabs}", *comments, *lines, r"\end{table}"]) + "\n"


def _for_the_author(note: str) -> bool:
    """Whether a note is about how the table was made, and not about its numbers."""
    return note.startswith(("warning: ", "failed: ", "not shown: ", NOT_COMPARABLE)) or " not computed" in note


def escaped(value: str) -> str:
    """The text with all characters escaped that are special to LaTeX or form ligatures."""
    return _SPECIAL.sub(lambda match: _SIGNS.get(match[0], "-{}"), value)


def _notes(notes: Sequence[str], bounds: Bounds) -> Iterator[str]:
    """The notes, those on intervals as `bounds` requires."""
    for note in notes:
        if bounds == "none" and (note.startswith((BOUNDS, f"{numbers.FEW_MARK} ")) or NO_INTERVAL in note):
            continue
        is_method = bounds == "margin" and note.startswith(BOUNDS)
        yield "± half of a" + note.removeprefix(f"{BOUNDS}:") if is_method else note


def _width(rows: Sequence[Sequence[str]]) -> int:
    """The approximate number of characters of a row, without LaTeX commands."""
    return sum(max(len(re.sub(r"\\\w+|[${}]", "", entry)) for entry in column) for column in zip(*rows, strict=True))


def _row(entries: Sequence[str]) -> str:
    return " & ".join(entries) + r" \\"


def _entry(entry: Entry, bounds: Bounds, second: bool) -> str:
    if isinstance(entry, Delta):
        return _minus(numbers.difference(entry.value)) + (f" ({_p(entry.p)})" if entry.shows_p else "")
    if not isinstance(entry, Score):
        return escaped(entry)
    score = numbers.score(entry.value)
    if entry.rank == 1:
        score = rf"\textbf{{{score}}}"
    elif entry.rank == 2 and second:
        score = rf"\underline{{{score}}}"
    if entry.low is None or entry.high is None or bounds == "none":
        return score
    if bounds == "margin":
        return rf"{score} $\pm$ {numbers.margin(entry.low, entry.high, entry.few).removeprefix('±')}"
    return f"{score} {numbers.interval(entry.low, entry.high, entry.few)}"


def _minus(number: str) -> str:
    """The number with its sign in math mode, where a hyphen is a minus."""
    return f"${number[0]}${number[1:]}" if number[0] in "+-" else number


def _p(p: float) -> str:
    return f"${numbers.p_value(p)}$"


def _breakable(note: str) -> str:
    """The note with line breaks allowed after bars: a signature has no spaces."""
    return note.replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
