"""The requests of a finished run and their replies, made again from its data and its log, without asking the model.

A run's folder keeps replies by a digest of the request. The requests are made anew, as when a run is resumed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from models.requests import Reply
from models.truncation import TooLong
from pipelines.engine.inference.request_rounds import request_rounds
from pipelines.engine.inference.session import Log, Session
from pipelines.engine.planning.options import UNPLANNED
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.planning.spec import details_of
from pipelines.engine.preparation.prepare import by_document, prepare
from pipelines.engine.recording import request_log
from pipelines.engine.recording.lines import records
from pipelines.engine.replay.rerun import Rerun
from pipelines.records import Example
from pipelines.results.run_folders.run import run_record
from pipelines.strategies import Job


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request's prompts, as the reader got them, and its reply. A request that compares texts has no prompt."""

    prompts: tuple[str, ...]
    reply: Reply


@dataclass(frozen=True, slots=True)
class ReplayedExample:
    """An example with its exchanges in order; not `complete` where the log has no reply to one of its requests."""

    example: Example
    exchanges: tuple[Exchange, ...]
    complete: bool


def replay(folder: Path, **changes: Any) -> Iterator[ReplayedExample]:
    """The examples of a run in the order of the data, with their exchanges.

    `changes` are arguments of the run: `data`, where they are now; `model`, the reader as it was given, where a file
    may not name it. Raises `UserError` where the data cannot be read, or the server that counted the prompts' tokens
    does not answer. A reply is missing where the example failed, and where the data or this version make other
    requests.
    """
    plan = recorded_plan(folder, **changes)
    session = recorded_session(folder, plan)
    log = records(folder / "requests.jsonl", request_log.check)
    replies = {record["key"]: request_log.reply_of(record) for record in log}
    for document, examples in by_document(run_examples(plan)):
        for job in prepare(plan, document, examples):
            exchanges = list(_exchanges(plan, session, replies, job)) if job.failure is None else []
            logged_exchanges = tuple(exchange for exchange in exchanges if exchange is not None)
            yield ReplayedExample(job.example, logged_exchanges, len(logged_exchanges) == len(exchanges))


def recorded_plan(folder: Path, **changes: Any) -> Plan:
    """The plan of a run by the arguments in its record, with `changes` as for `replay`."""
    rerun = Rerun.of(folder, changes)
    with rerun.explained_errors():
        arguments = {name: value for name, value in rerun.planned.items() if name not in UNPLANNED}
        plan = make_plan(arguments.pop("task"), **arguments)
    if rerun.spec["resolved"].get("counts_tokens") and not details_of(plan).get("counts_tokens"):
        raise UserError(
            "the server of the run, which counted the tokens of its prompts, does not answer: start it to make the "
            "prompts again"
        )
    return plan


def recorded_session(folder: Path, plan: Plan, log: Log | None = None) -> Session:
    """A session whose requests have the keys that they had in the recorded run."""
    spec = run_record(folder)["spec"]
    identity = [spec["model"], spec["resolved"]]
    return Session(plan.strategy, plan.reader, plan.max_input_tokens, identity, log, whole_limit=plan.document_limit)


def _exchanges(plan: Plan, session: Session, replies: Mapping[str, Reply], job: Job) -> Iterator[Exchange | None]:
    """The exchanges of a job; None in place of one whose reply is missing, after which there are no more rounds."""
    rounds = request_rounds(plan.strategy(job), job)
    values: Any = None
    while True:
        try:
            requests = [session.truncated(request)[0] for request in rounds.send(values)]
        except (StopIteration, TooLong):
            return
        round_replies = [replies.get(session.key(request)) for request in requests]
        for request, reply in zip(requests, round_replies, strict=True):
            prompts = tuple(prompt.text for prompt in request_log.prompts(request))
            yield None if reply is None else Exchange(prompts, reply)
        if any(reply is None for reply in round_replies):
            rounds.close()
            return
        values = [reply.value for reply in round_replies if reply is not None]
