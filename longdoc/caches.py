"""Folders of caches, readable by the user only: in the folder LONGDOC_CACHE, else in the system's place.

That is `~/.cache/longdoc` on Linux, or below XDG_CACHE_HOME, and `~/Library/Caches/longdoc` on macOS.

They contain texts of documents, replies and questions, and their content is trusted. So nobody else may read them
(0700), and a folder or link made by another user is refused, as they could have put anything into it.
"""

import os
from pathlib import Path

from longdoc.errors import UserError


def home() -> Path:
    """The folder of all caches."""
    from platformdirs import user_cache_path

    return Path(os.environ.get("LONGDOC_CACHE") or user_cache_path("longdoc", appauthor=False))


def own_folder(folder: Path) -> Path:
    """The folder itself, existing or not. Raises `UserError` if it belongs to another user."""
    for facts in (folder.lstat, folder.stat):
        try:
            owner = facts().st_uid
        except OSError:  # missing or unreadable: opening a file in it will say so
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
