"""The requests of a strategy, found without a reader: the strategy is sent stand-ins for replies.

The requests that a strategy makes after its first round depend on the replies. Blank outputs and the longest outputs
are about the extremes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from models.requests import Classify, Compare, Fuse, Generate, Request, Score
from pipelines.engine.inference.request_rounds import request_rounds
from pipelines.engine.inference.session import Session
from pipelines.engine.recording import request_log
from pipelines.strategies import Job

LONGEST = 4096  # tokens of a stand-in
CHARACTERS = 6  # of a token, in place of counting


def rounds(
    session: Session, job: Job, labels: Sequence[str] = (), blank: bool = False
) -> Iterator[list[tuple[Request, int]]]:
    """Each round of a job's requests, prompts truncated, with the tokens of each request's prompts. Raises `TooLong`.

    Stand-ins for outputs are `blank`, or as long as outputs may be, of the prompt's own text.
    """
    strategy_rounds, values = request_rounds(session.strategy(job), job), None
    try:
        while True:
            round_requests = [session.truncated(request) for request in strategy_rounds.send(values)]
            yield round_requests
            values = [_reply(request, labels, blank) for request, _ in round_requests]
    except StopIteration:
        return
    finally:
        strategy_rounds.close()


def output_tokens(request: Request, thinking: int = 0) -> int:
    """The most tokens that the reply to a request may have, where so many of `thinking` come on top of each output."""
    return (request.max_new_tokens + thinking) * request.n if isinstance(request, Generate | Fuse) else 0


def _reply(request: Request, labels: Sequence[str], blank: bool) -> Any:
    """A stand-in for a reply's value."""
    if isinstance(request, Compare):
        return tuple(0.9 if place % 2 else 0.1 for place in range(len(request.pairs)))
    if isinstance(request, Classify):
        return dict.fromkeys(labels or ("",), 1 / max(len(labels), 1))
    if isinstance(request, Score):
        return -1.0
    length = 0 if blank else CHARACTERS * min(request.max_new_tokens, LONGEST)
    text = "".join(prompt.text for prompt in request_log.prompts(request))[:length]
    return text if request.n == 1 else (text,) * request.n
