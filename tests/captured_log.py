"""What is logged while a test runs.

pytest's own plugin is off (`addopts`): its handlers around each phase of each test took 5 % of the suite's time.
"""

import logging
from collections.abc import Iterator

import pytest


class CapturedLog(logging.Handler):
    """A handler that keeps the records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self._levels: list[tuple[logging.Logger, int]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    @property
    def messages(self) -> list[str]:
        """The logged messages, without levels and logger names."""
        return [record.getMessage() for record in self.records]

    @property
    def text(self) -> str:
        """All messages, with tracebacks."""
        return "\n".join(map(self.format, self.records))

    def set_level(self, level: int, name: str | None = None) -> None:
        """Set the level of a logger (by default the root) until the test ends."""
        logger = logging.getLogger(name)
        self._levels.append((logger, logger.level))
        logger.setLevel(level)

    def restore_levels(self) -> None:
        """Undo `set_level`."""
        while self._levels:
            logger, level = self._levels.pop()
            logger.setLevel(level)


@pytest.fixture
def log() -> Iterator[CapturedLog]:
    """What is logged while the test runs."""
    handler = CapturedLog()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)
    handler.restore_levels()
