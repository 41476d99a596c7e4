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
share (`NameLinks`); and since a hop answers a part of the question, a chunk that holds what is left of it
counts for more: link(e, d) * (score(e) + LEFT * the weighed share of the question's words that are in d, and in no
chunk on the way to e). With `clauses`, z(d) has clauses times the best score of d for a clause of the question.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, Scores, registry
from retrievers.blend import standardized
from retrievers.shared.members import Composite, CompositeIndex
from retrievers.shared.ranking import top_k
from retrievers.shared.titles import Titles
from retrievers.shared.unit_features import Row, UnitFeatures, content_words

HOPS = 3
SEVERAL_HOPS = {"hops": 2, "names": 0.75, "clauses": 0.5, "named": 3.0}  # chosen as the presets of `evidence` are
WEIGHT = 0.5  # share of its score that a chunk passes on to linked ones
LEFT = 3.0  # standard deviations that a chunk gains if it holds all remaining words of the question
CLAUSES = 8  # that a query is split into
_BETWEEN_CLAUSES = re.compile(
    r"[,;:，、；：]|\b(?:that|which|who|whose|whom|where|when|and|of the|by the)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Links(Composite):
    """Raises the scores of chunks linked to the question or to one of the best chunks by mentions of titles.

    `retriever` gives the scores. The title of a chunk is the last part of its label, so the chunks have to be labelled
    with what they are about, as those of `units` and `sections` are; without any labels the order is that of
    `retriever`. It ranks by the document's centroid if `retriever` does.

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
        """The retriever whose scores links raise."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the retriever's index and the links between chunks."""
        return _LinksIndex(self, self.retriever.index(chunks), Titles(chunks), NameLinks(chunks))


class _LinksIndex(CompositeIndex):
    def __init__(self, links: Links, member: Index, titles: Titles, names: "NameLinks") -> None:
        super().__init__("links", [member])
        self._links, self._titles, self._names = links, titles, names
        self._titled, self._mentions = titles.titled, titles.mentions
        self._chunks_by_title, self._mentioning_chunks = self._titled.T.tocsr(), self._mentions.T.tocsr()

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        scores = standardized(self.member_scores(queries)[0])
        if self._links.clauses:
            scores += self._links.clauses * self._best_of_clauses(queries, scores.shape[1])
        scores_with_titles = standardized(scores + self._links.named * self._titles.mentioned_by(queries))
        return self._linked(scores_with_titles, queries).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._linked(standardized(self.member_centroid_scores()[0]), [""])[0])

    def _best_of_clauses(self, queries: Sequence[str], chunks: int) -> npt.NDArray[np.float64]:
        """The best standardized score for a clause of each query [queries, chunks]; 0 for queries of one clause."""
        clauses_by_query = [clauses_of(query) for query in queries]
        scores = standardized(self.member_scores([clause for clauses in clauses_by_query for clause in clauses])[0])
        best, start = np.zeros((len(queries), chunks)), 0
        for row, clauses in zip(best, clauses_by_query, strict=True):
            if clauses:
                row[:] = scores[start : start + len(clauses)].max(axis=0)
            start += len(clauses)
        return best

    def _linked(self, scores: npt.NDArray[np.float64], queries: Sequence[str]) -> npt.NDArray[np.float64]:
        """The scores [queries, chunks] after following links; a query is "" for the document's centroid."""
        if not self._mentions.nnz and not self._links.names:
            return scores
        rows = [self._follow_hops(row, query) for row, query in zip(scores, queries, strict=True)]
        return np.stack(rows) if rows else scores

    def _follow_hops(self, first_scores: Row, query: str) -> Row:
        """The scores [chunks] after following links for all hops, from the first scores [chunks]."""
        path = _Path(self._names, query if self._links.names else "")
        scores = first_scores
        for _ in range(self._links.hops):
            link_scores = np.zeros_like(first_scores)
            best_chunks = top_k(scores[None], self._links.top)[1][0]
            for chunk in best_chunks[scores[best_chunks] > 0].tolist():
                weights, remaining = self._link_weights(chunk, path.question_words), path.remaining_share(chunk)
                new_scores = weights * (scores[chunk] + LEFT * remaining)
                path.extend(chunk, np.flatnonzero(new_scores > link_scores))
                link_scores = np.maximum(link_scores, new_scores)
            path.step()
            scores = first_scores + WEIGHT * link_scores
        return scores

    def _link_weights(self, chunk: int, question_words: frozenset[str]) -> Row:
        """float64 [chunks]: how closely each chunk is linked to `chunk`, 1 by a title, less by names."""
        weights = np.zeros(self._titled.shape[0])
        if self._links.names:
            weights = self._links.names * self._names.linked(chunk, question_words)
        weights[self._title_links(chunk)] = 1.0
        return weights

    def _title_links(self, chunk: int) -> npt.NDArray[np.intp]:
        """The chunks whose titles `chunk` mentions, and the chunks that mention its title."""
        mentioned = [row_of(self._chunks_by_title, title) for title in row_of(self._mentions, chunk)]
        mentioning = [row_of(self._mentioning_chunks, title) for title in row_of(self._titled, chunk)]
        return np.concatenate([*mentioned, *mentioning, np.zeros(0, np.intp)])


class _Path:
    """The question's words in each chunk, and on the best path of links to it."""

    def __init__(self, names: "NameLinks", question: str) -> None:
        self._names, self.question_words = names, names.question_words(question)
        self._words = names.shared_words(self.question_words) if self.question_words else []
        self._words_on_path = list(self._words)
        self._next_words_on_path = list(self._words)

    def remaining_share(self, chunk: int) -> Row | float:
        """The share of the question in each chunk, counting only words that the path to `chunk` has not covered."""
        words = self.question_words
        if not words:
            return 0.0
        remaining_words = words - self._words_on_path[chunk]
        return self._names.word_shares(remaining_words) * (len(remaining_words) / len(words))

    def extend(self, chunk: int, chunks: npt.NDArray[np.intp]) -> None:
        """Record that the best path to `chunks` now leads through `chunk`."""
        for number in chunks.tolist() if self.question_words else ():
            self._next_words_on_path[number] = self._words[number] | self._words_on_path[chunk]

    def step(self) -> None:
        """Start the next hop from the paths found in this one."""
        self._words_on_path = list(self._next_words_on_path)


def row_of(matrix: Any, row: int) -> npt.NDArray[np.intp]:
    """The column numbers of the nonzero entries in a row of a sparse CSR matrix."""
    return np.asarray(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]], np.intp)


def clauses_of(question: str) -> list[str]:
    """The clauses of a question, split at commas and at English words that begin one; none where there is only one.

    Only the first eight clauses of two words or more are used, as a text that is not a question may have any number.
    """
    clauses = [clause for clause in map(str.strip, _BETWEEN_CLAUSES.split(question)) if clause]
    return [clause for clause in clauses if len(clause.split()) > 1][:CLAUSES] if len(clauses) > 1 else []


class NameLinks:
    """Links between chunks by their names (stems of capitalized words), and the question's words in each chunk."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._features = UnitFeatures(chunks)

    def question_words(self, question: str) -> frozenset[str]:
        """The stems of a question's words, without stop words."""
        return frozenset(content_words(question))

    def shared_words(self, question_words: frozenset[str]) -> list[frozenset[str]]:
        """The question's words that are in each chunk or its title."""
        return [question_words & words for words in self._features.words]

    def word_shares(self, words: frozenset[str]) -> Row:
        """float64 [chunks], 0 to 1: the share of `words` in each chunk, rarer words weighing more."""
        return self._features.word_shares(set(words))

    def linked(self, chunk: int, question_words: frozenset[str]) -> Row:
        """float64 [chunks], 0 to 1: how closely each chunk is linked to `chunk` by names that are not in the question.

        A name weighs 1 / the number of chunks with it; the closest chunk has 1, and the chunk itself 0.
        """
        weights = np.zeros(len(self._features.names))
        for name in sorted(self._features.names[chunk] - question_words):
            weights[self._chunks_with[name]] += 1 / len(self._chunks_with[name])
        weights[chunk] = 0.0
        return weights / weights.max() if weights.any() else weights

    @cached_property
    def _chunks_with(self) -> dict[str, list[int]]:
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, names in enumerate(self._features.names):
            for name in names:
                numbers[name].append(number)
        return dict(numbers)
