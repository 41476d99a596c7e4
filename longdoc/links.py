"""Symbolic links in folders from other people: nothing is written through them, and nothing outside is read by them.

The path that a user types may be a link, and so may the folders above it (`runs -> /scratch`). Links in a typed folder
are read if they lead to a place in that folder; if they lead out of it, only with `--follow-links`. A repository in a
hub's cache counts as one folder: its snapshots link to its blobs. Files inside a folder that longdoc writes are never
written through a link, wherever it leads.

Who can put a link there while the program runs may do more than that (docs/threat_model.md): files are opened so that a
link in the last place is refused by the system too, where it can (`O_NOFOLLOW`: not on Windows).
"""

import errno
import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from longdoc.arguments import checks_names
from longdoc.errors import UserError

VARIABLE = "LONGDOC_FOLLOW_LINKS"  # environment variable, so that child processes inherit it
REPOSITORIES = ("models--", "datasets--", "spaces--")  # beginnings of a repository's folder in a hub's cache
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)  # Windows lacks it: there links are only checked before


@checks_names
@contextmanager
def follow_links() -> Iterator[None]:
    """Read links that lead out of the typed folder while the block runs, in all threads and child processes.

    Files are still not written through links. The environment variable LONGDOC_FOLLOW_LINKS=1 has the same effect for a
    whole program.
    """
    previous = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "1"
    try:
        yield
    finally:
        if previous is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = previous


def are_followed() -> bool:
    """Whether links that lead out of the typed folder are read."""
    return os.environ.get(VARIABLE) == "1"


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a path below a folder really lies elsewhere, as it is a link or lies behind one."""
    return not Path(os.path.realpath(path)).is_relative_to(_one_folder(folder))


def check_inside(path: Path, folder: Path) -> Path:
    """The path, if it may be read as part of a typed folder. Raises `UserError` for a link that leads out of it."""
    if not are_followed() and leads_out(path, folder):
        raise UserError(
            f"{path} leads out of {folder} by a link, to {os.path.realpath(path)}: "
            "if you trust it, add --follow-links (in Python: with longdoc.pipelines.follow_links(): …)"
        )
    return path


def check_parts(folder: Path, names: Iterable[str], is_typed_elsewhere: bool = False) -> None:
    """`check_inside` for the names that a record in a folder gives as lying in it.

    `is_typed_elsewhere`: names that lead out by `..` or are absolute are not checked, as the runs of an ablation may
    lie beside it.
    """
    for name in names:
        if Path(name).is_absolute() or Path(os.path.normpath(name)).parts[:1] == ("..",):
            if not is_typed_elsewhere and not are_followed():
                raise UserError(
                    f"a record in {folder} names {name}, which lies outside it: "
                    "if you trust it, add --follow-links (in Python: with longdoc.pipelines.follow_links(): …)"
                )
        else:
            check_inside(folder / name, folder)


def check_files(folder: Path) -> None:
    """`check_inside` for each link directly in a folder."""
    if not are_followed():
        for link in _links(folder):
            check_inside(link, folder)


def check_tree(folder: Path) -> None:
    """`check_inside` for each link in a folder and below it."""
    if not are_followed():
        for link in _links_below(folder):
            check_inside(link, folder)


def refuse_link(path: Path) -> None:
    """Raise `UserError` if a file or folder that longdoc is about to write is a link."""
    if path.is_symlink():
        raise UserError(
            f"{path} is a link to {path.readlink()}, and nothing is written through links in a folder of longdoc's: "
            f"look at it, then type: rm {shlex.quote(str(path))}"
        )


def refuse_links_between(folder: Path, path: Path) -> None:
    """`refuse_link` for each part of `path` below `folder`; does nothing for other paths, which were typed."""
    ancestor, full_path = (Path(os.path.abspath(path)) for path in (folder, path))  # noqa: PTH100  (`resolve` follows links)
    if not full_path.is_relative_to(ancestor):
        return
    for part in full_path.relative_to(ancestor).parts:
        ancestor /= part
        refuse_link(ancestor)


def refuse_links_in(folder: Path) -> None:
    """`refuse_link` for each link directly in a folder, before work is done for it."""
    for link in _links(folder):
        refuse_link(link)


def refuse_links_below(folder: Path) -> None:
    """`refuse_link` for each link in a folder and below it."""
    for link in _links_below(folder):
        refuse_link(link)


def new_file(path: Path) -> BinaryIO:
    """A new file to write to. Raises `FileExistsError` if there is a file or link of that name."""
    return _opened(path, "xb")


def appended(path: Path) -> BinaryIO:
    """A file to append to, made if it is missing. Raises `UserError` for a link."""
    refuse_link(path)
    return _opened(path, "ab")


def _opened(path: Path, mode: Literal["xb", "ab"]) -> BinaryIO:
    try:
        return cast(BinaryIO, open(path, mode, opener=_not_through_a_link))  # noqa: PTH123, SIM115 Path's has no opener
    except OSError as error:
        if error.errno == errno.ELOOP:  # made a link since
            refuse_link(path)
        raise


def _not_through_a_link(path: str, flags: int) -> int:
    return os.open(path, flags | NO_FOLLOW, 0o666)  # less what the umask takes away, as without an opener


def _one_folder(folder: Path) -> Path:
    """The real path of a folder; for one in a hub's cache, that of the whole repository."""
    real_folder = Path(os.path.realpath(folder))
    for part in (real_folder, *real_folder.parents):
        if part.name.startswith(REPOSITORIES) and (part / "blobs").is_dir() and (part / "snapshots").is_dir():
            return part
    return real_folder


def _links(folder: Path) -> list[Path]:
    """The links directly in a folder, sorted; none if it is missing or unreadable."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(folder, entry.name) for entry in entries if entry.is_symlink())
    except OSError:
        return []


def _links_below(folder: Path) -> Iterator[Path]:
    for place, below, names in os.walk(folder):
        yield from (path for name in sorted((*below, *names)) if (path := Path(place, name)).is_symlink())
