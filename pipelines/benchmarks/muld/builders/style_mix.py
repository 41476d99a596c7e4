"""Documents of several authors (AO3 style change detection: Hudson and Al Moubayed 2022, section 3.2).

A minimum length and a number of authors are drawn, half of the documents having one author. The length is partitioned
into sections of authors at random, and each section filled with paragraphs that are drawn without replacement from what
its author wrote. All authors of a document write on one topic; one topic is kept for the test documents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.benchmarks.muld.builders import _stories
from pipelines.benchmarks.muld.builders._stories import Groups, Texts
from pipelines.plugins.builders._rows import check_minimum
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources.reading import file_identity

MOST_AUTHORS = 4
TRIES = 100  # groups and partitions tried for a document before it is given up
_TOO_LITTLE_TEXT = "documents for whose length no authors of a group have enough text"


@dataclass(frozen=True)
class StyleMix(Builder):
    """Documents of paragraphs, one a line, whose output numbers the authors by first appearance: "1,1,2,1".

    The source: a folder GROUP/AUTHOR.txt, or JSON Lines with group, author and text. `low` to `high`: the minimum
    length, uniformly drawn, in words. `authors`: the most that a document has;
    half of the documents have one, the others any number from 2, equally often. Paragraphs of fewer than 100
    characters are left out. `test_group`: the topic of the test documents (None: the last by name). `train`,
    `validation`, `test`: how many documents to make. `held_out`: the share of each other group's authors that only
    validation documents draw from; with 0 they share their authors with training documents.

    The paper leaves open how many sections there are: here each author has one at least, and of n > 1 authors there
    are n to 2n sections, neighbours by different authors (in the paper's example an author comes back). Documents
    depend on the seed and their number alone. One for which no authors have enough text is counted and left out.
    """

    is_random = True

    low: int = 10_000
    high: int = 30_000
    authors: int = 4
    test_group: str | None = None
    train: int = 100
    validation: int = 20
    test: int = 20
    held_out: float = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "authors"):
            check_minimum(getattr(self, name), 1, f"style_mix: {name}")
        for name in ("train", "validation", "test"):
            check_minimum(getattr(self, name), 0, f"style_mix: {name}")
        if self.authors > MOST_AUTHORS:
            raise UserError(f"style_mix: authors must be at most {MOST_AUTHORS}, as in MuLD, got {self.authors}")
        check_minimum(self.high, self.low, "style_mix: high, with this low,")
        if not 0 <= self.held_out < 1:
            raise UserError(f"style_mix: held_out must be a share of the authors, 0 to below 1, got {self.held_out}")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        root = source if source.is_dir() else source.parent
        return {"files": [file_identity(path, root) for path in _stories.files(source)]}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The documents of the splits by number. Raises `UserError` for a split that no document can be made for."""
        groups = _stories.read(source, stats)
        for split, pool in self._pools(groups, seed).items():
            count = 0
            for index in range(getattr(self, split)):
                stats.read += 1
                row = self._document(pool, SeededRandom(seed, split, index), self._has_one_author(seed, split, index))
                if row is None:
                    stats.dropped[_TOO_LITTLE_TEXT] += 1
                else:
                    count += 1
                    yield split, row
            if not count and getattr(self, split):
                raise self._too_little_text(split, pool)

    def _pools(self, groups: Groups, seed: int) -> dict[str, Groups]:
        """The texts of each split that is asked for. Raises `UserError` where they cannot make a document."""
        test_group_name = self._group_of_test(groups)
        other_groups = {name: authors for name, authors in groups.items() if name != test_group_name}
        held_out = {name: self._held_out_authors(name, authors, seed) for name, authors in other_groups.items()}
        training = validation = other_groups
        if self.held_out:
            training, validation = (_part(other_groups, held_out, inside) for inside in (False, True))
        testing = {name: authors for name, authors in groups.items() if name == test_group_name}
        pools = {"train": training, "validation": validation, "test": testing}
        pools = {split: pool for split, pool in pools.items() if getattr(self, split)}
        for split, pool in pools.items():
            self._check(split, pool)
        return pools

    def _group_of_test(self, groups: Groups) -> str | None:
        """The name of the group that is kept for test documents."""
        if self.test_group is not None and self.test_group not in groups:
            raise unknown("topic group", self.test_group, groups)
        if len(groups) < 2 and self.test and (self.train or self.validation):
            raise UserError(
                f"the test split needs a topic group of its own, and there is only {', '.join(groups)}: add texts of "
                f"another group, or set test=0"
            )
        last = max(groups, default=None) if self.test else None
        return self.test_group if self.test_group is not None else last

    def _held_out_authors(self, name: str, authors: Mapping[str, Texts], seed: int) -> set[str]:
        """The authors of a group that only validation documents draw from."""
        shuffled = SeededRandom(seed, "held_out", name).shuffled(authors)
        return set(shuffled[: round(self.held_out * len(shuffled))])

    def _check(self, split: str, pool: Groups) -> None:
        maximum = max((len(authors) for authors in pool.values()), default=0)
        if maximum < self.authors:
            raise UserError(
                f"a document may have {self.authors} authors, and no topic group for {split} has more than {maximum}: "
                f"add texts, or set authors={max(maximum, 1)}"
            )
        if _longest(pool) < self.low:
            raise self._too_little_text(split, pool)

    def _too_little_text(self, split: str, pool: Groups) -> UserError:
        return UserError(
            f"too little text for {split}: half of the documents have one author and at least {self.low:,} "
            f"words, and no author has more than {_longest(pool):,} in paragraphs of {_stories.SHORTEST} characters "
            f"or more: add texts, or set lower low= and high="
        )

    def _has_one_author(self, seed: int, split: str, index: int) -> bool:
        """Whether a document has one author: one of every two has, and the seed decides which."""
        return self.authors == 1 or SeededRandom(seed, split, "single", index // 2).below(2) == index % 2

    def _document(self, pool: Groups, random: SeededRandom, is_single: bool) -> Row | None:
        """A document of a random group; None where no authors of the groups tried have enough text."""
        minimum = self.low + random.below(self.high - self.low + 1)
        authors = 1 if is_single else 2 + random.below(self.authors - 1)
        for _ in range(TRIES):
            group = random.choice(list(pool))
            sections = _sections(authors, minimum, random)
            if cast := _cast(sections, pool[group], random):
                return _row(group, [(cast[place], length) for place, length in sections], pool[group], random)
        return None


def _part(groups: Groups, held_out: Mapping[str, set[str]], inside: bool) -> Groups:
    """The texts of the held-out authors of each group, or of its other authors."""
    return {
        name: {author: texts for author, texts in authors.items() if (author in held_out[name]) is inside}
        for name, authors in groups.items()
    }


def _longest(pool: Groups) -> int:
    """The number of words of the author who wrote most."""
    return max((texts.length for authors in pool.values() for texts in authors.values()), default=0)


def _sections(authors: int, minimum: int, random: SeededRandom) -> list[tuple[int, int]]:
    """Sections as the number of an author and a length in words.

    The lengths add up to `minimum`; neighbours are by different authors, and every author has a section.
    """
    count = authors + (random.below(authors + 1) if authors > 1 else 0)
    order: list[int] = []
    while len(set(order)) < authors:
        order = []
        while len(order) < count:
            order.append(random.choice([place for place in range(authors) if [place] != order[-1:]]))
    cuts = sorted(random.below(minimum + 1) for _ in range(count - 1))
    return [(place, end - start) for place, start, end in zip(order, [0, *cuts], [*cuts, minimum], strict=True)]


def _cast(
    sections: Sequence[tuple[int, int]], authors: Mapping[str, Texts], random: SeededRandom
) -> dict[int, str] | None:
    """An author with enough text for each number in the sections, the longest need first; None where there is none."""
    needs: dict[int, int] = {}
    for place, length in sections:
        needs[place] = needs.get(place, 0) + length
    cast: dict[int, str] = {}
    for place in sorted(needs, key=lambda number: (-needs[number], number)):
        candidates = [
            name for name, texts in authors.items() if texts.length >= needs[place] and name not in cast.values()
        ]
        if not candidates:
            return None
        cast[place] = random.choice(candidates)
    return cast


def _row(group: str, sections: Sequence[tuple[str, int]], authors: Mapping[str, Texts], random: SeededRandom) -> Row:
    """The document: each section one paragraph at least, and as many as make up its author's lengths so far."""
    numbers: dict[str, int] = {}
    for name, _ in sections:
        numbers.setdefault(name, len(numbers) + 1)
    unused = {name: random.shuffled(range(len(authors[name].paragraphs))) for name in numbers}
    words_due, lines, labels = dict.fromkeys(numbers, 0), [], []
    for name, length in sections:
        words_due[name] += length
        is_first = True
        while unused[name] and (is_first or words_due[name] > 0):
            index, is_first = unused[name].pop(), False
            words_due[name] -= authors[name].lengths[index]
            lines.append(authors[name].paragraphs[index])
            labels.append(str(numbers[name]))
    return {
        "input": "\n".join(lines),
        "output": ",".join(labels),
        "metadata": {"group": group, "authors": list(numbers)},
    }
