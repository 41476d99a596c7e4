"""A Ray for all trials, in a process of its own, and the commands that run on it."""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.attacks.faults.killing.commands import run, shards_and_merge
from tests.attacks.faults.killing.components import BATCH, NotingReader, NotingStreamingReader
from tests.attacks.faults.killing.trial import Command

ROOT = Path(__file__).parents[4]
START_SECONDS = 180
STARTS = 3  # on a busy machine its processes do not wait long enough for each other
VARIABLES = {  # seconds and milliseconds that they do wait
    "PYTHONPATH": str(ROOT),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_raylet_start_wait_time_s": "120",
    "RAY_gcs_server_port_wait_time_s": "120",
    "RAY_agent_register_timeout_ms": "120000",
}
START = """
import ray, sys
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}
ray.init(address="local", num_cpus=8, object_store_memory=80_000_000, **quiet)
print("at", ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown()
"""
READERS, BATCHES = 2, 2  # actors that read, and batches that each of them has at once


def ray_commands(asked_file: Path, address: str) -> list[Command]:
    """Runs whose process is killed while actors read for it."""
    reader = NotingReader(str(asked_file))
    engines = tuple(f"ray:address={address},readers={n},workers={m}" for n, m in ((1, 1), (READERS, 2)))
    under_way = READERS * BATCHES * BATCH
    return [
        Command("run by Ray, stuff", partial(run, reader), under_way, engines),
        Command("run by Ray, map_reduce", partial(run, reader, strategy="map_reduce"), under_way, engines),
        Command(
            "run by Ray, streamed",
            partial(run, NotingStreamingReader(str(asked_file)), strategy="refine"),
            under_way,
            engines,
        ),
        Command("shards and merge by Ray", partial(shards_and_merge, reader), under_way, (*engines, "local")),
    ]


@contextmanager
def ray_cluster() -> Iterator[str]:
    """Start Ray on this machine, in a process of its own; its address."""
    os.environ |= VARIABLES
    for _ in range(STARTS):
        with subprocess.Popen(
            [sys.executable, "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            line = "ray"
            while line and not line.startswith("at "):
                readable, _, _ = select.select([process.stdout], [], [], START_SECONDS)
                line = process.stdout.readline() if readable else ""
            try:
                if line:
                    yield line.split()[1]
                    return
                process.kill()
            finally:
                process.stdin.close()  # which ends it
    raise RuntimeError(f"Ray could not be started, {STARTS} times")
