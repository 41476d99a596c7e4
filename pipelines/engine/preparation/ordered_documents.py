"""The documents of a run, handed out ahead of the reader, and their jobs in the order of the data."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from longdoc.errors import UserError
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.prepare import by_document
from pipelines.records import Document, Example
from pipelines.strategies import Job

Jobs = list[tuple[int, Job | Exception]]  # each with the number of its plan
Start = Callable[[Document, Sequence[list[Example]]], Callable[[], Jobs]]


def ordered_jobs(
    plans: Sequence[Plan], wanted_wants: Sequence[Callable[[Example], bool]], ahead: int, start: Start
) -> Iterator[tuple[int, Job | Exception]]:
    """Jobs of several plans over the same examples, document by document, each with its plan's number.

    `start` begins to prepare a document for the wanted examples of each plan and returns what waits for its jobs; at
    most `ahead` documents are prepared before their jobs are taken.
    """
    waiting_entries: deque[Callable[[], Jobs]] = deque()
    user_error: UserError | None = None
    documents = by_document(run_examples(plans[0]))
    while True:
        try:
            document, examples = next(documents)
        except StopIteration:
            break
        except UserError as error:  # the data break off: what came before is not lost
            user_error = error
            break
        plans_entries = [[example for example in examples if wants(example)] for wants in wanted_wants]
        if any(plans_entries):
            waiting_entries.append(start(document, plans_entries))
        if len(waiting_entries) > ahead:
            yield from waiting_entries.popleft()()
    while waiting_entries:
        yield from waiting_entries.popleft()()
    if user_error is not None:
        raise user_error
