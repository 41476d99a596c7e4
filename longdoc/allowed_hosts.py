"""Which servers a file may send texts to: this machine, and those that the user has allowed.

Allowed are the hosts of `--allow-host HOST` (`allow_hosts` in Python) while a command runs, and those of the
environment variable LONGDOC_ALLOW_HOSTS (with commas between). Projects and runs have no such list: others may have
written them. What a provider of models owns is the readers' to know (`models.apis`). Where the user types an address,
or passes it in Python, nothing is asked.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

from longdoc.arguments import checks_names
from longdoc.errors import UserError

VARIABLE = "LONGDOC_ALLOW_HOSTS"
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")

_allowed_values: Counter[str] = Counter()  # of the whole process: components are also made in threads


@checks_names
@contextmanager
def allow_hosts(*hosts: str) -> Iterator[None]:
    """Let files name servers on these hosts while the block runs. Raises `UserError` for what is no host's name."""
    names = [checked(host) for host in hosts]
    _allowed_values.update(names)
    try:
        yield
    finally:
        _allowed_values.subtract(names)


def check_host(host: str, description: str) -> None:
    """Raise `UserError` where `host` is neither this machine nor allowed; `description` names its file."""
    if not (is_this_machine(host) or is_allowed(host)):
        raise UserError(
            f"{description} sends the texts to {host}, which is neither the provider's own server nor this "
            "machine: if you "
            f"trust it, add --allow-host {host} (in Python: with longdoc.allow_hosts({host!r}): …)"
        )


def is_allowed(host: str) -> bool:
    """Whether the user has allowed a host."""
    named_names = re.split(r"[,\s]+", os.environ.get(VARIABLE, "").strip())
    return _allowed_values[host] > 0 or host in {_plain_text(name) for name in named_names}


def is_this_machine(host: str) -> bool:
    """Whether a host is a loopback address, or localhost."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host in an address, in lower case; the text itself where it has none."""
    try:
        return _plain_text(urlsplit(url).hostname or url)
    except ValueError:
        return url


def checked(host: str) -> str:
    """A host's name as it is compared. Raises `UserError` for an address with more in it, and for no name."""
    name = _plain_text(host)
    if _is_name(name):
        return name
    inner = host_of(host if "//" in host else f"//{host}")
    hint = f"--allow-host {inner}" if _is_name(inner) else "as in --allow-host gpu1.example.org"
    raise UserError(f"--allow-host takes the name of a host, got {host!r}: give it alone, {hint}")


def _plain_text(host: str) -> str:
    return host.strip().strip("[]").rstrip(".").lower()


def _is_name(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return bool(_NAME.fullmatch(name))
