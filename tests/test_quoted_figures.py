"""Figures that README and docs quote from a benchmark are in its section of RESULTS.md.

Under a heading that names `benchmarks.NAME` or "section NAME", numbers with decimals, a unit or an interval are
looked for in that section: intervals exactly as printed there, other numbers rounded as quoted.
"""

import re
from collections.abc import Iterator

import pytest

from benchmarks.check import sections
from tests.documents import ROOT

PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
FIGURE = re.compile(
    r"(?<![\w.])\d[\d,]*\.\d+(?: \[[^\]]*\]\*?)?(?![\w.]*\w)"
    r"|\b\d[\d,]*(?=(?: to \d+)? (?:%|times|ms|s|kB|MB|GB)(?!\w)|%)"
)
EXAMPLE = re.compile(r'^ *```.*?^ *```|^    longdoc: [^\n]*$|"[^"\n]*"', re.MULTILINE | re.DOTALL)
UNMEASURED = {  # prices, published figures and times that no script of ours measures
    "docs/benchmarks/financebench.md": {"0.84", "0.1"},
}


def measured() -> dict[str, str]:
    """The text of each script's sections in RESULTS.md, by script."""
    texts: dict[str, str] = {}
    for section in sections((ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")):
        texts[section.module] = texts.get(section.module, "") + re.sub(r"[\\*]{2}|\\", "", section.text)
    return texts


def quoted(page: str, scripts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The figures of a page, each with the sections of the scripts that are named under the same heading."""
    for part in re.split(r"^#+ ", EXAMPLE.sub("", page), flags=re.MULTILINE):
        names = set(re.findall(r"(?:benchmarks[./]|section )`?(\w+)", part)) & scripts.keys()
        if names:
            yield from ((figure, "".join(scripts[name] for name in sorted(names))) for figure in FIGURE.findall(part))


def stands_in(figure: str, text: str) -> bool:
    """Whether a text has a figure, with as many decimals or more."""
    if "[" in figure:
        return figure in text
    number = figure.replace(",", "")
    decimals = len(number.partition(".")[2])
    return any(
        f"{float(measured.replace(',', '')):.{decimals}f}" == number
        for measured in re.findall(r"\d[\d,]*(?:\.\d+)?", text)
    )


@pytest.mark.parametrize("page", ["README.md", "docs"])
def test_quoted_figures_are_the_measured_ones(page: str) -> None:
    scripts = measured()
    for name in (name for name in PAGES if name.startswith(page)):
        figures = list(quoted((ROOT / name).read_text(encoding="utf-8"), scripts))
        missing = [figure for figure, text in figures if not stands_in(figure, text)]
        assert set(missing) == UNMEASURED.get(name, set()), name


def test_the_readme_and_the_page_of_results_quote_many_figures() -> None:
    scripts = measured()
    counts = [len(list(quoted((ROOT / page).read_text("utf-8"), scripts))) for page in ("README.md", "docs/results.md")]
    assert counts[0] > 10 and counts[1] > 100


def test_a_figure_that_was_not_measured_is_found() -> None:
    page = "## A\n\n1.5 s, not by us.\n\n## B\n\n`benchmarks.one`: 4.7 times, 90.31 [1.00, 2.00], 12 ms, 35 words.\n"
    scripts = {"one": "| 4.651 | 90.31 [1.00, 2.00] |", "two": "12"}
    assert [(figure, stands_in(figure, text)) for figure, text in quoted(page, scripts)] == [
        ("4.7", True), ("90.31 [1.00, 2.00]", True), ("12", False),
    ]  # fmt: skip
    assert not stands_in("4.6", scripts["one"]) and not stands_in("90.31 [1.00, 2.01]", scripts["one"])
