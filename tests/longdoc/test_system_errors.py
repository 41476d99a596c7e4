"""What the system refuses, in one line."""

import errno
import os

from longdoc.system_errors import error_with_hint


def test_a_limit_on_the_size_of_files_is_named_with_its_command() -> None:
    error = OSError(errno.EFBIG, os.strerror(errno.EFBIG), "runs/a/requests.jsonl")
    assert error_with_hint(error) == (
        "runs/a/requests.jsonl: File too large: raise the limit on the size of a file (ulimit -f), or name a place on "
        "another disk"
    )
    assert error_with_hint(OSError(errno.EBADF, "x")) is None and error_with_hint(ValueError()) is None
