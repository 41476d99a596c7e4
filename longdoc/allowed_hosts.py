"""Which servers a file may send texts to: this machine, and those that the user has allowed.

Allowed are the hosts of `--allow-host HOST` (`allow_hosts` in Python) while a command runs, those of the environment
variable LONGDOC_ALLOW_HOSTS (with commas between), and those that `--allow-host HOST --remember` has kept in the user's
own settings folder. Projects and runs have no such list: others may have written them. What a provider of models owns
is the readers' to know (`models.apis`). Where the user types an address, or passes it in Python, nothing is asked.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from longdoc import caches
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.files import write_whole

VARIABLE = "LONGDOC_ALLOW_HOSTS"
REMEMBERED_TEXT = "allowed_hosts"  # a file of the settings folder, one host a line
CURE_TEXT = "set XDG_CONFIG_HOME to a folder of your own"
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
    """Whether the user has allowed a host, for now or for good."""
    named_names = re.split(r"[,\s]+", os.environ.get(VARIABLE, "").strip())
    return (
        _allowed_values[host] > 0 or host in {_plain_text(name) for name in named_names} or host in remembered_hosts()
    )


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


def remember(*hosts: str) -> Path:
    """Allow hosts from now on, in the user's settings folder; the file. Raises `UserError` as `allow_hosts`."""
    names = [checked(host) for host in hosts]
    folder = caches.own_folder(settings_folder(), CURE_TEXT)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(folder, REMEMBERED_TEXT, "".join(f"{name}\n" for name in sorted({*remembered_hosts(), *names})))
    return folder / REMEMBERED_TEXT


def remembered_hosts() -> frozenset[str]:
    """The hosts that are allowed for good. Raises `UserError` for a list that another user has written."""
    file = caches.own_folder(settings_folder(), CURE_TEXT) / REMEMBERED_TEXT
    try:
        lines = caches.own_folder(file, CURE_TEXT).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(_plain_text(line) for line in lines if line.strip())


def settings_folder() -> Path:
    """The user's own: `longdoc` below XDG_CONFIG_HOME, else ~/Library/Application Support on macOS, else ~/.config.

    A relative XDG_CONFIG_HOME counts for nothing: it would be a folder of the project at hand.
    """
    path = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    usual_names = ("Library", "Application Support") if sys.platform == "darwin" else (".config",)
    return (path if path.is_absolute() else Path.home().joinpath(*usual_names)) / "longdoc"


def _plain_text(host: str) -> str:
    return host.strip().strip("[]").rstrip(".").lower()


def _is_name(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return bool(_NAME.fullmatch(name))
