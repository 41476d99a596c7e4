"""A folder of batch files: which file asked for what, the replies, and what the next file has to ask for.

A request is asked in a file once. It is asked in the next one where that file was answered without a reply to it (it
was lost), or with an error that may pass, as often as the reader asks again live (`max_retries`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, expanded, make_folder, output_folder
from longdoc.links import check_files, refuse_link
from pipelines.plugins.batch.formats import FORMATS, Outcome
from pipelines.plugins.batch.replies import Replies
from pipelines.plugins.batch.request_files import RECORD, RequestFile, RequestWriter, request_files, write_record

LOST_STATUS = 504  # of a request that no file of replies has a line for
_REQUESTS = re.compile(r"requests-\d+\.jsonl?")

Asker = tuple[str, str, str]  # the library, the model and the address of a reader


class BatchFolder:
    """A folder of batch files, locked until `close`. Raises `UserError` for a run's folder, and for one in use."""

    def __init__(self, path: str | Path) -> None:
        self.path = output_folder(expanded(path))
        if (self.path / "run.json").exists():
            raise UserError(f"{self.path} is a run's folder: name another one for the batch files")
        make_folder(self.path)
        self._lock = files.locked(self.path)
        if self._lock is None:
            raise UserError(f"another process uses the batch files in {self.path}: wait for it, or name another folder")
        try:
            refuse_link(self.path / RECORD)
            check_files(self.path)
            clear_unfinished(self.path)
            self._read()
        except BaseException:
            self._lock.release()
            raise
        self._writers: dict[Asker, RequestWriter] = {}
        self._new_file_count = 0
        self._seen: set[str] = set()  # ids that `ask` was called with
        self.waiting: Counter[int] = Counter()  # by position of a file, how many of its requests wait for a reply
        self.committed: defaultdict[Asker, float] = defaultdict(float)  # what these cost at most
        self.again: dict[str, str] = {}  # requests that are asked again, with the reason
        self.failed: dict[str, str] = {}  # requests with an error that does not pass

    def _read(self) -> None:
        self.files = request_files(self.path)
        self._positions: dict[str, list[int]] = {}  # by id, which of the files ask for it
        for position, file in enumerate(self.files):
            for id in file.ids():
                self._positions.setdefault(id, []).append(position)
        paths = sorted(self.path.glob("*.jsonl"))
        self.replies = Replies([path for path in paths if not _REQUESTS.fullmatch(path.name)], self._positions)
        self._has_replies = [self._is_answered(position) for position in range(len(self.files))]
        self.remarks = [*self.replies.remarks, *self._other_models()]

    def _is_answered(self, position: int) -> bool:
        """Whether a file of replies, newer than this file of requests, has a reply to one of its requests."""
        new = [file for file in self.replies.files if file.digest not in self.files[position].after]
        return any(position in self._positions.get(id, ()) for file in new for id in file.ids)

    def _other_models(self) -> list[str]:
        """A remark on each model in the replies that is none of the requests' models."""
        models = sorted({file.model for file in self.files})
        reply_paths: dict[str, list[Path]] = {}
        for file in self.replies.files:
            for name in sorted(file.models):
                if not any(_is_alike(name, model) for model in models):
                    reply_paths.setdefault(name, []).append(file.path)
        return [
            f"the model names itself {name} in {paths[0]}{f' and {len(paths) - 1:,} more' if paths[1:] else ''}, and "
            f"{', '.join(models)} was asked: is that right?"
            for name, paths in reply_paths.items()
        ]

    def outcome(self, id: str, retries: int) -> Outcome | None:
        """The final outcome of a request: an answer, or an error that does not pass. None while it is not known."""
        reply = self.replies[id]
        if reply is not None and reply.answered:
            return reply
        positions = self._positions.get(id, [])
        if not positions or not self._has_replies[positions[-1]]:
            return None
        lost = Outcome(LOST_STATUS, {"error": {"message": f"no reply in {len(positions)} batch files"}})
        outcome = reply or lost
        if outcome.passing and len(positions) <= retries:
            self.again[id] = reply.problem if reply else "the replies have no line for it"
            return None
        self.failed[id] = outcome.problem
        return outcome

    def ask(self, id: str, body: Mapping[str, Any], asker: Asker, price: Callable[[], float | None]) -> None:
        """Put a request into the next file, unless a file that still waits for replies asks for it."""
        if id in self._seen:
            return
        self._seen.add(id)
        positions = self._positions.get(id, [])
        cost = price()
        if positions and not self._has_replies[positions[-1]]:
            self.waiting[positions[-1]] += 1
            self.committed[asker] += cost or 0.0
            return
        library, model, url = asker
        if asker not in self._writers:
            self._writers[asker] = RequestWriter(self.path, FORMATS[library], model, url)
        number = self._last_number + self._new_file_count + 1
        self._new_file_count += self._writers[asker].add(number, id, body, cost)

    def keep(self, asker: Asker, maximum: float) -> int:
        """Leave out requests so that the others, and those that wait, cost at most `maximum`; returns their number."""
        writer = self._writers.get(asker)
        return 0 if writer is None else writer.keep(maximum - self.committed[asker])

    def finish(self) -> list[tuple[RequestFile, int]]:
        """Give the new files their names. Returns the files that wait for replies, with their numbers of requests."""
        new = [file for writer in self._writers.values() for file in writer.files]
        digests = frozenset(file.digest for file in self.replies.files)
        for file in new:
            file.after = digests
        if new:
            write_record(self.path, [*self.files, *new])
        for writer in self._writers.values():
            writer.finish()
        self._writers = {}
        return [(self.files[position], count) for position, count in sorted(self.waiting.items())] + [
            (file, file.requests) for file in sorted(new, key=lambda file: file.path)
        ]

    def close(self) -> None:
        """Discard what `finish` has not written, and unlock the folder."""
        for writer in self._writers.values():
            writer.discard()
        self._lock.release()

    @property
    def _last_number(self) -> int:
        """The number of the last file of requests, 0 without any."""
        return max((int(file.number) for file in self.files), default=0)


def _is_alike(first: str, second: str) -> bool:
    """Whether two names may be those of one model: a dated one and its family, a path and its last part."""
    first, second = (name.rsplit("/", 1)[-1].casefold() for name in (first, second))
    return first in second or second in first
