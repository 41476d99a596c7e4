"""Folders of caches, for the user alone: below the folder that LONGDOC_CACHE names (default `~/.cache/longdoc`).

They hold texts of documents, replies and questions, and what is in them is believed. So nobody else may read them
(0700), and one that another user has made, or a link of theirs, is refused: they could have put anything into it.
"""

import os
from pathlib import Path

from longdoc.errors import UserError


def home() -> Path:
    """The folder of all caches."""
    return Path(os.environ.get("LONGDOC_CACHE") or Path.home() / ".cache" / "longdoc")


def own_folder(folder: Path) -> Path:
    """A cache's folder, there or not. Raises `UserError`, with the cure, for one that belongs to another user."""
    for facts in (folder.lstat, folder.stat):
        try:
            owner = facts().st_uid
        except OSError:  # not there, or not to be looked at: who opens a file in it will be told
            return folder
        user = os.geteuid() if hasattr(os, "geteuid") else 0  # POSIX alone: on Windows rights are those of the profile
        if owner not in (user, 0) and user:  # in containers, folders of other users are root's to use
            raise UserError(
                f"{folder} belongs to another user (uid {owner}), who may have put anything into it: "
                "set LONGDOC_CACHE to a folder of your own"
            )
    return folder


def make(folder: Path) -> Path:
    """The folder, made if it is missing, for the user alone. Raises `UserError` as `own_folder`, and `OSError`."""
    if not folder.parent.exists():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    own_folder(folder)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)
    return folder
