"""An answer from each chunk, and a vote between them (after Clark and Gardner 2018, who read paragraphs one by one)."""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from longdoc.words import words
from models.requests import Generate, Score
from pipelines.strategies import Job, Outcome, Step, Strategy

MAX_SHOWN = 10  # answers in the note; the others are left out
ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True)
class Vote(Strategy):
    """One request per selected chunk; the prediction is the most frequent answer, or the best one.

    - count: the most frequent answer, ignoring letter case, punctuation and English articles; of equally frequent ones
      that of the best-ranked chunk, in its spelling.
    - score: the answer with the highest mean log-probability per token after its own chunk's prompt (natural log,
      tokens as the reader counts them); of equal ones that of the best-ranked chunk.

    Blank answers do not count, nor do those that say that a part does not hold the answer where others hold one. The
    note `votes` is a JSON object of answer to count or score, best first, at most ten.
    """

    by: Literal["count", "score"] = "count"

    by_part = True

    @property
    def needs(self) -> frozenset[type]:  # type: ignore[override]
        """The kinds of request: `Generate`, and `Score` if answers are chosen by score."""
        return frozenset({Generate, Score} if self.by == "score" else {Generate})

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make all requests in one round; by score, score the answers in a second round."""
        chunks = sorted(job.selected, key=lambda chunk: job.ranks.get(chunk.start, 0))
        outputs = yield [job.request(chunk) for chunk in chunks]
        pairs = [(chunk, job.answer(output).strip()) for chunk, output in zip(chunks, outputs, strict=True)]
        pairs = [(chunk, answer) for chunk, answer in pairs if answer]
        voters = [(chunk, answer) for chunk, answer in pairs if not job.declines(answer)] or pairs
        answers = [answer for _, answer in voters]
        if self.by == "score" and answers:
            scores = yield [Score(job.prompt(chunk), answer) for chunk, answer in voters]
            votes = _best(answers, [s / max(n, 1) for s, n in zip(scores, job.count(answers), strict=True)])
        else:
            votes = _vote_counts(answers)
        ordered = sorted(votes, key=lambda answer: -votes[answer])
        best = {answer: round(votes[answer], 4) for answer in ordered[:MAX_SHOWN]}
        return Outcome(ordered[0] if ordered else "", {"votes": json.dumps(best, ensure_ascii=False)})


def _vote_counts(answers: Sequence[str]) -> dict[str, float]:
    """The number of times each answer was given, by its first spelling."""
    spelling: dict[str, str] = {}
    votes: dict[str, float] = {}
    for answer in answers:
        first = spelling.setdefault(normal(answer), answer)
        votes[first] = votes.get(first, 0) + 1
    return votes


def _best(answers: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    """The best score of each answer, in the order of the answers."""
    best: dict[str, float] = {}
    for answer, score in zip(answers, scores, strict=True):
        best[answer] = max(score, best.get(answer, score))
    return best


def normal(answer: str) -> str:
    """The answer's words in lower case without articles; the answer itself if no words are left."""
    return " ".join(word for word in words(answer.casefold()) if word not in ARTICLES) or answer
