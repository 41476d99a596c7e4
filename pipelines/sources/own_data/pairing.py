"""Finds the pairs of a text and its translation among the files of a folder.

A folder holds pairs, or folders that do, however deep. The first or last word of a file's name is its language
(`en.txt`, `german-film.txt`, `film.de.srt`) or its side (`source.txt`, `target.txt`); files whose names have the same
other words are a pair; a single translation belongs to all. English is the source if it is among the languages, else
the names have to say `source` and `target`.

Two text files of a folder whose names do not show both sides are a pair if they have equally many lines, two files of
subtitles if they are the only ones. The text is the one in English, by its share of frequent English words. Such pairs
are reported in the warnings, as are files and folders without a pair; ambiguous files are refused by name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.sources.own_data.folder import questions_file
from pipelines.sources.warnings import Warnings

SUFFIXES = (".txt", ".srt")
SIDES = {"source": ("source", "src", "input"), "target": ("target", "tgt", "trg", "reference", "ref", "output")}
LANGUAGES = (
    "en eng english", "de deu ger german deutsch", "fr fra fre french", "es spa spanish", "it ita italian",
    "pt por portuguese", "nl nld dut dutch", "da dan danish", "sv swe swedish", "no nor norwegian", "fi fin finnish",
    "pl pol polish", "cs ces cze czech", "sk slk slovak", "hu hun hungarian", "ro ron rum romanian", "el ell gre greek",
    "bg bul bulgarian", "hr hrv croatian", "sr srp serbian", "sl slv slovene", "ru rus russian", "uk ukr ukrainian",
    "tr tur turkish", "ar ara arabic", "he heb hebrew", "fa fas persian", "hi hin hindi", "zh zho chi chinese",
    "ja jpn japanese", "ko kor korean", "vi vie vietnamese", "id ind indonesian",
)  # fmt: skip
NAMES = {name: names.split()[0] for names in LANGUAGES for name in names.split()} | {
    name: side for side, names in SIDES.items() for name in names
}

ENGLISH = frozenset(
    ("the", "of", "and", "to", "that", "it", "is", "you", "this", "with", "for", "not", "have", "are", "what", "my",
     "she", "but", "he", "was", "on", "be", "they")
)  # fmt: skip
INSPECTED_BYTES = 200_000  # bytes that are inspected
MIN_ENGLISH_SHARE = 0.1  # least share of these words in an English text; other languages have less than half of it

_BY_LINES = "pairs found by equal numbers of lines, with the English one as the text"
_NO_PAIR = "folders left out, because they have no text with its translation"
_NO_SIDE = "files left out, because no other file is their translation"


@dataclass(frozen=True, slots=True)
class Pair:
    """The file of a text and that of its translation. `name` is the example's id."""

    name: str
    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    language: str
    other_words: tuple[str, ...]


def pairs(folder: Path) -> tuple[list[Pair], list[str]]:
    """The pairs in a folder and its subfolders, and warnings about the other files.

    Raises `UserError` if it is ambiguous which files are a pair.
    """
    pairs, warnings = list[Pair](), Warnings([])
    for directory in _folders(folder, set()):
        for path in sorted(directory.iterdir()):
            check_inside(path, folder)
        name = folder.name if directory == folder else "-".join(directory.relative_to(folder).parts)
        own_pairs = _pairs(directory, name, warnings)
        pairs += own_pairs
        if directory != folder and not own_pairs and not any(_subfolders(directory)):
            warnings.count(_NO_PAIR, name)
    warnings.close()
    return pairs, warnings.warnings


def language(path: Path) -> str | None:
    """The language or side in a file's name."""
    file = _named_file(path)
    return file.language if file else None


def check_lone(folder: Path, texts: Sequence[Path]) -> None:
    """Raise `UserError` for a folder without pairs, unless it has one text in English or texts with questions.

    The name of the one text says that it is in English or is the source.
    """
    if len(texts) == 1 and language(texts[0]) in ("en", "source"):
        return
    if texts and all(map(questions_file, texts)):
        return
    names = ", ".join(sorted(path.name for path in folder.iterdir())[:10]) or "nothing"
    raise UserError(
        f"{folder} has no text with its translation; it has: {names}. Name the two files en.txt and de.txt, or "
        f"source.txt and target.txt, in a folder for each film, or pass the path of one text to translate"
    )


def _folders(folder: Path, visited: set[Path]) -> Iterator[Path]:
    """A folder and all folders below it, each once, since symbolic links may form a cycle."""
    if (real := folder.resolve()) in visited:
        return
    visited.add(real)
    yield folder
    for subfolder in _subfolders(folder):
        yield from _folders(subfolder, visited)


def _subfolders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _pairs(folder: Path, name: str, warnings: Warnings) -> list[Pair]:
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix.lower() in SUFFIXES]
    paths = [path for path in paths if path.stem.upper() not in ("README", "LICENSE")]
    files = [named_file for path in paths if (named_file := _named_file(path))]
    sources, targets = _sides(folder, files)
    pairs = []
    for file in sources:
        candidates = [
            other
            for other in targets
            if other.other_words == file.other_words and other.path.suffix == file.path.suffix
        ]
        partners = candidates or (targets if len(targets) == 1 else [])
        if len(partners) != 1:
            names = ", ".join(other.path.name for other in targets)
            raise UserError(
                f"{folder}: cannot tell which file is the translation of {file.path.name}: {names}. Name both alike"
            )
        pairs.append(Pair(_name(name, file, len(sources)), file.path, partners[0].path))
    paired = {path for pair in pairs for path in (pair.source, pair.target)}
    unpaired = [path for path in paths if path not in paired]
    return [*pairs, *_pairs_by_lines(folder, name, unpaired, warnings, bool(pairs))]


def _pairs_by_lines(
    folder: Path, name: str, paths: Sequence[Path], warnings: Warnings, has_other_pairs: bool
) -> Iterator[Pair]:
    """Pairs of files with equal numbers of lines. Raises `UserError` for three or more such files."""
    groups: dict[tuple[str, int], list[Path]] = {}
    for path in paths:
        groups.setdefault((path.suffix.lower(), _line_count(path)), []).append(path)
    for group in groups.values():
        if len(group) == 1:
            warnings.count(_NO_SIDE, f"{name}/{group[0].name}")
            continue
        source, target = _source_and_target(folder, group)
        warnings.count(_BY_LINES, f"{name}: {source.name}, {target.name}")
        yield Pair(f"{name}-{source.stem}" if has_other_pairs or len(groups) > 1 else name, source, target)


def _source_and_target(folder: Path, files: Sequence[Path]) -> tuple[Path, Path]:
    """The text and its translation, by the name of one, else by their words. Raises `UserError` if neither shows it."""
    path, other = files[0], files[1]
    for first, second in ((path, other), (other, path)):
        languages = language(first), language(second)
        if len(files) == 2 and (
            languages in (("source", None), (None, "target")) or _by_words(languages, first, second)
        ):
            return first, second
    names = ", ".join(file.name for file in files)
    raise UserError(
        f"{folder}: cannot tell texts from translations: {names} have equal numbers of lines; name a text and its "
        f"translation film.en{path.suffix} and film.de{path.suffix}, or source{path.suffix} and target{path.suffix}"
    )


def _by_words(languages: tuple[str | None, str | None], first: Path, second: Path) -> bool:
    if languages == ("en", None):
        return not _is_english(second, first) and 2 * _english_share(second) < max(
            _english_share(first), MIN_ENGLISH_SHARE
        )
    return languages[0] is None and languages[1] not in ("en", "source") and _is_english(first, second)


def _is_english(path: Path, other: Path) -> bool:
    """Whether a text is in English and the other is not."""
    share = _english_share(path)
    return share >= MIN_ENGLISH_SHARE and 2 * _english_share(other) < share


def _english_share(path: Path) -> float:
    words = re.findall(r"[^\W\d_]+", path.read_bytes()[:INSPECTED_BYTES].decode("utf-8", "replace").lower())
    return sum(word in ENGLISH for word in words) / max(len(words), 1)


def _line_count(path: Path) -> int:
    """The number of lines of a text; 0 for subtitles, which are aligned by time."""
    return 0 if path.suffix.lower() == ".srt" else path.read_bytes().rstrip().count(b"\n") + 1


def _named_file(path: Path) -> _File | None:
    """The file with its language or side by the last word of its name, else by the first; None where neither is one."""
    words = tuple(word for word in re.split(r"[\W_]+", path.stem.lower()) if word)
    for word, other_words in ((words[-1], words[:-1]), (words[0], words[1:])) if words else ():
        if word in NAMES:
            return _File(path, NAMES[word], other_words)
    return None


def _sides(folder: Path, files: Sequence[_File]) -> tuple[list[_File], list[_File]]:
    languages = sorted({file.language for file in files})
    if len(languages) < 2:
        return [], []
    source = "source" if "source" in languages else "en"
    if source not in languages or len(languages) > 2:
        names = ", ".join(file.path.name for file in files)
        raise UserError(f"{folder}: cannot tell texts from translations: {names}; name them source.txt and target.txt")
    return [f for f in files if f.language == source], [f for f in files if f.language != source]


def _name(folder: str, file: _File, sources: int) -> str:
    return folder if sources == 1 else f"{folder}-{'-'.join(file.other_words) or file.path.stem}"
