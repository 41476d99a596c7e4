"""The names of this project's models, tasks, solvers and scorers in inspect_ai: `longdoc/NAME`, also in a checkout."""

from longdoc.own_packages import IN_WHEEL

PACKAGE = "longdoc"


def registered(name: str) -> str:
    """The name to register: inspect_ai itself prefixes it with the name of an installed package."""
    return name if IN_WHEEL else qualified(name)


def qualified(name: str) -> str:
    """The full name, as users type it and logs have it."""
    return f"{PACKAGE}/{name}"
