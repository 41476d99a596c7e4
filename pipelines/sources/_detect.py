"""Local files and folders: which of them hold a split, in which layout, and what identifies them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import file_digest, sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import _reading, _splits, _tables, _zip
from pipelines.sources._warnings import Warnings
from pipelines.sources.own import folder

Read = Callable[[Warnings], Iterator[Example]]


class Layout(Protocol):
    """What the module of a layout of rows has."""

    ACCEPTS: str

    def recognizes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a first row is of this layout."""

    def read(self, table: _tables.Table, split: str, notes: Warnings, asks: bool) -> Iterator[Example]:
        """The examples of the rows."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of local data: a task's split, in one of some layouts."""

    task: str
    layouts: tuple[str, ...]
    published: tuple[str, ...]
    split: str
    asks: bool
    built: str = ""


@dataclass(slots=True)
class Found:
    """How to read local data, and the files that they are in: `tables` and the documents that those name.

    `layout` is that of rows, or the release that a folder is.
    """

    read: Read
    root: Path
    tables: list[Path]
    documents: list[Path] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    layout: str = ""

    def fingerprint(self) -> dict[str, Any]:
        """Name, bytes and SHA-256 of each table; number and digest of the documents; `size`, the bytes of all."""
        kept: dict[str, Any] = {"files": [_identity(path, self.root) for path in self.tables]}
        kept["size"] = sum(path.stat().st_size for path in [*self.tables, *self.documents])
        if self.documents:
            each = [_identity(path, self.root) for path in self.documents]
            whole = sha256("".join(f"{one['sha256']}  {one['name']}\n" for one in each).encode()).hexdigest()
            kept["documents"] = {"files": len(each), "sha256": whole}
        return kept


_LAYOUTS = {
    "published": ("character_types", "longbench", "muld", "scrolls", "scrolls_choices", "style_change", "zero_scrolls"),
    "originals": (
        "contract_nli", "gov_report", "hotpotqa", "musique", "narrativeqa", "qasper", "qmsum", "quality", "squality",
        "summ_screen", "vlsp",
    ),
    "own": ("aligned", "folder", "rows"),
}  # fmt: skip
_MODULES = {name: f"{__package__}.{folder}.{name}" for folder, names in _LAYOUTS.items() for name in names}


def layout(name: str) -> Layout:
    """The module of a layout of rows."""
    return cast(Layout, import_module(_MODULES[name]))


def find(path: Path, wanted: Wanted) -> Found:
    """The data at a path. Raises `UserError` for what is missing, ambiguous, or in no layout of the task."""
    _reading.existing(path)
    if members := _zip.places(path, wanted.published):
        _check_split(members, wanted)
        return _rows(members, wanted)
    if path.suffix.lower() == ".zip" and path.is_file():
        known = f"no file in a zip is known to hold the split {wanted.split!r} of {wanted.task}"
        raise UserError(f"{path}: {known}; unpack it and pass the path of the file that does")
    if "style_change" in wanted.layouts and (found := _problems(path, wanted)):
        return found
    if "vlsp" in wanted.layouts and (found := _papers(path, wanted)):
        return found
    if path.is_dir():
        return _folder(path, wanted)
    if folder.recognizes(path):
        return _texts(path.parent, [path], wanted)
    return _rows((path,), wanted)


def in_layout(table: _tables.Table, wanted: Wanted) -> tuple[str, Read]:
    """The layout that the first row is of, and its reading. Raises `UserError` for none, naming what is accepted."""
    first = next(table.rows(), None)
    if first is None:
        raise UserError(f"{table.name} has no rows")
    for name in wanted.layouts:
        if layout(name).recognizes(first.fields):
            return name, partial(_read, layout(name), table, wanted)
    fields = ", ".join(map(str, first.fields)) or "none"
    problem = f"{first.where}: the row is of no layout that the task {wanted.task} reads; its fields: {fields}"
    raise UserError(f"{problem}. {_accepted(wanted)}")


def _read(module: Layout, table: _tables.Table, wanted: Wanted, notes: Warnings) -> Iterator[Example]:
    return module.read(table, wanted.split, notes, wanted.asks)


def _accepted(wanted: Wanted) -> str:
    accepted = [*(layout(name).ACCEPTS for name in wanted.layouts), folder.ACCEPTS]
    return "Accepted: " + "; ".join([*accepted, *filter(None, [_to_build(wanted)])])


def _to_build(wanted: Wanted) -> str:
    """What to type where the data may be what the task's files are built from."""
    made = f"longdoc build {wanted.built} SOURCE --out FOLDER, then --data FOLDER"
    return f"if these are what the files of {wanted.task} are made from, type: {made}" if wanted.built else ""


def _check_split(members: Sequence[_reading.Place], wanted: Wanted) -> None:
    """Raises `UserError` for a zip without the split that has others."""
    for member in members:
        if not isinstance(member, _zip.Member):
            continue
        names = _zip.names(member.archive)
        others = [name for name in names if _splits.named_in(Path(name).name)]
        own = any(wanted.split in _splits.named_in(Path(name).name) for name in others)
        if others and not own and member.inside not in names:
            raise _lacking(member.archive, others, wanted)


def _lacking(place: Path, files: Iterable[str], wanted: Wanted) -> UserError:
    there = " or ".join(sorted({split for file in files for split in _splits.named_in(Path(file).name)}))
    problem = f"{place} has no split {wanted.split!r} of {wanted.task}"
    return UserError(f"{problem}; choose split={there}, or pass the path of other data that have it")


def _rows(paths: tuple[_reading.Place, ...], wanted: Wanted) -> Found:
    for path in paths:
        _tables.kind(path)
    table = _tables.Files(paths)
    name, read = in_layout(table, wanted)
    files = getattr(layout(name), "files", None)  # of layouts whose rows name their documents
    documents = files(table) if files is not None else []
    named = _splits.named_in(paths[0].name)
    odd = [f"{paths[0].name} is read as the split {wanted.split!r}"] if named and wanted.split not in named else []
    return Found(read, paths[0].parent, list(dict.fromkeys(map(_zip.file_of, paths))), documents, odd, name)


def _texts(root: Path, paths: list[Path], wanted: Wanted) -> Found:
    def read(notes: Warnings) -> Iterator[Example]:
        return folder.read(paths, wanted.split, notes, wanted.asks)

    questions = [beside for path in paths if (beside := folder.asked(path))]
    hint = [] if questions else list(filter(None, [_to_build(wanted)]))
    return Found(read, root, questions, paths, hint, "folder")


def _problems(path: Path, wanted: Wanted) -> Found | None:
    release = import_module(f"{__package__}.published.style_change")
    paths: list[Path] = release.problems(path, wanted.split)
    if not paths:
        return None
    root = path if path.is_dir() else path.parent

    def read(notes: Warnings) -> Iterator[Example]:
        return cast(Iterator[Example], release.read_problems(root, paths, notes))

    return Found(read, root, [], [*paths, *release.truths(paths)])


def _papers(path: Path, wanted: Wanted) -> Found | None:
    source = import_module(f"{__package__}.originals.vlsp")
    root = path if path.is_dir() else path.parent
    mains: list[Path] = source.papers(path)
    if mains:

        def read(notes: Warnings) -> Iterator[Example]:
            return cast(Iterator[Example], source.read_papers(mains, notes))

        return Found(read, root, [], [file for main in mains for file in (main, *source.abstracts(main))])
    for table in source.releases(path, wanted.split):
        return Found(in_layout(table, wanted)[1], root, [table.path])
    return None


def _folder(path: Path, wanted: Wanted) -> Found:
    release = import_module(f"{__package__}.originals.narrativeqa")
    if "narrativeqa" in wanted.layouts and release.recognizes_folder(path):

        def read(notes: Warnings) -> Iterator[Example]:
            return cast(Iterator[Example], release.read_folder(path, wanted.split, notes, wanted.asks))

        stories = sorted(release.stories(path, wanted.split).values())
        return Found(read, path, [path / "documents.csv", path / "qaps.csv"], stories, layout="narrativeqa")
    if "gov_report" in wanted.layouts and (found := _reports(path, wanted)):
        return found
    if "aligned" in wanted.layouts and (found := _translations(path)):
        return found
    published = tuple(path / name for name in wanted.published)
    if published and all(file.is_file() for file in published):
        return _rows(published, wanted)
    texts = folder.texts(path)
    groups = _tables.shards(_candidates(path, texts) or _candidates_below(path))
    if groups:
        return _rows(_of_split(path, groups, wanted), wanted)
    if "aligned" in wanted.layouts:
        import_module(f"{__package__}.own._pairing").check_lone(path, texts)
    if texts:
        return _texts(path, texts, wanted)
    names = ", ".join(sorted(file.name for file in path.iterdir())[:10]) or "nothing"
    raise UserError(f"{path} holds no data that {wanted.task} reads (there: {names}). {_accepted(wanted)}")


def _reports(path: Path, wanted: Wanted) -> Found | None:
    release = import_module(f"{__package__}.originals.gov_report")
    names: list[Path] = release.named(path, wanted.split)
    if not names:
        return None
    reports: dict[str, Path] = release.reports(path, names)

    def read(notes: Warnings) -> Iterator[Example]:
        return cast(Iterator[Example], release.read_folder(reports, notes))

    found = [report for report in reports.values() if report.is_file()]
    return Found(read, path, names, found, layout="gov_report")


def _translations(path: Path) -> Found | None:
    from pipelines.sources.own import _pairing

    pairs = _pairing.pairs(path)
    if not pairs.found:
        return None

    def read(notes: Warnings) -> Iterator[Example]:
        return cast(Iterator[Example], import_module(f"{__package__}.own.aligned").read(pairs.found, notes))

    files = sorted({file for pair in pairs.found for file in (pair.source, pair.target)})
    return Found(read, path, files, warnings=pairs.warnings)


def _candidates(path: Path, texts: Sequence[Path] = ()) -> list[Path]:
    beside = {folder.asked(text) for text in texts}
    files = [file for file in path.iterdir() if file.is_file() and _tables.is_table(file) and file not in beside]
    return [file for file in files if not _is_manifest(file)]


def _is_manifest(file: Path) -> bool:
    """Whether a file is what `longdoc build` writes beside the files of a set."""
    if file.name != "manifest.json" or not file.is_file():
        return False
    try:
        record = plain_json.loads(file.read_bytes())
    except ValueError:
        return False
    return isinstance(record, dict) and {"longdoc", "builder"} <= record.keys()


def _candidates_below(path: Path) -> list[Path]:
    below: Iterable[Path] = sorted(other for other in path.iterdir() if other.is_dir() and other.name[0] != ".")
    return [file for other in below for file in _candidates(other, folder.texts(other))]


def _of_split(path: Path, groups: list[tuple[Path, ...]], wanted: Wanted) -> tuple[Path, ...]:
    """The one table of a folder, or of several the one whose name has the split (and, if need be, the task).

    Where no file's name has it, the names of the folders that they are in decide (`train/labels.jsonl`).
    """
    if len(groups) == 1:
        (files,) = groups
        told = _splits.named_in(files[0].name)
        if told and wanted.split not in told and _is_manifest(files[0].parent / "manifest.json"):
            raise _lacking(path, [files[0].name], wanted)
        return files
    named = [files for files in groups if wanted.split in _splits.named_in(files[0].name)]
    if not named:
        named = [files for files in groups if wanted.split in _folder_named(files[0], path)]
    if len(named) > 1:
        named = [files for files in named if wanted.task.rpartition("/")[2] in files[0].name] or named
    if len(named) == 1:
        return named[0]
    names = ", ".join(str(files[0].relative_to(path)) for files in named or groups)
    problem = "more than one is named so" if named else "none is named so"
    raise UserError(f"which file of {path} has the split {wanted.split!r}? {problem}: {names}; pass the path of one")


def _folder_named(file: Path, root: Path) -> set[str]:
    """The splits that the folder of a file is named for; the folder that was passed says nothing."""
    return set() if file.parent == root else _splits.named_in(file.parent.name)


def _identity(path: Path, root: Path) -> dict[str, Any]:
    with path.open("rb") as handle:
        digest = file_digest(handle, "sha256").hexdigest()
    name = path.relative_to(root) if path.is_relative_to(root) else path.name
    return {"name": str(name), "bytes": path.stat().st_size, "sha256": digest}
