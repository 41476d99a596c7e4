"""The picture of the packages, drawn from the layers in pyproject.toml and from the imports in the code.

A box is a package or module on its layer; a line leads to each of the three that most of its files import from, the
broader the more of them do; lines to `longdoc`, which all import, are left out. The contracts that `make lint` checks
say that lines only lead down.
"""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH, ROW, HEIGHT, GAP, SHIFT = 760, 46, 28, 60, 150  # of the picture, a layer, a box, between and beside boxes
LINES, GROUND = 3, "longdoc"  # that leave a box; what all import
LETTER = 8.2  # width of a letter


def picture() -> str:
    """The picture as SVG, which Markdown passes on as it is."""
    places = {name: place for number, layer in enumerate(layers()) for name, place in _row(layer, number)}
    edges = [edge for name in places for edge in _edges(name, places)]
    size = f'viewBox="0 0 {WIDTH} {ROW * len(layers())}" width="100%"'
    style = 'style="max-width:48rem;font:13px sans-serif" role="img" aria-label="The packages and what they import"'
    return "\n".join(
        [f"<svg {size} {style}>", *edges, *(_box(name, *place) for name, place in places.items()), "</svg>"]
    )


@cache
def layers() -> list[list[str]]:
    """The names on each layer, from the top down: those inside pipelines, then the other packages."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    by_name = {contract["name"]: contract["layers"] for contract in settings["contracts"] if "layers" in contract}
    inside = [[f"pipelines.{name}" for name in _names(layer)] for layer in by_name["the layers inside pipelines"]]
    return [*inside, *([name] for name in by_name["the layers of the packages"] if name != "pipelines")]


def _names(layer: str) -> list[str]:
    return [name.strip(" ()") for name in layer.split("|")]


@cache
def files() -> dict[str, int]:
    """How many files each box has."""
    return Counter(box for path in _sources() if (box := _box_of(_module(path))))


@cache
def imports() -> Counter[tuple[str, str]]:
    """How many files of one box import from another."""
    pairs = {(path, importing, _box_of(name)) for path in _sources() for name in _imported(path)
             if (importing := _box_of(_module(path)))}  # fmt: skip
    return Counter((importing, other) for _, importing, other in pairs if other and other != importing)


def _sources() -> Iterator[Path]:
    for package in ("longdoc", "chunkers", "models", "retrievers", "pipelines"):
        yield from sorted((ROOT / package).rglob("*.py"))


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _imported(path: Path) -> Iterator[str]:
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements but those for type checkers alone, which import-linter leaves out, too."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield node
            waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def _box_of(module: str) -> str | None:
    parts = module.split(".")
    return next((name for name in (".".join(parts[:2]), parts[0]) if name in _boxes()), None)


@cache
def _boxes() -> frozenset[str]:
    return frozenset(name for layer in layers() for name in layer)


def _row(layer: list[str], number: int) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Each name of a layer with its left edge, top and width."""
    widths = [LETTER * len(_label(name)) + 20 for name in layer]
    shift = SHIFT * (-1) ** number if len(layer) == 1 else 0  # that a line may pass beside a box
    left = (WIDTH - sum(widths) - GAP * (len(layer) - 1)) / 2 + shift
    for name, width in zip(layer, widths, strict=True):
        yield name, (left, number * ROW + 4, width)
        left += width + GAP


def _label(name: str) -> str:
    count = files().get(name, 1)
    return f"{name.removeprefix('pipelines.')} · {count}"


def _edges(name: str, places: dict[str, tuple[float, float, float]]) -> Iterator[str]:
    left, top, width = places[name]
    targets = Counter(
        {other: count for (importing, other), count in imports().items() if importing == name != other != GROUND}
    )
    for other, count in targets.most_common(LINES):
        x, y, other_width = places[other]
        start, end = (left + width / 2, top + HEIGHT), (x + other_width / 2, y)
        middle = (start[1] + end[1]) / 2
        points = [start, (start[0], middle), (end[0], middle), end]
        curve = "M{} C{} {} {}".format(*(f"{across:.0f} {down:.0f}" for across, down in points))
        broad = 1 + 3 * count / max(files()[name], 1)
        title = f"<title>{count} files of {escape(name)} import from {escape(other)}</title>"
        line = f'fill="none" stroke="currentColor" opacity=".3" stroke-width="{broad:.1f}"'
        yield f'<path d="{curve}" {line}>{title}</path>'


def _box(name: str, left: float, top: float, width: float) -> str:
    frame = f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="4"'
    fill = 'style="fill:var(--md-default-bg-color,#fff)" stroke="currentColor"/>'
    middle = f'x="{left + width / 2:.0f}" y="{top + HEIGHT / 2 + 4:.0f}" text-anchor="middle" fill="currentColor"'
    return f"{frame} {fill}<text {middle}>{escape(_label(name))}</text>"
