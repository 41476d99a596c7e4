"""The connection to Ray: to a cluster by its address, or a Ray of its own on this machine that ends with it."""

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

from longdoc.child_processes import guarded_elsewhere
from longdoc.errors import UserError
from longdoc.optional import need
from longdoc.plurals import counted
from longdoc.visible import note

ANSWER_SECONDS = 10  # for a cluster to answer at its address
STARTS = 3  # of a Ray of its own: it fails where one of its processes takes over 15 s, which no variable changes
TRIES = "RAY_gcs_server_port_wait_time_s"  # Ray's variable: how often it tries to connect, once a second, 20 without it
LATE_TEXT = "timed out during startup"  # in the words of Ray
STORE_BYTES = 500_000_000  # of a Ray of its own: holds the documents that are being prepared
PORTS = {"": 6379, "ray": 10001}


class Cluster:
    """A connection. `own`: Ray was started for it, with as many CPUs as are asked for, and ends with it.

    A process that is connected already uses that connection where no address is given, and leaves it open.
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

    def check(self, number: int, cpus: int, gpus: float, field: str, taken_count: int) -> None:
        """Raise `UserError` where actors that ask for so much could never start; others hold `taken_count` CPUs."""
        nodes = [node["Resources"] for node in _nodes()]
        if gpus:
            fitting = sum(int(node.get("GPU", 0) // gpus) for node in nodes)
            if fitting < number:
                limit_text = f"lower {field} to {fitting}" if fitting else "lower gpus, or leave it out to read on CPUs"
                raise UserError(f"{field}={number},gpus={gpus:g} need more than there is: {self.size()}; {limit_text}")
        fitting = sum(int(node.get("CPU", 0) // cpus) for node in nodes) - ceil(taken_count / cpus)
        if fitting < number:
            beside = f" beside the {taken_count} of the readers" if taken_count else ""
            limit_text = f"lower {field} to {fitting}" if fitting > 0 else "lower readers or cpus"
            raise UserError(
                f"{field}={number} of {counted(cpus, 'CPU')} each{beside} need more than there is: "
                f"{self.size()}; {limit_text}"
            )

    def size(self) -> str:
        """What the cluster has, and what of it is free, in words."""
        import ray

        whole_value, free = ray.cluster_resources(), ray.available_resources()
        location = "this machine" if self.own else f"the cluster ({len(_nodes())} nodes)"
        parts = (f"{whole_value.get(value, 0):g} {value}s ({free.get(value, 0):g} free)" for value in ("CPU", "GPU"))
        return f"{location} has {' and '.join(parts)}"


def _nodes() -> list[dict[str, Any]]:
    import ray

    return [node for node in ray.nodes() if node["Alive"]]


def _check_address(address: str) -> None:
    """Raise `UserError` for an address at which nothing listens: Ray itself tries for minutes."""
    if address in ("auto", "local"):
        return
    scheme, _, rest = address.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        host, port = parts.hostname, parts.port or (PORTS[scheme] if scheme == "ray" else None)
    except (KeyError, ValueError):
        host, port = None, None
    if scheme not in PORTS or host is None or port is None:
        raise UserError(f"address={address!r} is none of Ray's: give auto, HOST:6379 or ray://HOST:10001")
    try:
        socket.create_connection((host, port), timeout=ANSWER_SECONDS).close()
    except OSError as error:
        raise _no_cluster(address, error.strerror or str(error)) from None


def _connect(ray: Any, **arguments: Any) -> None:
    """Connect, and leave the signals to the program. Raises `UserError`."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with warnings.catch_warnings(), guarded_elsewhere():
            warnings.simplefilter("ignore")
            if arguments["address"] == "local":
                _start(ray, **arguments)
            else:
                with _bounded():
                    ray.init(**arguments)
        _silence()
    except Exception as error:  # Ray raises of all kinds, and a bare one where a process of it is late
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        if "ersion mismatch" in str(error):
            raise UserError(f"{'; '.join(lines)}: install the same here and on each node") from None
        raise _no_cluster(arguments["address"], lines[0] if lines else type(error).__name__) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


def _start(ray: Any, **arguments: Any) -> None:
    """Start Ray here; again where the machine is so busy that its processes were late for each other.

    What is left of an attempt ends with this process.
    """
    for left in reversed(range(STARTS)):
        try:
            ray.init(**arguments)
        except Exception as error:  # a bare one is what Ray raises then
            if not left or LATE_TEXT not in str(error):
                raise
            note("this machine is busy, and Ray's processes were late: it is started again")
        else:
            return


@contextmanager
def _bounded() -> Iterator[None]:
    """Let Ray try for `ANSWER_SECONDS`, unless its own variable says otherwise, and leave out its line of each try.

    Its C++ code writes them to stderr whatever RAY_BACKEND_LOG_LEVEL is. Not for a Ray that is started here, whose
    processes would inherit this stderr.
    """
    is_given = TRIES in os.environ
    os.environ.setdefault(TRIES, str(ANSWER_SECONDS))
    stderr = os.dup(2)
    with tempfile.TemporaryFile() as caught_value:
        os.dup2(caught_value.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            if not is_given:
                del os.environ[TRIES]
            caught_value.seek(0)
            for line in caught_value:
                if b"gcs_client.cc" not in line:
                    os.write(2, line)


def _silence() -> None:
    """Keep what Ray says of lost processes off stdout, where results are printed: the pool says it in a line.

    `log_to_driver` does not reach these messages, and no other public setting does.
    """
    with suppress(ImportError):  # a later Ray may have moved it: then it prints
        from ray._private import worker

        worker._worker_logs_enabled = False


def _no_cluster(address: str, reason: str) -> UserError:
    if address == "local":
        if "AF_UNIX" in reason:
            return UserError(
                f"Ray could not start on this machine: its temporary folder has too long a path ({reason}); "
                f"name a short one: export RAY_TMPDIR=/tmp"
            )
        if LATE_TEXT in reason:
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
