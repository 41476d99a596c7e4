"""What is logged while a test runs.

pytest's own plugin is off (`addopts`): its handlers around each phase of each test took a twentieth of the whole suite.
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
        """What was logged, without levels and names."""
        return [record.getMessage() for record in self.records]

    @property
    def text(self) -> str:
        """All of it, with tracebacks."""
        return "\n".join(map(self.format, self.records))

    def set_level(self, level: int, name: str | None = None) -> None:
        """The level of a logger until the test ends; without a name the root's."""
        logger = logging.getLogger(name)
        self._levels.append((logger, logger.level))
        logger.setLevel(level)

    def restore_levels(self) -> None:
        """What they were before."""
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
