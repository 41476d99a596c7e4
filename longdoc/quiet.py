"""Silences the libraries that load and save networks: no progress bars and warnings on stderr."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings and no progress bars of `transformers` and sentence-transformers."""
    from transformers import utils

    remarks: Any = utils.logging
    logger = logging.getLogger("sentence_transformers")
    level, verbosity, bars = logger.level, remarks.get_verbosity(), remarks.is_progress_bar_enabled()
    logger.setLevel(logging.ERROR)
    remarks.set_verbosity_error()
    remarks.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        remarks.set_verbosity(verbosity)
        if bars:
            remarks.enable_progress_bar()
