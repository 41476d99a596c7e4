"""What a user can do about what the system refuses: a full disk, missing rights, a name that is too long."""

import errno

PATH = 100  # characters of a path in a message
ROOM_TEXT, RIGHTS = "make room", "get the right to it, or name another place"
OTHER = "name another place"
CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), ROOM_TEXT),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), RIGHTS),
    **dict.fromkeys((errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR), OTHER),
    errno.EFBIG: "raise the limit on the size of a file (ulimit -f), or name a place on another disk",
    errno.EIO: "the disk or the network failed, see to it, or name another place",
}


def error_with_hint(error: BaseException) -> str | None:
    """The refusal in one line, `run/run.json: No space left on device: make room`; None for any other error."""
    if not isinstance(error, OSError) or error.errno not in CURES:
        return None
    description = f"{str(error.filename)[:PATH]}: " if error.filename else ""
    return f"{description}{error.strerror}: {CURES[error.errno]}"
