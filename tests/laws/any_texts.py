"""Hypothesis strategies for texts: every code point with lone surrogates, and the difficult parts of each script."""

from hypothesis import strategies as st

from tests.random_texts import (
    CONTROLS,
    DIRECTIONS,
    EMOJI,
    ENDS,
    HEADS,
    PROSE,
    PUNCTUATION,
    SPACES,
    UNSPACED,
)

CHARACTERS = st.characters(exclude_categories=())  # with surrogates, which Hypothesis leaves out by default
PIECES = (
    *PROSE.split(" "), *(f"{word} " for word in PROSE.split()), *HEADS, *UNSPACED, *EMOJI, *DIRECTIONS, *ENDS,
    *CONTROLS, *SPACES, *PUNCTUATION, "M\u00a0.", "e\u0301", "\u0301" * 9, "\ud800", "\udfff", "\ud83d\ude00", "Anna",
    "ANNA's", "x" * 300,
)  # fmt: skip


def any_text(most: int = 30) -> st.SearchStrategy[str]:
    """Texts of up to `most` pieces: words, marks, controls, any characters."""
    piece = st.sampled_from(PIECES) | st.text(CHARACTERS, max_size=6)
    return st.lists(piece, max_size=most).map("".join)
