"""Processes killed at every kind of moment, started again, and compared with undisturbed ones."""

import os
import random
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.faults.killing.commands import commands, paid_environment
from tests.faults.killing.components import paid_server
from tests.faults.killing.moments import RANDOM
from tests.faults.killing.trial import Place, kill_at, killed, undisturbed

TITLE = "Kills"


def table(quick: bool) -> str:
    """The table of moments and outcomes."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Place(Path(folder))
        paid_environment()
        url = stack.enter_context(paid_server(place.asked))
        for command in commands(place.asked, url):
            if not any(o in command.name for o in os.environ.get("ONLY", "").split(";")):
                continue
            whole = undisturbed(command, place)
            whole = undisturbed(command, place)
            print(command.name, round(whole.seconds, 2), dict(whole.moments), whole.asked.total())
            for kind in [*whole.moments, RANDOM]:
                kill = kill_at(kind, whole, chance)
                trial = killed(command, whole, place, kill, chance)
                if trial.problems:
                    print(kill, trial)
    return ""
