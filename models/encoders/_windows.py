"""A text that is longer than an encoder's limit, in windows that are as long as the limit allows.

Windows instead of a cut, and the best window for the whole, is what Dai & Callan 2019, "Deeper Text Understanding for
IR with Contextual Neural Language Modeling", section 3, call MaxP. Their windows of 150 words overlap by half; here
neighbours share `OVERLAP` of a window at least. The windows are spread evenly from the beginning of the text to its
end, so none is a mere rest. (Halves instead of windows of full length put more long passages among the best of twelve
questions on two QMSum meetings, and evidence recall was 44.1 instead of 48.8; `long="cut"` had 51.0.)
"""

from collections.abc import Callable, Sequence

from models.encoders import Split

Span = tuple[int, int]
Fits = Callable[[Sequence[str]], bool]

OVERLAP = 1 / 8  # of a window's tokens
NEAR = 16  # tokens that an edge moves at most to stand between words


def split(text: str, token_spans: Sequence[Span], budget: int | None, fits: Fits) -> Split:
    """How much of a text is read by an encoder that reads `budget` of its tokens (None: all), and windows within that.

    The other arguments are those of `windows`.
    """
    tokens = len(token_spans)
    if budget is None or tokens <= budget:
        return Split(tokens, 0, ((0, len(text)),))
    return Split(tokens, tokens - budget, windows(text, token_spans, budget, fits))


def windows(text: str, token_spans: Sequence[Span], budget: int, fits: Fits) -> tuple[Span, ...]:
    """Spans of `text` that cover it, each of at most `budget` tokens when encoded alone (`fits` checks that).

    `token_spans` are the tokens' (start, end) in the text, more than `budget` of them. Edges are moved to the beginning
    of a word if one is near. A window that is encoded alone may have other tokens than within the text; if it has too
    many, all windows are made shorter.
    """
    near = min(NEAR, budget // 8)
    width = budget - 2 * near
    while True:
        spans = _spread(text, token_spans, width, min(round(budget * OVERLAP), width // 2), near)
        if width == 1 or fits([text[start:end] for start, end in spans]):
            return spans
        width -= max(1, width // 8)


def _spread(text: str, token_spans: Sequence[Span], width: int, shared: int, near: int) -> tuple[Span, ...]:
    """The fewest spans of `width` tokens that cover the text and overlap by at least `shared` tokens."""
    tokens = len(token_spans)
    count = -(-(tokens - shared) // (width - shared))
    spans = []
    for i in range(count):
        first = i * (tokens - width) // max(count - 1, 1)
        start = 0 if i == 0 else token_spans[_word_start(text, token_spans, first, -1, near)][0]
        last = _word_start(text, token_spans, first + width, 1, near) if i < count - 1 else tokens
        spans.append((start, len(text) if last >= tokens else token_spans[last][0]))
    return tuple(dict.fromkeys(spans))


def _word_start(text: str, token_spans: Sequence[Span], token: int, step: int, near: int) -> int:
    """The index of the nearest token, in the direction of `step`, that begins a word; `token` if none is near."""
    for position in range(token, token + step * (near + 1), step):
        if position <= 0 or position >= len(token_spans) or _begins(text, token_spans[position][0]):
            return max(0, min(position, len(token_spans)))
    return token


def _begins(text: str, start: int) -> bool:
    return text[start : start + 1].isspace() or text[start - 1 : start].isspace()
