"""Opening a page in the user's browser, if there is one."""

import os
import sys
import webbrowser
from pathlib import Path

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # one of them is set where a browser can show itself


def open_page(file: Path) -> bool:
    """Open a file, and return whether it was opened; not without a screen, where a browser would take the terminal."""
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        return False
    try:
        return webbrowser.open(file.resolve().as_uri())
    except webbrowser.Error:
        return False
