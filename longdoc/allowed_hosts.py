"""Which servers a file may send texts to: this machine, and those that the user has allowed.

Allowed are the hosts of `--allow-host HOST` (`allow_hosts` in Python) while a command runs, and those of the
environment variable LONGDOC_ALLOW_HOSTS (with commas). Projects and runs have no such list, as others may have written
them. The hosts of model providers are known to their readers (`models.apis`). Addresses that the user types, or passes
in Python, are not checked.
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

_allowed_hosts: Counter[str] = Counter()  # of the whole process: components are also made in threads


@checks_names
@contextmanager
def allow_hosts(*hosts: str) -> Iterator[None]:
    """Let files name servers on these hosts while the block runs. Raises `UserError` for an invalid name of a host."""
    names = [checked(host) for host in hosts]
    _allowed_hosts.update(names)
    try:
        yield
    finally:
        _allowed_hosts.subtract(names)


def check_host(host: str, description: str) -> None:
    """Raise `UserError` if `host` is neither this machine nor allowed; `description` names the file with it."""
    if not (is_this_machine(host) or is_allowed(host)):
        raise UserError(
            f"{description} sends the texts to {host}, which is neither the provider's own server nor this "
            "machine: if you "
            f"trust it, add --allow-host {host} (in Python: with longdoc.pipelines.allow_hosts({host!r}): …)"
        )


def is_allowed(host: str) -> bool:
    """Whether the user has allowed a host."""
    hosts = re.split(r"[,\s]+", os.environ.get(VARIABLE, "").strip())
    return _allowed_hosts[host] > 0 or host in {_plain_name(name) for name in hosts}


def is_this_machine(host: str) -> bool:
    """Whether a host is a loopback address, or localhost."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host in an address, in lower case; the text itself if it has none."""
    try:
        return _plain_name(urlsplit(url).hostname or url)
    except ValueError:
        return url


def checked(host: str) -> str:
    """A host's name in the form in which names are compared. Raises `UserError` for anything but a host's name."""
    name = _plain_name(host)
    if _is_name(name):
        return name
    inner = host_of(host if "//" in host else f"//{host}")
    hint = f"--allow-host {inner}" if _is_name(inner) else "as in --allow-host gpu1.example.org"
    raise UserError(f"--allow-host takes the name of a host, got {host!r}: give it alone, {hint}")


def _plain_name(host: str) -> str:
    """A host's name in lower case, without brackets and a final dot."""
    return host.strip().strip("[]").rstrip(".").lower()


def _is_name(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return bool(_NAME.fullmatch(name))
