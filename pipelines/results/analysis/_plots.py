"""The two plots of analyses: bars and boxes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipelines.results.analysis._numbers import Histogram
from pipelines.results.display.plot_style import COLOURS, axes, words


def histogram(path: Path, bars: Histogram, title: str, label: str) -> None:
    """Bars of one width, each under its bin."""
    with axes(path, (6.0, 3.0), title) as drawn:
        drawn.bar(range(len(bars.counts)), bars.counts, width=1.0, align="edge", color=COLOURS[0], edgecolor="white")
        drawn.set_xticks(range(len(bars.edges)), [f"{edge:,.0f}" for edge in bars.edges], rotation=45, ha="right")
        drawn.set_xlabel(words(label))
        drawn.set_ylabel("outputs")


def boxes(path: Path, rows: Mapping[str, Sequence[float]], title: str, label: str) -> None:
    """One box a row on a logarithmic scale: quartiles, whiskers from 5% to 95%; a row without numbers is left out."""
    filled = {name: [max(value, 1.0) for value in values] for name, values in rows.items() if values}
    with axes(path, (6.0, 1.0 + 0.5 * len(filled)), title) as drawn:
        drawn.boxplot(list(filled.values()), orientation="horizontal", whis=(5, 95), showfliers=False, widths=0.6,
                      medianprops={"color": COLOURS[0]})  # fmt: skip
        drawn.set_yticks(range(1, len(filled) + 1), [words(name) for name in filled])
        drawn.invert_yaxis()
        drawn.set_xscale("log")
        drawn.set_xlabel(words(label))
