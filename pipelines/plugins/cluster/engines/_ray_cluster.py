"""The connection to Ray: to a cluster by its address, or to a local Ray that ends with the connection."""

import logging
import os
import signal
import socket
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from longdoc.errors import UserError
from longdoc.messages import counted, note
from longdoc.optional import need
from longdoc.own_packages import guarded_child_processes_elsewhere

ANSWER_SECONDS = 10  # within which a cluster has to answer at its address
STARTS = 3  # of a local Ray: it fails if one of its processes takes over 15 s, which no variable changes
TRIES = "RAY_gcs_server_port_wait_time_s"  # Ray's variable: how often it tries to connect, once a second, 20 without it
LATE = "timed out during startup"  # in Ray's error message
STORE_BYTES = 500_000_000  # of a local Ray's object store, for the documents that are being prepared
PORTS = {"": 6379, "ray": 10001}


class Cluster:
    """A connection. `own`: a local Ray was started for it, with `cpus` CPUs, and ends with it.

    In a process that is connected already, a connection without an address uses that one, and leaves it open.
    """

    def __init__(self, address: str | None, cpus: int) -> None:
        ray = need("ray", "ray", "the engine ray")
        self.own = False
        os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # else Ray puts its own function in the place of `print`
        if ray.is_initialized():
            if address is not None:
                raise UserError("this process is connected to Ray already: leave address out, or call ray.shutdown()")
            return
        self.own = address is None
        quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
        if address is None:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            store = {"include_dashboard": False, "object_store_memory": STORE_BYTES}
            _connect(ray, address="local", num_cpus=cpus, **store, **quiet)
        else:
            _check_address(address)
            _connect(ray, address=address, **quiet)
        weakref.finalize(self, _end)

    def check(self, number: int, cpus: int, gpus: float, field: str, taken: int) -> None:
        """Raise `UserError` where the cluster has no room for these actors; other actors hold `taken` CPUs."""
        nodes = [node["Resources"] for node in _nodes()]
        if gpus:
            fitting = sum(int(node.get("GPU", 0) // gpus) for node in nodes)
            if fitting < number:
                advice = f"lower {field} to {fitting}" if fitting else "lower gpus, or leave it out to read on CPUs"
                raise UserError(f"{field}={number},gpus={gpus:g} need more than there is: {self.size()}; {advice}")
        fitting = sum(int(node.get("CPU", 0) // cpus) for node in nodes) - ceil(taken / cpus)
        if fitting < number:
            beside = f" beside the {taken} of the readers" if taken else ""
            advice = f"lower {field} to {fitting}" if fitting > 0 else "lower readers or cpus"
            raise UserError(
                f"{field}={number} of {counted(cpus, 'CPU')} each{beside} need more than there is: "
                f"{self.size()}; {advice}"
            )

    def size(self) -> str:
        """How many CPUs and GPUs the cluster has, and how many are free, in words."""
        import ray

        total, free = ray.cluster_resources(), ray.available_resources()
        location = "this machine" if self.own else f"the cluster ({len(_nodes())} nodes)"
        parts = (f"{total.get(kind, 0):g} {kind}s ({free.get(kind, 0):g} free)" for kind in ("CPU", "GPU"))
        return f"{location} has {' and '.join(parts)}"


def _nodes() -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"]]


def _check_address(address: str) -> None:
    """Raise `UserError` for an address at which nothing listens; Ray itself would try for minutes."""
    if address in ("auto", "local"):
        return
    scheme, _, rest = address.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname, parts.port or (PORTS[scheme] if scheme == "ray" else None)
    except (KeyError, ValueError):
        host, port = None, None
    if scheme not in PORTS or host is None or port is None:
        raise UserError(f"address={address!r} is not an address of Ray: give auto, HOST:6379 or ray://HOST:10001")
    try:
        socket.create_connection((host, port), timeout=ANSWER_SECONDS).close()
    except OSError as error:
        raise _no_cluster(address, error.strerror or str(error)) from None


def _connect(ray: Any, **arguments: Any) -> None:
    """Connect, and restore the program's signal handler. Raises `UserError`."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with warnings.catch_warnings(), guarded_child_processes_elsewhere():
            warnings.simplefilter("ignore")
            if arguments["address"] == "local":
                _start(ray, **arguments)
            else:
                with _bounded():
                    ray.init(**arguments)
        _silence()
    except Exception as error:  # Ray raises errors of all types; `Exception` itself where one of its processes is late
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        if "ersion mismatch" in str(error):
            raise UserError(f"{'; '.join(lines)}: install the same here and on each node") from None
        raise _no_cluster(arguments["address"], lines[0] if lines else type(error).__name__) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


def _start(ray: Any, **arguments: Any) -> None:
    """Start a local Ray; try again where the machine is so busy that Ray's processes were late.

    Processes left by a failed attempt end with this process.
    """
    for tries_left in reversed(range(STARTS)):
        try:
            ray.init(**arguments)
        except Exception as error:  # Ray raises `Exception` itself then
            if not tries_left or LATE not in str(error):
                raise
            note("this machine is busy and Ray's processes were late: Ray is started again")
        else:
            return


@contextmanager
def _bounded() -> Iterator[None]:
    """Let Ray try for `ANSWER_SECONDS`, unless its own variable is set, and drop its message of each try from stderr.

    Ray's C++ code writes these messages whatever RAY_BACKEND_LOG_LEVEL is. Not for a local Ray, whose processes would
    inherit this stderr.
    """
    is_given = TRIES in os.environ
    os.environ.setdefault(TRIES, str(ANSWER_SECONDS))
    stderr = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            if not is_given:
                del os.environ[TRIES]
            caught.seek(0)
            for line in caught:
                if b"gcs_client.cc" not in line:
                    os.write(2, line)


def _silence() -> None:
    """Keep Ray's messages about lost processes off stdout, where results are printed; the pool reports each in a line.

    `log_to_driver` does not reach these messages, and no other public setting does.
    """
    with suppress(ImportError):  # a later version may have moved it; then Ray prints
        from ray._private import worker

        worker._worker_logs_enabled = False


def _no_cluster(address: str, reason: str) -> UserError:
    """The error for a cluster that does not answer, or a local Ray that does not start."""
    if address == "local":
        if "AF_UNIX" in reason:
            return UserError(
                f"Ray could not start on this machine: its temporary folder has too long a path ({reason}); "
                f"name a short one: export RAY_TMPDIR=/tmp"
            )
        if LATE in reason:
            return UserError(
                f"Ray could not start on this machine: its processes were late, {STARTS} times; "
                f"start the same command again when the machine is less busy"
            )
        return UserError(f"Ray could not start on this machine: {reason}")
    start = "leave address out for a Ray of its own, or start one: ray start --head"
    return UserError(f"no Ray cluster answers at address={address} ({reason}): {start}")


def _end() -> None:
    import ray

    ray.shutdown()
