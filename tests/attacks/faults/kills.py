"""Processes killed at every kind of moment, started again, and compared with undisturbed ones."""

from tests.attacks.faults.killing.campaign import place_for_trials, tables
from tests.attacks.faults.killing.commands import commands
from tests.attacks.faults.killing.components import paid_server

TITLE = "Kills"


def table(quick: bool) -> str:
    """Kill every command on this machine at every kind of its moments; with `quick` one of them."""
    with place_for_trials() as where, paid_server(where.asked_file) as url:
        commands_killed = commands(where.asked_file, url)
        return tables(where, commands_killed[-1:] if quick else commands_killed)
