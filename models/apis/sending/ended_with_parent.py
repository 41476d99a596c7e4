"""Run a program, given as arguments, and end it when standard input closes: when the process that started it ended.

So no server is left behind, whatever ended that process: an error, Ctrl-C, a closed terminal, the kernel. Both are in a
session of their own, so that what the program started itself ends too.
"""

import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    """Run the program, and exit as it does."""
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603  # nosec B603  # longdoc's own list

    def end() -> None:
        os.read(0, 1)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)  # it has nothing to save, and may be in the middle of a long prompt
        program.kill()

    threading.Thread(target=end, daemon=True).start()
    sys.exit(program.wait())


if __name__ == "__main__":
    main()
