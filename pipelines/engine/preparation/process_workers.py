"""Processes of this machine that prepare documents, started anew (`spawn`) so that no thread or lock is copied."""

import multiprocessing
import os
import pickle
import signal
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from longdoc import allowed_code
from longdoc.errors import UserError
from longdoc.own_packages import guarded_child_processes
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.document_worker import DocumentWorker, sendable
from pipelines.engine.preparation.workers import Workers, for_workers


class ProcessWorkers(Workers):
    """Some processes for these plans. They end with this object, and with the process that it is in."""

    lost = (BrokenProcessPool,)
    never_started = "a script that is not a module needs its own code under `if __name__ == '__main__':`"

    def __init__(self, number: int, plans: Sequence[Plan]) -> None:
        super().__init__(number)
        try:
            self._plans = pickle.dumps(for_workers(plans))
        except Exception as error:
            raise UserError(
                f"processes={number} needs components that can be sent to other processes ({error}): "
                f"name them by a string, or use threads (engine='local')"
            ) from None
        self._pools = [self._pool() for _ in range(number)]
        weakref.finalize(self, _end, self._pools)

    def submit(self, worker: int, method: str, *arguments: Any) -> "Future[Any]":
        """Call a method of a worker."""
        with guarded_child_processes():  # a pool starts its process when it is first called
            return self._pools[worker].submit(_call, method, arguments)

    def restart(self, worker: int) -> None:
        """Put a new process in the place of one that has ended."""
        self._pools[worker].shutdown(wait=False)
        self._pools[worker] = self._pool()

    def _pool(self) -> ProcessPoolExecutor:
        threads = max(1, (os.cpu_count() or 1) // len(self.busy))
        spawn = multiprocessing.get_context("spawn")
        settings = (self._plans, allowed_code.typed_modules(), threads)
        with guarded_child_processes():  # the first pool also starts Python's resource tracker, a process
            return ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin, initargs=settings)


def _end(pools: Sequence[ProcessPoolExecutor]) -> None:
    for pool in pools:
        pool.shutdown(wait=False, cancel_futures=True)


_plans = b""
_modules: tuple[str, ...] = ()
_worker: DocumentWorker | None = None


def _begin(plans: bytes, modules: tuple[str, ...], threads: int) -> None:
    """Set up a new process: it ignores interrupts, which its parent handles, and ends with its parent."""
    global _plans, _modules
    _plans, _modules = plans, modules
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # before torch is imported
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(method: str, arguments: tuple[Any, ...]) -> Any:
    """Call a method of this process's worker. Raises errors that can be sent to the parent."""
    global _worker
    try:
        if _worker is None:
            allowed_code.import_typed(_modules)
            _worker = DocumentWorker(pickle.loads(_plans))  # noqa: S301  # nosec B301  # the parent process made it
        return getattr(_worker, method)(*arguments)
    except Exception as error:
        raise sendable(error) from None
