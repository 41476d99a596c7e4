"""Pairs of paragraphs to learn from and to set a threshold by (`models.author_pairs`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from models.author_pairs import Bools, Taught, taught
from models.requests import Compare, Lesson


@dataclass(frozen=True, slots=True)
class Drawn:
    """Drawn pairs, as many of one author as of two where a document has both, and neighbours beside them."""

    known: Taught

    def texts(self, neighbours: bool = False) -> Iterator[tuple[str, str, bool]]:
        """(first, second, one author) of each drawn pair, or of the neighbours."""
        known = self.known
        for at in (known.neighbours if neighbours else known.drawn).nonzero()[0].tolist():
            yield known.texts[known.first[at]], known.texts[known.second[at]], bool(known.same[at])

    @property
    def same(self) -> Bools:
        """Whether the neighbours have one author."""
        return self.known.same[self.known.neighbours]


def drawn(lessons: Sequence[Lesson], pairs: int, seed: int) -> Drawn | None:
    """About `pairs` pairs of the paragraphs that are compared, None where no lesson compares any.

    Raises `UserError` where all have one author, or all two.
    """
    compared = [lesson for lesson in lessons if isinstance(lesson.request, Compare)]
    return Drawn(taught(compared, pairs, seed)) if compared else None


def validated(lessons: Sequence[Lesson], pairs: int, seed: int) -> Drawn | None:
    """The same of validation documents, None where these do not have pairs of both kinds."""
    try:
        return drawn(lessons, pairs, seed)
    except UserError:
        return None
