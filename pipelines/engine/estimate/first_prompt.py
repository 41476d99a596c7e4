"""The first prompt that a reader gets for one example, rendered and cut as in a run."""

from longdoc.errors import UserError, unknown
from models.prompts import Part, Prompt
from models.requests import Compare
from models.truncation import MORE_ROOM_TEXT, TooLong
from pipelines.engine.estimate.dry_run import RequestCounter
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.prepare import prepare
from pipelines.results.rendered_prompt import RenderedPrompt
from pipelines.strategies import Job, PairwiseStrategy


def first_prompt(plan: Plan, id: str) -> RenderedPrompt:
    """The first prompt for the example `id`, or its first pair where pairs are compared. Raises `UserError`."""
    ids: list[str] = []
    for example in plan.data.examples():
        if example.id == id:
            (job,) = prepare(plan, example.document, [example])
            return rendered(plan, job)
        ids.append(example.id)
    raise unknown("example", id, ids)


def rendered(plan: Plan, job: Job) -> RenderedPrompt:
    """The first prompt of a job, or its first pair. Raises `UserError`."""
    if job.failure is not None:
        raise UserError(job.failure)
    if isinstance(plan.strategy, PairwiseStrategy):
        return _rendered_pair(plan, job)
    try:
        (prompt, tokens), *_ = RequestCounter(plan).session.first_prompts(job)
    except TooLong as error:
        raise UserError(f"{error}: {MORE_ROOM_TEXT}") from None
    except ValueError:
        raise UserError("the first requests of this strategy have no prompt") from None
    return RenderedPrompt(job.example.id, prompt.text, tokens, prompt.truncated_tokens, tuple(prompt.spans))


def _rendered_pair(plan: Plan, job: Job) -> RenderedPrompt:
    """The first pair of paragraphs as the reader joins them, or with a blank line between where it does not."""
    first_requests = RequestCounter(plan).session.first_requests(job)
    requests = [request for request in first_requests if isinstance(request, Compare) and request.pairs]
    if not requests:
        raise UserError(f"{job.example.id} has {len(job.selected)} paragraph(s), so no pair is compared; show another")
    pair = [job.selected[position] for position in requests[0].pairs[0]]
    first, second = (chunk.text for chunk in pair)
    prompt = plan.reader.pair(first, second)
    if prompt is None:
        parts = [Part("document", text, 0, len(text)) for text in (first, second)]
        prompt = Prompt((parts[0], Part("text", "\n\n"), parts[1]))
    spans = [(chunk.start, chunk.start + end) for chunk, (_, end) in zip(pair, prompt.spans, strict=True)]
    return RenderedPrompt(
        job.example.id, prompt.text, plan.reader.count([prompt.text])[0], prompt.truncated_tokens, tuple(spans)
    )
