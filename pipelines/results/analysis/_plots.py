"""The two plots of analyses: a histogram and box plots."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipelines.display.plot_style import COLOURS, axes, words
from pipelines.results.analysis._numbers import Histogram


def histogram(path: Path, bars: Histogram, title: str, label: str) -> None:
    """Bars of equal width, one for each bin."""
    with axes(path, (6.0, 3.0), title) as ax:
        ax.bar(range(len(bars.counts)), bars.counts, width=1.0, align="edge", color=COLOURS[0], edgecolor="white")
        ax.set_xticks(range(len(bars.edges)), [f"{edge:,.0f}" for edge in bars.edges], rotation=45, ha="right")
        ax.set_xlabel(words(label))
        ax.set_ylabel("outputs")


def boxes(path: Path, rows: Mapping[str, Sequence[float]], title: str, label: str) -> None:
    """One box per row on a logarithmic scale: quartiles, whiskers from 5% to 95%; rows without numbers are left out."""
    filled_rows = {name: [max(value, 1.0) for value in values] for name, values in rows.items() if values}
    with axes(path, (6.0, 1.0 + 0.5 * len(filled_rows)), title) as ax:
        ax.boxplot(list(filled_rows.values()), orientation="horizontal", whis=(5, 95), showfliers=False, widths=0.6,
                      medianprops={"color": COLOURS[0]})  # fmt: skip
        ax.set_yticks(range(1, len(filled_rows) + 1), [words(name) for name in filled_rows])
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.set_xlabel(words(label))
