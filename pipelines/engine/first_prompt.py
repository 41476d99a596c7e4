"""The first prompt that a reader gets for one example, rendered and cut as a run would have it."""

from longdoc.errors import UserError, unknown
from models.prompts import Part, Prompt
from models.requests import Compare, Generate, JoinsPairs
from pipelines.engine.dry_run import RequestCounter
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import Prepared, prepare
from pipelines.results.records import Shown
from pipelines.strategies import PairwiseStrategy


def first_prompt(plan: Plan, id: str) -> Shown:
    """The first prompt for the example `id`, or its first pair where pairs are compared. Raises `UserError`."""
    ids: list[str] = []
    for example in plan.data.examples():
        if example.id == id:
            (prepared,) = prepare(plan, example.document, [example])
            return _rendered(plan, prepared)
        ids.append(example.id)
    raise unknown("example", id, ids)


def _rendered(plan: Plan, prepared: Prepared) -> Shown:
    if prepared.job is None:
        raise UserError(str(prepared.failure))
    if isinstance(plan.strategy, PairwiseStrategy):
        return _rendered_pair(plan, prepared)
    try:
        (text, tokens), *_ = RequestCounter(plan).session.first_round(prepared)
    except ValueError:
        raise UserError(f"this strategy asks nothing of the form {Generate.__name__} first") from None
    return Shown(prepared.example.id, text.text, tokens, text.truncated_tokens, tuple(text.spans))


def _rendered_pair(plan: Plan, prepared: Prepared) -> Shown:
    """The first pair of paragraphs, as a reader that joins them reads it; else the two texts, a blank line between."""
    selected = prepared.job.selected if prepared.job is not None else ()
    requests = [
        one for one in RequestCounter(plan).session.first_requests(prepared) if isinstance(one, Compare) and one.pairs
    ]
    if not requests:
        raise UserError(f"{prepared.example.id} has {len(selected)} paragraph(s), so no pair is compared; show another")
    pair = [selected[at] for at in requests[0].pairs[0]]
    first, second = (chunk.text for chunk in pair)
    if isinstance(plan.reader, JoinsPairs):
        text = plan.reader.pair(first, second)
    else:
        texts = [Part("document", one, 0, len(one)) for one in (first, second)]
        text = Prompt((texts[0], Part("text", "\n\n"), texts[1]))
    spans = [(chunk.start, chunk.start + end) for chunk, (_, end) in zip(pair, text.spans, strict=True)]
    return Shown(prepared.example.id, text.text, plan.reader.count([text.text])[0], text.truncated_tokens, tuple(spans))
