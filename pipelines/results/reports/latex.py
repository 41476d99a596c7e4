r"""A report as a LaTeX table with the rules of booktabs; `\usepackage{booktabs}` is all it needs.

Letters that pdfLaTeX has no glyph of (Chinese, Cyrillic …) are left as they are: XeLaTeX and LuaLaTeX set them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from longdoc.errors import UserError
from pipelines.results.comparisons.summary import BOUNDS
from pipelines.results.display import numbers
from pipelines.results.display.table import Entry, Gap, Score
from pipelines.results.reports._table import table
from pipelines.results.reports.content import Content

LINE = 60  # letters of a table that fit a line of text; wider ones are set smaller
Bounds = Literal["brackets", "margin", "none"]
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "–": "--", "—": "---", "…": r"\ldots{}", "→": r"$\rightarrow$", "Δ": r"$\Delta$", "±": r"$\pm$",
    "×": r"$\times$", "−": "$-$", "\ufffd": "?",
}  # fmt: skip
_SPECIAL = re.compile("[" + re.escape("".join(_SIGNS)) + "]|-(?=-)")


def text(
    content: Content,
    figures: Sequence[str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    bounds: Bounds = "brackets",
    second: bool = False,
) -> str:
    """A `table` environment: the best figure of each column in bold, the signatures as notes below.

    `bounds` says how intervals are written: `[low, high]`, ± half their width, or not; `second` underlines the second
    best; `caption` is plain text, `label` what `\\ref` takes. Raises `UserError` for an unknown figure or bounds.
    """
    if bounds not in ("brackets", "margin", "none"):
        raise UserError(f"bounds are brackets, margin or none, not {bounds!r}")
    shown = table(content, figures)
    sides = "".join("r" if column in shown.right else "l" for column in range(len(shown.columns)))
    name = label if label is not None else "tab:" + re.sub(r"[^a-z0-9]+", "-", shown.caption.lower()).strip("-")
    if re.search(r"[^\w:.+/ -]", name):
        raise UserError(f"a label is letters, digits and :._+/-, not {name!r}")
    heads = [escaped(one) for one in shown.columns]
    body = [[_entry(entry, bounds, second) for entry in row] for row in shown.rows]
    lines = [
        r"\begin{table}[tb]",
        r"\centering",
        rf"\caption{{{escaped(caption or shown.caption)}}}",
        rf"\label{{{name}}}",
        *([r"\footnotesize\setlength{\tabcolsep}{3pt}"] if _width([heads, *body]) > LINE else []),
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _row(heads),
        r"\midrule",
        *map(_row, body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    notes = list(_notes(shown.notes, bounds))
    if notes:
        lines += [r"\par\smallskip", r"\begin{minipage}{\linewidth}", r"\footnotesize\raggedright"]
        lines += [_breakable(escaped(note)) + r"\par" for note in notes] + [r"\end{minipage}"]
    return "\n".join([r"% needs \usepackage{booktabs}", *lines, r"\end{table}"]) + "\n"


def escaped(value: str) -> str:
    """The text as it is to be read: no sign in it is LaTeX's, no two of them join."""
    return _SPECIAL.sub(lambda found: _SIGNS.get(found[0], "-{}"), value)


def _notes(notes: Sequence[str], bounds: Bounds) -> Iterator[str]:
    """The notes, that on intervals as they are written here."""
    for note in notes:
        if not note.startswith(BOUNDS):
            yield note
        elif bounds != "none":
            yield note if bounds == "brackets" else "± half of a" + note.removeprefix(f"{BOUNDS}:")


def _width(rows: Sequence[Sequence[str]]) -> int:
    """About how many letters the columns take side by side, commands and the space between columns apart."""
    return sum(max(len(re.sub(r"\\\w+|[${}]", "", entry)) for entry in column) for column in zip(*rows, strict=True))


def _row(entries: Sequence[str]) -> str:
    return " & ".join(entries) + r" \\"


def _entry(entry: Entry, bounds: Bounds, second: bool) -> str:
    if isinstance(entry, Gap):
        return f"{_minus(numbers.difference(entry.value))} ({_p(entry.p)})"
    if not isinstance(entry, Score):
        return escaped(entry)
    figure = numbers.figure(entry.value)
    if entry.rank == 1:
        figure = rf"\textbf{{{figure}}}"
    elif entry.rank == 2 and second:
        figure = rf"\underline{{{figure}}}"
    if entry.low is None or entry.high is None or bounds == "none":
        return figure
    if bounds == "margin":
        return rf"{figure} $\pm$ {numbers.margin(entry.low, entry.high).removeprefix('±')}"
    return f"{figure} {numbers.interval(entry.low, entry.high)}"


def _minus(number: str) -> str:
    """With a sign of mathematics: a bare hyphen is no minus."""
    return f"${number[0]}${number[1:]}" if number[0] in "+-" else number


def _p(p: float) -> str:
    return f"${numbers.p_value(p)}$"


def _breakable(note: str) -> str:
    """A signature has no spaces: it may break behind its bars."""
    return note.replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
