"""The engine that asks by batch files: it writes requests for a provider's batch API, and reads the replies later.

`vllm run-batch` reads the same files. A run ends with `RepliesAwaited` while it lacks replies. Started again, it goes
on with those that came since: the next round of its strategy, or its scores. Its final files are those of a live run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from urllib.parse import urlsplit

from longdoc.errors import RepliesAwaited, UserError, listed
from longdoc.messages import counted, note
from longdoc.registry import name_of
from models.apis._endpoint import Endpoint
from models.reader import Reader
from pipelines.engine import interruption_note
from pipelines.engine.engines import Engine, IsWanted
from pipelines.engine.engines.local import Local
from pipelines.engine.planning.plan import Plan
from pipelines.engine.prices import BATCH_SHARE
from pipelines.plugins.batch import next_steps
from pipelines.plugins.batch.batch_folder import BatchFolder
from pipelines.plugins.batch.formats import FORMATS
from pipelines.plugins.batch.reader import BatchReader
from pipelines.strategies import Job

MAX_SHOWN = 3  # requests with one problem whose ids are shown
SHOWN_DIGITS = 16  # of an id


@dataclass(frozen=True)
class Batch(Engine):
    """Writes requests to `folder` and reads replies from there; documents are prepared on this machine.

    - `price`: the share of the reader's `prices` that batches cost. None: half at OpenAI and at Anthropic themselves,
      which is their rule, and all of it at other addresses.
    - `workers`: documents that are prepared ahead in threads.
    """

    folder: str = ""
    price: float | None = None
    workers: int = 2

    _open: list[BatchFolder] = field(default_factory=list, init=False, repr=False, compare=False)
    _readers: dict[int, tuple[Reader, BatchReader]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise `UserError` without a folder, and for a share outside 0 to 1."""
        if not self.folder:
            raise UserError("batch needs a folder for its files: engine='batch:FOLDER'")
        if self.price is not None and not 0 <= self.price <= 1:
            raise UserError(f"batch: price is the share that batches cost, from 0 to 1 (0.5: half), got {self.price}")
        Local(self.workers)

    def prepare_many(
        self, plans: Sequence[Plan], is_wanted: Sequence[IsWanted]
    ) -> Iterator[tuple[int, Job | Exception]]:
        """As the engine `local` does."""
        return Local(self.workers).prepare_many(plans, is_wanted)

    def batch_share(self, reader: Reader) -> float:
        """The share of a reader's prices that batch files cost. Raises `UserError` for a reader without batch files."""
        endpoint = _check(reader)
        return _default_share(endpoint) if self.price is None else self.price

    def placed(self, plan: Plan) -> Plan:
        """The plan with the prices of batches. Raises `UserError` for a reader that has no batch files."""
        batch_reader = self._batch_reader(plan.reader)
        share = {"batch_price": self.batch_share(plan.reader)} if batch_reader.prices else {}
        return replace(plan, resolved=batch_reader.resolve() | share, engine_prices=batch_reader.prices)

    def answering(self, reader: Reader) -> Reader:
        """The reader that answers from the folder."""
        return self._batch_reader(reader)

    def finish(self) -> None:
        """Write the next files of requests. Raises `RepliesAwaited` where any request waits for its reply."""
        if not self._open:
            return
        folder = self._open[0]
        for line in [*folder.remarks, *_failures(folder)]:
            note(line)
        left_count = sum(self._left_out_count(folder, reader) for _, reader in self._readers.values())
        waiting = folder.finish()
        if left_count and not waiting:
            raise UserError(
                f"max_cost is reached: {counted(left_count, 'request')} that could cost more "
                f"{'is' if left_count == 1 else 'are'} not asked; start the same command with a larger one to continue"
            )
        if left_count:
            note(f"{counted(left_count, 'request')} left out of the next file by max_cost")
        if waiting:
            command = interruption_note.typed_command.get() or "the same call"
            raise RepliesAwaited(next_steps.message(waiting, command), [str(file.path) for file, _ in waiting])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Unlock the folder."""
        for folder in self._open:
            folder.close()
        self._open.clear()
        self._readers.clear()

    def _left_out_count(self, folder: BatchFolder, reader: BatchReader) -> int:
        """The number of requests that the reader's `max_cost` leaves out of the next file."""
        if reader.max_cost is None:
            return 0
        return folder.keep(reader.asker, reader.max_cost - (reader.spent or 0.0))

    def _batch_reader(self, reader: Reader) -> BatchReader:
        """The reader that answers from the folder in place of this one; the same for each call."""
        if id(reader) in self._readers:
            return self._readers[id(reader)][1]
        endpoint = _check(reader)
        if not self._open:
            self._open.append(BatchFolder(self.folder))
        share = self.batch_share(reader)
        batch_reader = BatchReader(
            endpoint, {kind: price * share for kind, price in endpoint.prices.items()}, self._open[0]
        )
        batch_reader.begin(**endpoint.tokens_spent.record)
        self._readers[id(reader)] = (reader, batch_reader)
        return batch_reader


def _check(reader: Reader) -> Endpoint:
    """The reader as one behind an API. Raises `UserError` for another kind of reader."""
    if not reader.reads:
        raise UserError("batch files hold a model's requests, and here none is asked: leave engine='batch' out")
    if not isinstance(reader, Endpoint) or name_of(reader) not in FORMATS:
        raise UserError(
            f"batch files are for readers behind an API: model='openai:MODEL' or 'anthropic:MODEL', "
            f"not {name_of(reader)}"
        )
    return reader


def _default_share(reader: Endpoint) -> float:
    """The share of its prices that a reader's provider bills for batch files."""
    host = urlsplit(reader.urls[0]).hostname
    return BATCH_SHARE if host == FORMATS[reader.library].half_price_at else 1.0


def provider_share(reader: Reader) -> float | None:
    """The share of a reader's prices that its provider bills for batch files; None where it bills all."""
    if not isinstance(reader, Endpoint) or name_of(reader) not in FORMATS:
        return None
    share = _default_share(reader)
    return share if share < 1 else None


def _failures(folder: BatchFolder) -> Iterator[str]:
    """A line for each reason why requests are asked again, or failed for good, with the first ids."""
    for problems, description in ((folder.again, "asked again in the next file"), (folder.failed, "failed for good")):
        ids_by_reason: dict[str, list[str]] = {}
        for id, reason in problems.items():
            ids_by_reason.setdefault(reason, []).append(id)
        for reason, ids in ids_by_reason.items():
            shown = listed((f"{id[:SHOWN_DIGITS]}…" for id in ids), MAX_SHOWN)
            yield f"{counted(len(ids), 'request')} {description}: {reason} (custom_id {shown})"
