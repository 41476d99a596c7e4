"""The names under which inspect_ai knows what this project has: `longdoc/NAME`, in a checkout as from the wheel."""

from longdoc.layout import IN_WHEEL

PACKAGE = "longdoc"


def registered(name: str) -> str:
    """The name to register: inspect_ai itself puts the name of an installed package before it."""
    return name if IN_WHEEL else qualified(name)


def qualified(name: str) -> str:
    """The name as users type it and logs have it."""
    return f"{PACKAGE}/{name}"
