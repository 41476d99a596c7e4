"""The command `longdoc`. The command line is in a higher layer, so it is imported by name."""

import os
import signal
from importlib import import_module

from longdoc.errors import UserError
from longdoc.layout import module_name
from longdoc.shadow import find_ours_first
from longdoc.visible import note

INTERRUPTED = 130  # the exit code of shells for SIGINT


def main() -> None:
    """Run the command line; an error the user can fix is one line on stderr and exit code 2."""
    find_ours_first()
    try:
        import_module(module_name("pipelines.cli.main")).main()
    except UserError as error:
        note(error)
        raise SystemExit(2) from None
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # Python waits for threads, and a second Ctrl-C ends that
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        raise
    except KeyboardInterrupt:  # while the command line was still being imported
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
