"""Scores passed on along mentions of titles, for questions whose evidence lies in several places.

The passage with the answer is often about something that the question does not name, and that another passage names:
to "Where was the director of Jaws born?" the passage on Jaws leads to that on its director. Passages linked to good
ones are candidates too, as in multi-hop retrieval over hyperlinks (Asai et al. 2020, "Learning to Retrieve Reasoning
Paths over Wikipedia Graph for Question Answering"); here nothing is learned, and links are mentions of titles.

z(d) is the retriever's score, standardized over the chunks of the document, plus `named` where the question mentions
the title of d, standardized again. Then score(d) = z(d) + WEIGHT * max of z(e) over those of the `top` best chunks that
mention the title of d or whose title d mentions, where that is positive. With `hops` 2 or 3 that is done again from the
`top` best by these scores: a beam of `top` paths.

With `names`, chunks are linked by any names that they share and the question does not have, with `names` times the
share (`shared.name_links`); and since a hop answers a part of the question, a chunk that holds what is left of it
counts for more: link(e, d) * (score(e) + LEFT * the weighed share of the question's words that are in d, and in no
chunk on the way to e). With `clauses`, z(d) has clauses times the best score of d for a clause of the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, registry
from retrievers.shared.members import Composite
from retrievers.shared.name_links import NameLinks
from retrievers.shared.ranking import top_k
from retrievers.shared.title_links import LinkedIndex
from retrievers.shared.titles import Titles
from retrievers.shared.unit_features import Row

HOPS = 3
SEVERAL_HOPS = {"hops": 2, "names": 0.75, "clauses": 0.5, "named": 3.0}  # chosen as the presets of `evidence` are
WEIGHT = 0.5  # of what a linked chunk passes on
LEFT = 3.0  # deviations that a chunk with all of what is left of the question counts for


@dataclass(frozen=True)
class Links(Composite):
    """Raises the chunks whose titles the question or one of the best chunks mentions, and those that mention theirs.

    `retriever` ranks before. The title of a chunk is the last part of its label, so the chunks have to be labelled with
    what they are about, as those of `units` and `sections` are; without any labels the order is that of `retriever`. It
    ranks by the document's centroid if `retriever` does.

    `hops` (1 to 3) is how often links are followed. `names` (0 to 1) is the weight of links by names that chunks share,
    which need no titles. `clauses` is the weight of the question's clauses, each ranked by itself.
    """

    retriever: Any = "bm25"
    top: int = 5
    named: float = 2.0
    hops: int = 1
    names: float = 0.0
    clauses: float = 0.0

    def __post_init__(self) -> None:
        if self.top < 1:
            raise UserError(f"links: top must be at least 1 chunk, got {self.top}")
        if not 1 <= self.hops <= HOPS:
            raise UserError(f"links: hops must be 1 to {HOPS}, got {self.hops}")
        if not 0 <= self.names <= 1:
            raise UserError(f"links: names must be a number from 0 to 1, got {self.names}")
        for name in ("named", "clauses"):
            if not 0 <= getattr(self, name) < np.inf:
                raise UserError(f"links: {name} must be a number of at least 0, got {getattr(self, name)}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that ranks before."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the retriever's, and which chunks mention which titles."""
        return _LinksIndex(self, self.retriever.index(chunks), Titles(chunks), NameLinks(chunks))


class _LinksIndex(LinkedIndex):
    def __init__(self, links: Links, member: Index, titles: Titles, names: NameLinks) -> None:
        super().__init__("links", member, titles, links.named, links.clauses)
        self._links, self._names = links, names
        self._titled, self._mentions = titles.titled, titles.mentions
        self._chunks_with, self._chunks_that_mention = self._titled.T.tocsr(), self._mentions.T.tocsr()

    def linked(self, scores: npt.NDArray[np.float64], queries: Sequence[str]) -> npt.NDArray[np.float64]:
        """The scores with what the chunks linked to the best ones are given."""
        if not self._mentions.nnz and not self._links.names:
            return scores
        rows = [self._walked(row, query) for row, query in zip(scores, queries, strict=True)]
        return np.stack(rows) if rows else scores

    def _walked(self, first: Row, query: str) -> Row:
        """The scores [chunks] after all hops."""
        path = _Path(self._names, query if self._links.names else "")
        scores = first
        for _ in range(self._links.hops):
            passed = np.zeros_like(first)
            best = top_k(scores[None], self._links.top)[1][0]
            for chunk in best[scores[best] > 0].tolist():
                links, left = self._linked_row(chunk, path.question_words), path.left(chunk)
                values = links * (scores[chunk] + LEFT * left)
                path.extend(chunk, np.flatnonzero(values > passed))
                passed = np.maximum(passed, values)
            path.step()
            scores = first + WEIGHT * passed
        return scores

    def _linked_row(self, chunk: int, question_words: frozenset[str]) -> Row:
        """How closely each chunk is linked to one: 1 by titles, less by names; float64 [chunks]."""
        row = np.zeros(self._titled.shape[0])
        if self._links.names:
            row = self._links.names * self._names.linked(chunk, question_words)
        row[self._linked_to(chunk)] = 1.0
        return row

    def _linked_to(self, chunk: int) -> npt.NDArray[np.intp]:
        """The chunks whose titles a chunk mentions, and those that mention its own."""
        entries = [row_of(self._chunks_with, title) for title in row_of(self._mentions, chunk)]
        back = [row_of(self._chunks_that_mention, title) for title in row_of(self._titled, chunk)]
        return np.concatenate([*entries, *back, np.zeros(0, np.intp)])


class _Path:
    """Which of a question's words are in each chunk, and in those on the way to it."""

    def __init__(self, names: NameLinks, question: str) -> None:
        self._names, self.question_words = names, names.question_words(question)
        self._words = names.shared_words(self.question_words) if self.question_words else []
        self._before = list(self._words)
        self._after = list(self._words)

    def left(self, chunk: int) -> Row | float:
        """The weighed share of the question that each chunk holds, and no chunk on the way to this one does."""
        words = self.question_words
        if not words:
            return 0.0
        left_words = words - self._before[chunk]
        return self._names.weighed_words(left_words) * (len(left_words) / len(words))

    def extend(self, chunk: int, chunks: npt.NDArray[np.intp]) -> None:
        """The best way to some chunks leads over this one."""
        for number in chunks.tolist() if self.question_words else ():
            self._after[number] = self._words[number] | self._before[chunk]

    def step(self) -> None:
        """The ways found are those that the next hop begins with."""
        self._before = list(self._after)


def row_of(matrix: Any, row: int) -> npt.NDArray[np.intp]:
    """The columns of a sparse matrix's row that are not 0."""
    return np.asarray(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]], np.intp)
