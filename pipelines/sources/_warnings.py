"""What reading has to say that is no error: warnings of one pass over the data."""

SHOWN = 20


class Warnings:
    """Adds to a list of warnings. What repeats is counted, and told once with its first places when the pass ends.

    A place is named once, however often it is counted.
    """

    def __init__(self, warnings: list[str]) -> None:
        self.warnings = warnings
        self._added: list[str] = []
        self._locations: dict[str, list[str]] = {}

    def restart(self) -> None:
        """Take back what the last pass said: a fresh pass finds it again."""
        for text in self._added:
            if text in self.warnings:
                self.warnings.remove(text)
        self._added.clear()
        self._locations.clear()

    def add(self, text: str) -> None:
        """One warning, now."""
        self.warnings.append(text)
        self._added.append(text)

    def count(self, what: str, where: str) -> None:
        """One more of a kind. `what` is a plural with what was done about it, `where` the place."""
        self._locations.setdefault(what, []).append(where)

    def close(self) -> None:
        """The pass is over, or was stopped: tell what was counted."""
        for what, places in self._locations.items():
            each = list(dict.fromkeys(places))
            more = " …" if len(each) > SHOWN else ""
            self.add(f"{what}: {len(places):,} ({', '.join(each[:SHOWN])}{more})")
        self._locations.clear()
