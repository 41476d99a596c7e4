"""The one style of all plots, and how they are written: PNG, SVG or PDF. Needs matplotlib, the extra `plots`.

The colours are those that Paul Tol chose for colour-blind readers (SRON technical note 18-002, "bright"); markers
differ too, so that the lines can be distinguished in a plot printed in grey.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from longdoc.errors import UserError
from longdoc.files import write_pieces
from longdoc.optional import need

FORMATS = (".png", ".svg", ".pdf")
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#222222")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#bbbbbb"
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.0,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "figure.dpi": 150.0,
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,
    "svg.hashsalt": "longdoc",  # the same numbers give the same bytes
}
UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def check(path: Path) -> None:
    """Raise `UserError` if a plot cannot be written to `path`: wrong ending, no folder, no matplotlib."""
    if path.suffix.lower() not in FORMATS:
        raise UserError(f"the name of a plot must end in {', '.join(FORMATS)}, got {path.name!r}")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent} for the plot {path.name}: make it, or name another place")
    need("matplotlib", "plots", "a plot")


def words(text: str) -> str:
    """The text with its dollar signs escaped, which start formulas in matplotlib."""
    return text.replace("$", r"\$")


@contextmanager
def axes(path: Path, size: tuple[float, float], title: str) -> Iterator[Any]:
    """Axes in this style, `size` in inches; the plot is written to `path` at the end. Raises `UserError`."""
    check(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(cast(Any, STYLE)):
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        ax.set_title(words(title))
        yield ax
        buffer = BytesIO()
        figure.savefig(buffer, format=path.suffix[1:].lower(), metadata=UNDATED.get(path.suffix.lower()))
        write_pieces(path.parent, path.name, [buffer.getvalue()], is_typed=True)
