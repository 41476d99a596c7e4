"""Which chunks are items of a list, and which chunk leads into the list: "The following is not confidential: (a) …".

An item begins with a mark: (a), (iv), 12., 2), A., a bullet or a dash. The chunk before the first item leads into the
list if it does not close its sentence. Marks of another kind begin a list inside an item: (i) under (a), and (ii) after
(i) stays in it; a mark of a kind that is open goes back to that list.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunkers import Chunk

_MARK = re.compile(
    r"\s*(?:(?P<open>[(\[])?(?P<name>\d{1,2}|[ivx]{1,5}|[A-Za-z])(?P<close>[)\].])(?=\s|$)|(?P<bullet>[•·▪◦‣*–—-])\s)"
)
_CLOSED = re.compile(r"[.!?。！？]\W*$")
_LETTER_BEFORE = {"i": "h", "v": "u", "x": "w"}  # one letter that is a Roman number too
Mark = tuple[str, str]  # its kind, and what it says: ("(a)", "b")


def lead_ins(chunks: Sequence[Chunk]) -> npt.NDArray[np.int64]:
    """The number of the chunk that leads into each chunk's list, int64 [chunks]; its own number where there is none.

    Chunks are in the order of the document. Other sentences of an item's paragraph belong to the item.
    """
    leads = np.arange(len(chunks))
    lists: list[tuple[Mark, int]] = []  # those that are open, outermost first: the last mark, and the lead-in
    for number, chunk in enumerate(chunks):
        mark = _mark(chunk.text, [last for last, _ in lists])
        if mark is None:
            is_of_item = number > 0 and chunk.parent is not None and chunk.parent == chunks[number - 1].parent
            if lists and is_of_item:
                leads[number] = lists[-1][1]
            else:
                lists = []
            continue
        level = next((level for level, (last, _) in enumerate(lists) if last[0] == mark[0]), None)
        if level is not None:
            lists = [*lists[:level], (mark, lists[level][1])]
        elif number and not _CLOSED.search(chunks[number - 1].text):
            lists.append((mark, number - 1))
        else:
            lists = []
            continue
        leads[number] = lists[-1][1]
    return leads


def _mark(text: str, open_marks: Sequence[Mark]) -> Mark | None:
    match = _MARK.match(text)
    if match is None:
        return None
    if match["bullet"]:
        return match["bullet"], ""
    name = match["name"]
    kind = "1" if name.isdigit() else "A" if name.isupper() else "a"
    if kind == "a" and re.fullmatch("[ivx]+", name):
        follows_letter = (f"{match['open'] or ''}a{match['close']}", _LETTER_BEFORE.get(name)) in open_marks
        kind = "a" if follows_letter else "i"
    return f"{match['open'] or ''}{kind}{match['close']}", name
