"""Columns of a PDF's page: its pieces in the order in which a person reads them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pipelines.documents._pdf_words import CELLS, Piece, rows

LINES = 3  # of a column
WORDS = 3  # of most of its lines; a table has fewer in its cells
SHARE = 0.2  # of the page's width that a column takes
FULL = 0.6  # of its width that most of its lines take
SHORT_LINES = 5  # of a column whose lines are short
LEVEL, ALIGNED = 1.5, 0.2  # points within which lines are in one row, and the share of lines that may be by chance
DEEPEST = 4  # columns within columns


def blocks(pieces: Sequence[Piece], depth: int = 0) -> list[list[Piece]]:
    """The blocks of a page from the top: columns, and pieces across them; a page without columns is one block."""
    gutter = _gutter(pieces) if depth < DEEPEST else None
    if gutter is None:
        return [list(pieces)] if pieces else []
    across = sorted((piece for piece in pieces if _side(piece, gutter) is None), key=lambda piece: -piece.bottom)
    heights = [-piece.bottom for piece in across]
    bands: list[tuple[list[Piece], list[Piece]]] = [([], []) for _ in range(len(across) + 1)]
    for piece in pieces:
        side = _side(piece, gutter)
        if side is not None:
            bands[bisect_left(heights, -piece.bottom)][side].append(piece)
    page_blocks, crossing = list[list[Piece]](), list[Piece]()
    for number, (left, right) in enumerate(bands):
        if left or right:
            page_blocks += [crossing] if crossing else []
            crossing = []
            page_blocks += [*blocks(left, depth + 1), *blocks(right, depth + 1)]
        if number < len(across):
            crossing.append(across[number])
    return page_blocks + ([crossing] if crossing else [])


def _side(piece: Piece, gutter: float) -> int | None:
    """The side of a gutter: 0 left of it, 1 right of it, None across it."""
    if piece.right <= gutter + 1:
        return 0
    return 1 if piece.left >= gutter - 1 else None


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """The left edge of a second column, where many lines begin and few cross it; None where there is no such column."""
    edges = Counter(round(piece.left / 2) for piece in pieces)
    if len(pieces) < 2 * LINES or len(edges) < 2:
        return None
    width = max(piece.right for piece in pieces) - min(piece.left for piece in pieces)
    best: tuple[int, float] | None = None
    for edge, count in edges.items():
        gutter = edge * 2.0
        if count < LINES or (best is not None and gutter >= best[1] and best[0] == 0):
            continue
        sides = [_side(piece, gutter) for piece in pieces]
        left, right = (
            [piece for piece, side in zip(pieces, sides, strict=True) if side == number] for number in (0, 1)
        )
        across = len(pieces) - len(left) - len(right)
        is_better = best is None or (across, gutter) < best
        if is_better and across * 2 <= len(pieces) and _are_columns(left, right, width):
            best = across, gutter
    return best and best[1]


def _are_columns(left: Sequence[Piece], right: Sequence[Piece], width: float) -> bool:
    if min(len(left), len(right)) < LINES:
        return False
    low, high = min(piece.bottom for piece in left), max(piece.bottom for piece in left)
    beside_count = sum(low - piece.height <= piece.bottom <= high + piece.height for piece in right)
    sides = _lines(left), _lines(right)
    are_running = [_is_running(lines, width) for lines in sides]
    return beside_count * 2 >= len(right) and (all(are_running) or (any(are_running) and _are_apart(*sides)))


def _lines(column: Sequence[Piece]) -> list[Piece]:
    """The lines of a column, joined over the wide spaces between words of justified lines."""
    lines = list[Piece]()
    for row in rows(column):
        for number, piece in enumerate(sorted(row, key=lambda piece: piece.left)):
            if number and piece.left - lines[-1].right <= CELLS * piece.height:
                words = f"{lines[-1].text} {piece.text}"
                lines[-1] = replace(lines[-1], text=words, right=max(lines[-1].right, piece.right))
            else:
                lines.append(piece)
    return lines


def _is_running(lines: Sequence[Piece], width: float) -> bool:
    """Whether lines are running text: wide, and with several words."""
    widths = [line.right - line.left for line in lines]
    words = median(len(line.text.split()) for line in lines)
    return words >= WORDS and median(widths) >= max(SHARE * width, FULL * max(widths) * (len(lines) > LINES))


def _are_apart(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Whether the lines of two columns are mostly on different heights, as beside a margin with an address."""
    fewer, more = sorted((left, right), key=len)
    level_count = sum(any(abs(line.bottom - other.bottom) < LEVEL for other in more) for line in fewer)
    return len(fewer) >= SHORT_LINES and level_count <= len(fewer) * ALIGNED
