"""Warnings of one pass over the data."""

MAX_SHOWN = 20


class Warnings:
    """Adds to a list of warnings. Repeated ones are counted, and added once, when a pass ends.

    The first locations are named, each once, however often it was counted.
    """

    def __init__(self, warnings: list[str]) -> None:
        self.warnings = warnings
        self._added: list[str] = []
        self._locations: dict[str, list[str]] = {}
        self._totals: dict[str, int] = {}

    def restart(self) -> None:
        """Remove the warnings of the last pass; the new pass will find them again."""
        for text in self._added:
            if text in self.warnings:
                self.warnings.remove(text)
        self._added.clear()
        self._locations.clear()
        self._totals.clear()

    def add(self, text: str) -> None:
        """Add a warning at once."""
        self.warnings.append(text)
        self._added.append(text)

    def count(self, description: str, location: str) -> None:
        """Count one more warning of a kind. `description` is a plural with what was done about it."""
        self._locations.setdefault(description, []).append(location)

    def add_total(self, description: str, number: int) -> None:
        """Add to the total of a kind, 57 in "3 of 57"."""
        self._totals[description] = self._totals.get(description, 0) + number

    def close(self) -> None:
        """Add the counted warnings, when the pass is over or was stopped."""
        for description, locations in self._locations.items():
            distinct = list(dict.fromkeys(locations))
            ellipsis = " …" if len(distinct) > MAX_SHOWN else ""
            total = f" of {self._totals[description]:,}" if description in self._totals else ""
            self.add(f"{description}: {len(locations):,}{total} ({', '.join(distinct[:MAX_SHOWN])}{ellipsis})")
        self._locations.clear()
        self._totals.clear()
