"""A text that is longer than an encoder's limit, in windows that are as long as the limit allows.

Windows instead of a cut, and the best window for the whole, is what Dai & Callan 2019, "Deeper Text Understanding for
IR with Contextual Neural Language Modeling", section 3, call MaxP. Their windows of 150 words overlap by half; here
neighbours share `OVERLAP` of a window at least. The windows are spread evenly from the beginning of the text to its
end, so none is a mere rest. (Halves instead of windows of full length put more long passages among the best of twelve
questions on two QMSum meetings, and evidence recall was 44.1 instead of 48.8; `long="cut"` had 51.0.)
"""

from collections.abc import Callable, Sequence

Span = tuple[int, int]
Fits = Callable[[Sequence[str]], bool]

OVERLAP = 1 / 8  # of a window's tokens
NEAR = 16  # tokens that an edge moves at most to stand between words


def windows(text: str, places: Sequence[Span], budget: int, fits: Fits) -> tuple[Span, ...]:
    """Spans of `text` that cover it, each within `budget` tokens as `fits` finds it when it is encoded by itself.

    `places` are the tokens' (start, end) in the text, more than `budget` of them. Edges stand before words where one
    begins near; a window that is encoded by itself may have other tokens than it has within the text, and where it
    then has too many, all are shorter.
    """
    near = min(NEAR, budget // 8)
    width = budget - 2 * near
    while True:
        spans = _spread(text, places, width, min(round(budget * OVERLAP), width // 2), near)
        if width == 1 or fits([text[start:end] for start, end in spans]):
            return spans
        width -= max(1, width // 8)


def _spread(text: str, places: Sequence[Span], width: int, shared: int, near: int) -> tuple[Span, ...]:
    """As few spans of `width` tokens as will do with `shared` tokens in common, and more where edges moved."""
    tokens = len(places)
    number = -(-(tokens - shared) // (width - shared))
    spans = []
    for n in range(number):
        first = n * (tokens - width) // max(number - 1, 1)
        start = 0 if n == 0 else places[_word(text, places, first, -1, near)][0]
        last = _word(text, places, first + width, 1, near) if n < number - 1 else tokens
        spans.append((start, len(text) if last >= tokens else places[last][0]))
    return tuple(dict.fromkeys(spans))


def _word(text: str, places: Sequence[Span], token: int, step: int, near: int) -> int:
    """The token nearest to `token` in the direction of `step` at which a word begins, `token` where none is near."""
    for position in range(token, token + step * (near + 1), step):
        if position <= 0 or position >= len(places) or _begins(text, places[position][0]):
            return max(0, min(position, len(places)))
    return token


def _begins(text: str, start: int) -> bool:
    return text[start : start + 1].isspace() or text[start - 1 : start].isspace()
