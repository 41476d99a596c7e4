"""Shared by the solvers for inspect_ai: the reader that counts tokens, a job's prompt, the record in the log."""

from dataclasses import dataclass
from typing import Any

from inspect_ai.model import get_model
from inspect_ai.solver import TaskState

import models
from longdoc.errors import UserError
from models.baselines.lead import Lead
from models.prompts import Prompt
from models.requests import Generate
from models.truncation import MORE_ROOM_TEXT, TooLong
from pipelines.engine.estimate.dry_run import RequestCounter
from pipelines.engine.planning.plan import Plan
from pipelines.plugins.bridges.for_inspect.model import ReaderModel
from pipelines.plugins.bridges.for_inspect.prompts import message_of
from pipelines.strategies import Job

STORE_KEY = "longdoc"  # of the record of the selection in a sample's store


@dataclass(frozen=True)
class _InspectModel(Lead):
    """A stand-in for models of inspect_ai, which are chat models: it counts words, and has no limit."""

    is_chat = True


WORDS = _InspectModel()


def counting_reader() -> models.Reader:
    """The model's reader where the model is one of longdoc; else a reader that counts words."""
    api = get_model().api
    return api.reader if isinstance(api, ReaderModel) else WORDS


def prompt_of_job(plan: Plan, job: Job) -> Prompt:
    """The one prompt of a job, cut to the reader's limit. Raises `UserError`."""
    if job.failure is not None:
        raise UserError(job.failure)
    try:
        (request,) = RequestCounter(plan).session.first_requests(job)
    except TooLong as error:
        raise UserError(f"{error}: {MORE_ROOM_TEXT}") from None
    if not isinstance(request, Generate):
        raise UserError(f"the solver asks one prompt, and this strategy makes {type(request).__name__} requests")
    return Prompt.of(request.prompt)


def show(state: TaskState, plan: Plan, job: Job, prompt: Prompt) -> None:
    """Put the prompt in place of the user's message, and the record of the selection into the store."""
    position = max(position for position, message in enumerate(state.messages) if message.role == "user")
    message = state.messages[position]
    state.messages[position] = message_of(prompt, message if message.role == "user" else None)
    record: dict[str, Any] = {
        "chunks": len(job.chunks),
        "selected": [list(span) for span in job.selected_spans],
        "shown_spans": [list(span) for span in prompt.spans],
        "tokens": plan.reader.count([prompt.text])[0],
        "truncated_tokens": prompt.truncated_tokens,
        "document_characters": len(job.example.document.text),
    }
    counts = dict(job.evidence)
    state.store.set(STORE_KEY, record | ({"evidence": counts} if counts else {}))
