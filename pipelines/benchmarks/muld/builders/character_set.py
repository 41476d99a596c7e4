"""Film scripts with typed characters (Hudson and Al Moubayed 2022, section 3.2, after Skowron et al. 2016).

Scripts are matched with plot summaries by title and names. The characters come from the scripts' cues and the cast
lists, and are kept when the plot summary also has them; annotators say what type each is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.benchmarks.muld.builders._films import Summaries, Summary, Title, is_same_title, role
from pipelines.benchmarks.muld.layouts.character_types import LABELS, canonical, without_tags
from pipelines.plugins.builders._rows import texts
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources import parsing, reading, tables
from pipelines.sources.reading import file_identity

NEEDS = {
    "scripts.jsonl": "title, script or script_path (a file beside it), and where known year",
    "summaries.jsonl": "title, summary, cast (a list of characters, or of 'ACTOR as CHARACTER'), and where known year",
    "annotations.jsonl": "title, character, annotator, type",
}


@dataclass(slots=True)
class Votes:
    """The type that each annotator gave a character, whose name is spelled as it first occurs."""

    character: str
    types: dict[str, str] = field(default_factory=dict)

    def winner(self) -> str | None:
        """The type that more annotators gave than any other, None for a tie."""
        (winner, maximum), *others = Counter(self.types.values()).most_common(2)
        return None if others and others[0][1] == maximum else winner


Annotated = dict[Title, dict[str, Votes]]


@dataclass(frozen=True)
class CharacterSet(Builder):
    """Rows of a character's name on a line of its own and the script, whose output is the character's type.

    The source: a folder with `scripts.jsonl` {title, script | script_path, year?}, `summaries.jsonl` {title, summary,
    cast, year?} and `annotations.jsonl` {title, character, annotator, type}. A character has the type that most
    annotators gave; ties, and all types but Hero/Protagonist and Villain/Antagonist, are counted and left out, as are
    characters that neither cues nor cast list name, or that the plot summary does not mention.

    `test` and `validation`: the probability of a film to go there, with all of its characters; it depends on the seed
    and the title alone. The published sets have 1,256 rows for training,
    167 for validation and 86 for test.
    """

    is_random = True

    test: float = 0.2
    validation: float = 0.1

    def __post_init__(self) -> None:
        if self.test < 0 or self.validation < 0 or self.test + self.validation > 1:
            raise UserError(
                f"character_set: test and validation must be shares of the films that add up to at most 1, got "
                f"{self.test} and {self.validation}"
            )

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        paths = [_source_file(source, name) for name in NEEDS]
        for row in tables.Files((paths[0],)).rows():
            if path := _script_path(row, source):
                paths.append(path)
        return {"files": [file_identity(path, source) for path in dict.fromkeys(paths)]}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The characters in the order of the scripts, then of the annotations."""
        summaries, annotated = _summaries(source), _annotations(source)
        stats.read = sum(map(len, annotated.values()))
        for row in tables.Files((_source_file(source, "scripts.jsonl"),)).rows():
            (name,) = texts(row, "title")
            title, script = Title.of(name, _year(row)), _script(row, source)
            stats.notes["scripts"] += 1
            match = summaries.match(title, script)
            if match is None:
                stats.notes["scripts without a summary of that title and those names"] += 1
            summary, candidates = match or (None, [])
            stats.notes["candidates"] += len(candidates)
            for votes in _film_votes(annotated, title, summary):
                if output := _type(votes, candidates, summary, stats):
                    metadata = {"character": votes.character, "title": name}
                    text = f"{votes.character}\n{script}"
                    yield self._split(seed, title), {"input": text, "output": output, "metadata": metadata}
        for unmatched in annotated.values():
            stats.dropped["characters of a film without a script"] += len(unmatched)

    def _split(self, seed: int, title: Title) -> str:
        share = SeededRandom(seed, title.key).random()
        return "test" if share < self.test else "validation" if share < self.test + self.validation else "train"


def _type(votes: Votes, candidates: list[str], summary: Summary | None, stats: BuildStats) -> str | None:
    """The type of a character; None where it is left out, which the stats count by reason."""
    winner = votes.winner()
    if summary is None:
        stats.dropped["characters of a script without a summary"] += 1
    elif not any(is_same_title(votes.character, name) for name in candidates):
        stats.dropped["characters that are not named by cue or cast list and in the plot"] += 1
    elif winner is None:
        stats.dropped["characters whose annotators tie"] += 1
    elif winner not in LABELS:
        stats.dropped["characters of another type"] += 1
    else:
        return winner
    return None


def _film_votes(annotated: Annotated, title: Title, summary: Summary | None) -> list[Votes]:
    """Remove the characters of a film from `annotated` and return their votes.

    They are annotated under the title of the script or of its summary.
    """
    titles = [title, summary.title] if summary else [title]
    matches = [other for other in annotated if any(other.key == own.key and other.fits(own) for own in titles)]
    return [votes for match in matches for votes in annotated.pop(match).values()]


def _summaries(source: Path) -> Summaries:
    summaries = Summaries()
    for row in tables.Files((_source_file(source, "summaries.jsonl"),)).rows():
        title, text = texts(row, "title", "summary")
        cast = tuple(filter(None, map(role, row.strings("cast"))))
        summaries.add(Summary(Title.of(title, _year(row)), text, cast))
    return summaries


def _annotations(source: Path) -> Annotated:
    annotated: Annotated = {}
    for row in tables.Files((_source_file(source, "annotations.jsonl"),)).rows():
        title, character, annotator, label = texts(row, "title", "character", "annotator", "type")
        name = " ".join(character.split())
        votes = annotated.setdefault(Title.of(title, _year(row)), {}).setdefault(name.casefold(), Votes(name))
        votes.types[annotator] = canonical(label, row.location) or " ".join(label.lower().split())
    return annotated


def _script(row: tables.Row, source: Path) -> str:
    path = _script_path(row, source)
    text = texts(row, "script")[0] if path is None else parsing.clean(reading.text(path))
    return without_tags(text) if text.lstrip().startswith("<") else text


def _script_path(row: tables.Row, source: Path) -> Path | None:
    """The file of a script, None if the row has the text. Raises `UserError` where there is no such file."""
    name = row.string("script_path")
    if row.fields.get("script") or not name:
        return None
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise UserError(f"{row.location}: the script {name!r} is outside {source}: put it there")
    if not (source / name).is_file():
        raise UserError(f"{row.location}: the script {source / name} does not exist")
    return check_inside(source / name, source)


def _year(row: tables.Row) -> int | None:
    year = row.fields.get("year")
    if year is None or isinstance(year, int):
        return year
    raise UserError(f"{row.location}: year must be a number, got {year!r}")


def _source_file(source: Path, name: str) -> Path:
    if not (source / name).is_file():
        needs = "; ".join(f"{file} ({fields})" for file, fields in NEEDS.items())
        raise UserError(f"there is no {source / name}; character_set needs a folder with {needs}")
    return check_inside(source / name, source)
