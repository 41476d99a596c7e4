"""TextRank: the sentences that most others resemble (Mihalcea and Tarau 2004, section 4).

Sentences are the vertices of a weighted graph. The similarity of two is w(i, j) = |S_i ∩ S_j| / (ln |S_i| + ln |S_j|),
the content words that both have over the logarithms of their lengths in words. A sentence's score is the fixed point of
WS(i) = (1 - d) + d · Σ_j w(i, j) / Σ_k w(j, k) · WS(j), with the damping d, found by power iteration from 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.baselines._prose import prose
from models.baselines._sentences import Sentence
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader

MAX_SENTENCES = 5_000  # sentences in a graph: its matrix takes 100 MB then
STEPS, TOLERANCE, DAMPING = 100, 1e-4, 0.85  # the last two are the paper's


@dataclass(frozen=True)
class Textrank(GeneratingWordReader):
    """Answers with the best sentences of the passages in document order, as many whole ones as fit the length.

    The length is the request's, in words. The best come first; one that does not fit any more is passed
    over, and where none fits the best is cut. Words are compared without endings, function words left out; headings
    and tables are no sentences (`_prose`), and the same sentence counts once. A text of more than 5,000 sentences is
    ranked by its first 5,000. n > 1 gives the same text n times.
    Raises `UserError` for a limit below 1.
    """

    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The best sentences, in document order."""
        sentences = prose(prompt)[:MAX_SENTENCES]
        if not sentences:
            return [""]
        sentence_scores = scores(similarities(sentences))
        order = np.lexsort((np.arange(len(sentences)), -np.round(sentence_scores, 6))).tolist()
        chosen: list[int] = []
        budget = request.max_new_tokens
        for i in order:
            if sentences[i].length <= budget:
                chosen.append(i)
                budget -= sentences[i].length
        return [" ".join(sentences[i].text for i in sorted(chosen or order[:1]))]


def similarities(sentences: Sequence[Sentence]) -> npt.NDArray[np.float32]:
    """The weights of the graph [n, n], symmetric, zero for a sentence and itself."""
    sentences_by_stem: dict[str, list[int]] = {}
    for i, sentence in enumerate(sentences):
        for stem in sentence.stems:
            sentences_by_stem.setdefault(stem, []).append(i)
    common = np.zeros((len(sentences), len(sentences)), np.float32)
    for members in sentences_by_stem.values():
        if len(members) > 1:
            rows = np.array(members)
            for row in members:
                common[row, rows] += 1
    np.fill_diagonal(common, 0)
    lengths = np.log(np.array([sentence.length for sentence in sentences], np.float32))
    bound = np.maximum(lengths[:, None] + lengths[None, :], np.float32(np.log(2)))  # two sentences of one word: ln 1
    common /= bound
    return common


def scores(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The TextRank scores of sentences [n]; one that resembles no other has 1 - d."""
    outward = weights.sum(axis=1, dtype=np.float64)
    shares = np.divide(1.0, outward, out=np.zeros_like(outward), where=outward > 0)
    ranks = np.ones(len(weights))
    for _ in range(STEPS):
        previous = ranks
        ranks = (1 - DAMPING) + DAMPING * (weights @ (shares * previous).astype(np.float32)).astype(np.float64)
        if np.abs(ranks - previous).max() < TOLERANCE:
            break
    return ranks
