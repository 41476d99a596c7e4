"""The documents of a run are prepared ahead of the reader, and their jobs come in the order of the data."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from longdoc.errors import UserError
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.preparation.prepare import by_document
from pipelines.records import Document, Example
from pipelines.strategies import Job

Jobs = list[tuple[int, Job | Exception]]  # each with the number of its plan
Start = Callable[[Document, Sequence[list[Example]]], Callable[[], Jobs]]  # begins a document; the result waits for it


def ordered_jobs(
    plans: Sequence[Plan], is_wanted: Sequence[Callable[[Example], bool]], ahead: int, start: Start
) -> Iterator[tuple[int, Job | Exception]]:
    """Jobs of several plans over the same examples, document by document, each with its plan's number.

    `start` begins to prepare a document for the wanted examples of each plan, and returns a function that waits for the
    jobs. At most `ahead` documents are prepared before their jobs are taken.
    """
    waiting: deque[Callable[[], Jobs]] = deque()
    data_error: UserError | None = None
    documents = by_document(run_examples(plans[0]))
    while True:
        try:
            document, examples = next(documents)
        except StopIteration:
            break
        except UserError as error:  # raised at the end, so that the documents before it are not lost
            data_error = error
            break
        examples_by_plan = [list(filter(wants, examples)) for wants in is_wanted]
        if any(examples_by_plan):
            waiting.append(start(document, examples_by_plan))
        if len(waiting) > ahead:
            yield from waiting.popleft()()
    while waiting:
        yield from waiting.popleft()()
    if data_error is not None:
        raise data_error
