"""Ask a judge once or twice, and read its replies.

A reply counts if all of it is one of the words yes, no, true, false, correct and incorrect, in any case, with
punctuation, quotation or Markdown marks around it. The code of benchmarks is more lenient (LaRA's takes any reply for
right that has "true" in it, "not true" too); here any other reply is asked for once more, with a request for one word.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from models.requests import Generate
from pipelines.plugins.judging.prompts import JudgePrompt
from pipelines.records import Prediction
from pipelines.strategies import Job, Outcome, Step, Strategy

WORDS = {"yes": True, "true": True, "correct": True, "no": False, "false": False, "incorrect": False}
MARKS = " \t\r\n.,;:!*_`'\"“”‘’()[]"
REPLIES = "replies"  # the note with the replies, as a JSON list


def verdict(reply: str) -> bool | None:
    """The verdict of a reply; None where it is neither yes nor no."""
    return WORDS.get(reply.strip(MARKS).casefold())


@dataclass(frozen=True)
class AskJudge(Strategy):
    """Ask whether an example's prediction is right; the outcome's text is the last reply."""

    needs = frozenset({Generate})

    prompt: JudgePrompt
    length: int
    predictions: Mapping[str, Prediction]

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """One request, and a second one where its reply is neither yes nor no."""
        prediction = self.predictions[job.example.id]
        replies: list[str] = []
        for is_again in (False, True):
            (reply,) = yield [Generate(self.prompt.fill(prediction, is_again), self.length)]
            replies.append(str(reply))
            if verdict(replies[-1]) is not None:
                break
        return Outcome(replies[-1], {REPLIES: json.dumps(replies, ensure_ascii=False)})
