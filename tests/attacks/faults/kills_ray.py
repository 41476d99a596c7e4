"""Processes that have Ray work for them, killed, started again, and compared with undisturbed ones."""

from tests.attacks.faults.killing.campaign import place, tables
from tests.attacks.faults.killing.ray_cluster import ray_cluster, ray_commands

TITLE = "Kills of the process that Ray works for"


def table(quick: bool) -> str:
    """Kill every command on Ray at every kind of its moments; with `quick` one of them."""
    with place() as where, ray_cluster() as address:
        tried = ray_commands(where.asked, address)
        return tables(where, tried[:1] if quick else tried)
