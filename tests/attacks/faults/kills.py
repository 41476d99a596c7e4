"""Processes killed at every kind of moment, started again, and compared with undisturbed ones."""

from tests.attacks.faults.killing.campaign import place, tables
from tests.attacks.faults.killing.commands import commands
from tests.attacks.faults.killing.components import paid_server

TITLE = "Kills"


def table(quick: bool) -> str:
    """Kill every command on this machine at every kind of its moments; with `quick` one of them."""
    with place() as where, paid_server(where.asked) as url:
        tried = commands(where.asked, url)
        return tables(where, tried[-1:] if quick else tried)
