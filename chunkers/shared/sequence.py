"""Which heading numbers continue the previous ones: the items of a numbered list do not."""

from chunkers.shared.counters import LETTER

Number = tuple[int, ...]


class Sequence:
    """The numbers of the headings so far, which the next ones continue."""

    def __init__(self) -> None:
        self.last: dict[str, Number] = {}
        self.dotted: dict[int, bool] = {}
        self.fresh = False  # after a chapter, numbers go on from its own or start again

    def takes(self, kind: str, number: Number, dotted: bool = False) -> bool:
        """Whether a heading continues the sequence; if so it becomes the latest."""
        if kind in ("part", "chapter"):
            self.fresh = True
            if kind == "chapter":
                self.last["chapter"] = number
            return True
        if kind not in ("number", "roman", "numeral"):
            return True
        if kind == "number" and self.dotted.get(len(number), dotted) != dotted:
            return False
        if not any(_follows(number, before) for before in self._before(kind, number)):
            return False
        self._take(kind, number, dotted)
        return True

    def _before(self, kind: str, number: Number) -> list[Number]:
        """The numbers that a heading may continue."""
        start: list[Number] = [()] if self.fresh or kind not in self.last else []
        if kind != "number":
            names = [kind]
        elif len(number) > 1:
            names = ["number", "several", "chapter"]
        else:
            names = ["number" if self._is_plain else "single"]
        return [*start, *(self.last[name] for name in names if name in self.last)]

    @property
    def _is_plain(self) -> bool:
        """Whether the numbers of one part are the chapters."""
        return "chapter" not in self.last

    def _take(self, kind: str, number: Number, dotted: bool) -> None:
        self.last[kind], self.fresh = number, False
        if kind == "number":
            self.last["several" if len(number) > 1 else "single"] = number
            self.dotted.setdefault(len(number), dotted)


def _follows(number: Number, last: Number) -> bool:
    """Whether a number continues another: one or two more at some level, and first ones below it."""
    same_count = 0
    while same_count < min(len(number), len(last)) and number[same_count] == last[same_count]:
        same_count += 1
    if same_count == len(number):
        return False
    if same_count < len(last):
        appendix = same_count == 0 and last[0] < LETTER <= number[0]
        return (appendix or 0 < number[same_count] - last[same_count] <= 2) and _first_ones(number[same_count + 1 :])
    return _first_ones(number[same_count:]) or (not last and number[0] == LETTER + ord("A") and _first_ones(number[1:]))


def _first_ones(numbers: Number) -> bool:
    return all(number <= 1 for number in numbers)
