"""Processes that have Ray work for them, killed, started again, and compared with undisturbed ones."""

from tests.attacks.faults.killing.campaign import place_for_trials, tables
from tests.attacks.faults.killing.ray_cluster import ray_cluster, ray_commands

TITLE = "Kills of the process that Ray works for"


def table(quick: bool) -> str:
    """Kill every command on Ray at every kind of its moments; with `quick` one of them."""
    with place_for_trials() as where, ray_cluster() as address:
        commands = ray_commands(where.asked_file, address)
        return tables(where, commands[:1] if quick else commands)
