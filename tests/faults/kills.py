"""Processes killed at every kind of moment, resumed, and compared with undisturbed ones."""

TITLE = "Kills"


def table(quick: bool) -> str:
    """The table of moments and outcomes."""
    return ""
