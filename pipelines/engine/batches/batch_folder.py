"""A folder of batch files: what was asked in which file, what was replied, and what has to be asked next.

A request is asked in a file once. It is asked in the next one where that file was answered without a reply to it (it
was lost), or with an error that may pass, as often as the reader asks again live (`max_retries`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import clear_unfinished
from longdoc.folders import expanded, make_folder, output_folder
from longdoc.links import check_files, refuse_link
from pipelines.engine.batches.formats import FORMATS, Outcome
from pipelines.engine.batches.replies import Replies
from pipelines.engine.batches.request_files import RECORD, RequestFile, RequestWriter, request_files, write_record

LOST_LIMIT = 504  # the status of a request that no file of replies has a line for
_REQUESTS = re.compile(r"requests-\d+\.jsonl?")

Asker = tuple[str, str, str]  # the library, the model and the address of a reader


class BatchFolder:
    """Such a folder, locked until `close`. Raises `UserError` where it holds something else, or is in use."""

    def __init__(self, path: str | Path) -> None:
        self.path = output_folder(expanded(path))
        if (self.path / "run.json").exists():
            raise UserError(f"{self.path} is a run's folder: name another one for the batch files")
        make_folder(self.path)
        self._lock = locks.locked(self.path)
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
        self._begun_values = 0  # files
        self._next: set[str] = set()  # ids that are written now
        self.waiting: Counter[int] = Counter()  # requests that wait for the reply to a file, by its place
        self.committed: defaultdict[Asker, float] = defaultdict(float)  # what they cost at most
        self.again: dict[str, str] = {}  # requests that are asked again, with the reason
        self.failed: dict[str, str] = {}  # requests with an error that does not pass

    def _read(self) -> None:
        self.files = request_files(self.path)
        self._asked_values: dict[str, list[int]] = {}  # the places of the files that ask for each id
        for place, file in enumerate(self.files):
            for id in file.ids():
                self._asked_values.setdefault(id, []).append(place)
        paths = sorted(self.path.glob("*.jsonl"))
        self.replies = Replies([file for file in paths if not _REQUESTS.fullmatch(file.name)], self._asked_values)
        self._answered_values = [self._is_answered(place) for place in range(len(self.files))]
        self.remarks = [*self.replies.remarks, *self._other_models()]

    def _is_answered(self, place: int) -> bool:
        """Whether a file of replies came since for one of a file's requests."""
        new = [file for file in self.replies.files if file.digest not in self.files[place].after]
        return any(place in self._asked_values.get(id, ()) for file in new for id in file.ids)

    def _other_models(self) -> list[str]:
        """A remark on each name of a model that is not one of those that were asked."""
        asked_models = sorted({file.model for file in self.files})
        files: dict[str, list[Path]] = {}
        for file in self.replies.files:
            for name in sorted(file.models):
                if not any(_is_alike(name, model) for model in asked_models):
                    files.setdefault(name, []).append(file.path)
        return [
            f"the model names itself {name} in {paths[0]}{f' and {len(paths) - 1:,} more' if paths[1:] else ''}, and "
            f"{', '.join(asked_models)} was asked: is that right?"
            for name, paths in files.items()
        ]

    def outcome(self, id: str, retries: int) -> Outcome | None:
        """What a request was replied in the end: an answer, or an error that does not pass. None: not known yet."""
        found_outcome = self.replies[id]
        if found_outcome is not None and found_outcome.answered:
            return found_outcome
        places = self._asked_values.get(id, [])
        if not places or not self._answered_values[places[-1]]:
            return None
        lost_outcome = Outcome(LOST_LIMIT, {"error": {"message": f"no reply in {len(places)} batch files"}})
        outcome = found_outcome or lost_outcome
        if outcome.passing and len(places) <= retries:
            self.again[id] = found_outcome.problem if found_outcome else "no line of the replies is to it"
            return None
        self.failed[id] = outcome.problem
        return outcome

    def ask(self, id: str, body: Mapping[str, Any], asker: Asker, price: Callable[[], float | None]) -> None:
        """Ask for a request in the next file, unless one that is not answered yet asks for it."""
        if id in self._next:
            return
        self._next.add(id)
        places = self._asked_values.get(id, [])
        cost = price()
        if places and not self._answered_values[places[-1]]:
            self.waiting[places[-1]] += 1
            self.committed[asker] += cost or 0.0
            return
        library, model, url = asker
        if asker not in self._writers:
            self._writers[asker] = RequestWriter(self.path, FORMATS[library], model, url)
        number = self._last + self._begun_values + 1
        self._begun_values += self._writers[asker].add(number, id, body, cost)

    def keep(self, asker: Asker, maximum: float) -> int:
        """Leave out what would cost more than `maximum`, with what waits already; how many requests these are."""
        writer = self._writers.get(asker)
        return 0 if writer is None else writer.keep(maximum - self.committed[asker])

    def finish(self) -> list[tuple[RequestFile, int]]:
        """Give the files of requests their names: those that wait for replies, each with how many of its requests."""
        new = [file for writer in self._writers.values() for file in writer.files]
        names = frozenset(file.digest for file in self.replies.files)
        for file in new:
            file.after = names
        if new:
            write_record(self.path, [*self.files, *new])
        for writer in self._writers.values():
            writer.finish()
        self._writers = {}
        return [(self.files[place], count) for place, count in sorted(self.waiting.items())] + [
            (file, file.requests) for file in sorted(new, key=lambda file: file.path)
        ]

    def close(self) -> None:
        """Leave the folder as it was, but for what `finish` has written."""
        for writer in self._writers.values():
            writer.discard()
        self._lock.release()

    @property
    def _last(self) -> int:
        return max((int(file.number) for file in self.files), default=0)


def _is_alike(first: str, second: str) -> bool:
    """Whether two names may be those of one model: a dated one and its family, a path and its last part."""
    text, other = (name.rsplit("/", 1)[-1].casefold() for name in (first, second))
    return text in other or other in text
