"""A pool of Ray actors that do the same work; a lost actor is replaced while the others go on."""

import platform
import sys
import time
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import __version__
from longdoc.errors import UserError
from longdoc.messages import note, visible
from pipelines.plugins.cluster.engines._ray_process import About, Outcome, Process

START_SECONDS = 120  # within which an actor has to start
STARTS = 3  # actors in a row that may end before they have started
PYTHON = ".".join(platform.python_version_tuple()[:2])


def lost_errors() -> tuple[type[BaseException], ...]:
    """The errors of a call whose actor, or whose reply, is lost."""
    from ray import exceptions as ray

    return (
        ray.RayActorError,
        ray.ObjectLostError,
        ray.WorkerCrashedError,
        ray.NodeDiedError,
        ray.OutOfMemoryError,
    )


@dataclass(slots=True, eq=False)
class _Slot:
    """A place for an actor; `about` is done when the actor has started. `starts` counts its actors in a row."""

    actor: Any
    about: "Future[About]"
    since: float
    starts: int = 1
    lost: bool = False


class Pool:
    """Actors with `cpus` and `gpus` each; a lost one is replaced. They end with this object.

    `field` is the engine's field with their number, and `size` returns the size of the cluster, in words.
    """

    def __init__(self, number: int, cpus: float, gpus: float, field: str, size: Callable[[], str]) -> None:
        import ray

        self.field, self._size = field, size
        self.lost = lost_errors()
        resources = {"num_cpus": cpus, "num_gpus": gpus, "scheduling_strategy": "SPREAD"}
        self._make: Any = ray.remote(max_restarts=0, **resources)(Process)
        self._slots = [self._started() for _ in range(number)]
        weakref.finalize(self, _end, self._slots)
        wait([slot.about for slot in self._slots], timeout=START_SECONDS)
        count = sum(slot.about.done() for slot in self._slots)
        if count < number:
            raise UserError(
                f"{count} of {number} {field} could be started in {START_SECONDS} s: {size()}; "
                f"lower {field}, or wait until there is room"
            )
        self.wait()

    def __len__(self) -> int:
        return len(self._slots)

    def ready(self) -> list[int]:
        """The numbers of the actors that have started; lost ones are replaced. Raises `UserError`."""
        return [number for number in range(len(self)) if self._is_ready(number)]

    def starting(self) -> list["Future[About]"]:
        """The futures of the actors that have not started yet."""
        return [slot.about for slot in self._slots if not slot.about.done()]

    def wait(self) -> list[int]:
        """The numbers of the actors that have started, as soon as one has. Raises `UserError` where none does."""
        while not (ready := self.ready()):
            left = max(slot.since for slot in self._slots) + START_SECONDS - time.monotonic()
            if left < 0:
                raise UserError(
                    f"all {self.field} are lost, and none could be started again in {START_SECONDS} s: {self._size()}; "
                    f"start the same run again when there is room: it goes on"
                )
            wait(self.starting(), timeout=left, return_when=FIRST_COMPLETED)
        return ready

    def call(self, number: int, method: str, *arguments: Any) -> "Future[Any]":
        """Call a method of an actor. The future has its result, its error, or one of the errors `lost`."""
        slot, outcome = self._slots[number], Future[Any]()

        def done(reply: "Future[Outcome]") -> None:
            slot.lost = slot.lost or isinstance(reply.exception(), self.lost)
            _pass_on(reply, outcome)

        try:
            getattr(slot.actor, method).remote(*arguments).future().add_done_callback(done)
        except self.lost as error:
            slot.lost = True
            outcome.set_exception(error)
        return outcome

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of every actor without waiting for it."""
        for slot in self._slots:
            getattr(slot.actor, method).remote(*arguments)

    def _started(self, starts: int = 1) -> _Slot:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a later version of Ray
            actor = self._make.remote(str(Path.cwd()))
        return _Slot(actor, actor.about.remote().future(), time.monotonic(), starts)

    def _is_ready(self, number: int) -> bool:
        slot = self._slots[number]
        if not slot.lost and not slot.about.done():
            return False
        if not slot.lost:
            slot.lost = self._is_gone(slot)
        if slot.lost:
            note(f"one of the {len(self)} {self.field} was lost, another is started")
            _kill(slot)
            self._slots[number] = self._started(1 if slot.about.exception() is None else slot.starts + 1)
        return not slot.lost

    def _is_gone(self, slot: _Slot) -> bool:
        """Whether an actor ended while it started. Raises `UserError` where its node has other versions installed."""
        error = slot.about.exception()
        if error is not None:
            is_gone = isinstance(error, self.lost) and "ModuleNotFoundError" not in str(error)
            if is_gone and slot.starts < STARTS:
                return True
            raise _not_installed(error)
        about = slot.about.result()
        if (about.python, about.longdoc) != (PYTHON, __version__):
            raise UserError(
                f"{about.host} has longdoc {about.longdoc} with Python {about.python}, and this process "
                f"longdoc {__version__} with Python {PYTHON}: install the same on each node"
            )
        return False


def _not_installed(error: BaseException) -> UserError:
    last = [line for line in str(error).splitlines() if line.strip()][-1].strip()
    return UserError(
        f"a process of longdoc could not start on the cluster ({last}): "
        f"pip install 'longdoc[ray]=={__version__}' on each node, in the environment that Ray runs in"
    )


_printed: set[str] = set()


def _pass_on(done: "Future[Outcome]", future: "Future[Any]") -> None:
    """What a method returned or raised; what it said is printed, once however many actors say it."""
    try:
        outcome = done.result()
    except BaseException as error:
        future.set_exception(error)
        return
    for line in outcome.said:
        if line not in _printed:
            _printed.add(line)
            print(visible(line), file=sys.stderr)
    if outcome.error is not None:
        future.set_exception(outcome.error)
    else:
        future.set_result(outcome.value)


def _end(slots: list[_Slot]) -> None:
    for slot in slots:
        _kill(slot)


def _kill(slot: _Slot) -> None:
    import ray

    if ray.is_initialized():
        with suppress(Exception):  # it may be gone, and its node or the cluster with it
            ray.kill(slot.actor)
