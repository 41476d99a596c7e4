"""Ranks list items with their lead-ins: "(c) is already public" is not evidence without "Confidential is not:".

A list's items may be moved towards the best of them: score(d) + weight * (max over the list of score - score(d)). Then
a chunk that leads into a list scores at least as much as each of its items, so that it is selected with them.

An item begins with a mark: (a), (iv), 12., 2), A., a bullet or a dash. The chunk before the first item leads into the
list if it does not close its sentence. Marks of another kind begin a list inside an item: (i) under (a), and (ii) after
(i) stays in it; a mark of a kind that is open goes back to that list.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, Scores, registry
from retrievers.shared.members import Composite, CompositeIndex

_MARK = re.compile(
    r"\s*(?:(?P<open>[(\[])?(?P<name>\d{1,2}|[ivx]{1,5}|[A-Za-z])(?P<close>[)\].])(?=\s|$)|(?P<bullet>[•·▪◦‣*–—-])\s)"
)
_CLOSED = re.compile(r"[.!?。！？]\W*$")
_LETTER_BEFORE = {"i": "h", "v": "u", "x": "w"}  # one letter that is a Roman number too
Mark = tuple[str, str]  # style and name: ("(a)", "b") for "(b)"


@dataclass(frozen=True)
class Lists(Composite):
    """Ranks the lead-in of a list with its best item, and with `weight` over 0 the other items nearer to it.

    `retriever` gives the scores. With `weight` 1 all items of a list score as its best does, with 0 each by itself. A
    chunk without a list keeps its score. It ranks by the document's centroid if `retriever` does.
    """

    retriever: Any = "bm25"
    weight: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise UserError(f"lists: weight must be a number from 0 to 1, got {self.weight}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever whose scores lists adjust."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the retriever's index and the lists in the chunks."""
        return _ListsIndex(self.retriever.index(chunks), lead_ins(chunks), self.weight)


class _ListsIndex(CompositeIndex):
    """`leads` [chunks] is the number of each chunk's lead-in, its own where it has none."""

    def __init__(self, member: Index, leads: npt.NDArray[np.int64], weight: float) -> None:
        super().__init__("lists", [member])
        self._weight = weight
        items = np.flatnonzero(leads != np.arange(len(leads)))
        items = items[np.argsort(leads[items], kind="stable")]
        distinct_leads, firsts = np.unique(leads[items], return_index=True)
        # the items by their lead-in
        self._lists = dict(zip(distinct_leads.tolist(), np.split(items, firsts[1:]), strict=False))

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._with_lists(self.member_scores(queries)[0]).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._with_lists(self.member_centroid_scores()[0])[0])

    def _with_lists(self, scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        adjusted = scores.astype(np.float64)
        for items in self._lists.values():
            best = adjusted[:, items].max(axis=1, keepdims=True)
            adjusted[:, items] += self._weight * (best - adjusted[:, items])
        for lead, items in sorted(self._lists.items(), reverse=True):  # inner lists first
            adjusted[:, lead] = np.maximum(adjusted[:, lead], adjusted[:, items].max(axis=1))
        return adjusted


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
