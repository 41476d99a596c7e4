"""Local files and folders: which of them hold a split, and in which layout."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from longdoc import foreign_files, plain_json
from longdoc.errors import UserError, listed
from longdoc.links import check_inside
from pipelines.records import Example
from pipelines.sources import reading, split_names, tables, zips
from pipelines.sources.layouts import (
    RELEASES,
    Layout,
    LayoutOfQuestions,
    LayoutOfSeveralTasks,
    LayoutWithFiles,
    LocalData,
    Read,
    SplitRequest,
    layout,
    release,
)
from pipelines.sources.originals import vlsp
from pipelines.sources.own_data import folder, pairing, row_lines
from pipelines.sources.published import financebench, lara
from pipelines.sources.warnings import Warnings

LISTED = 10  # files in a message


def find(path: Path, request: SplitRequest) -> LocalData:
    """The data at a path. Raises `UserError` for what is missing, ambiguous, or in no layout of the task.

    Also for a file of them that is a link out of the folder that was typed, or out of that of a typed file.
    """
    local_data = _find(path, request)
    folder = path if path.is_dir() else path.parent
    for file in (*local_data.tables, *local_data.documents):
        if file != path:  # which may be a link itself
            check_inside(file, _common_folder(file, folder))
    return local_data


def _common_folder(file: Path, folder: Path) -> Path:
    """The folder; of a benchmark's files that lie beside it, as LaRA's documents, the one that holds both."""
    return Path(os.path.commonpath([os.path.abspath(folder), os.path.abspath(file.parent)]))  # noqa: PTH100


def _find(path: Path, request: SplitRequest) -> LocalData:
    reading.existing(path)
    if members := zips.published_files(path, request.published):
        _check_split(members, request)
        return _rows(members, request)
    if path.suffix.lower() == ".zip" and path.is_file():
        problem = f"no file in a zip is known to hold the split {request.split!r} of {request.task}"
        raise UserError(f"{path}: {problem}; unpack it and pass the path of the file that does")
    for name in RELEASES:
        if name in request.layouts and (local_data := release(name).find(path, request)):
            return local_data
    if "vlsp" in request.layouts and (local_data := _papers(path, request)):
        return local_data
    if any((path / name).is_file() for name in ("state.json", "dataset_dict.json")):
        raise UserError(f"{path} was saved by save_to_disk: {tables.saved_rows(path)}")
    if path.is_dir():
        return _folder(path, request)
    if folder.recognizes(path):
        return _documents(path.parent, [path], request)
    return _rows((path,), request)


def layout_reader(table: tables.Table, request: SplitRequest) -> tuple[str, Read]:
    """The layout of the first row, and its reader. Raises `UserError` for an unknown one, naming what is accepted."""
    first = next(table.rows(), None)
    if first is None:
        raise UserError(f"{table.name} has no rows: give a file with one at least")
    for name in request.layouts:
        module = layout(name)
        if module.recognizes(first.fields):
            if isinstance(module, LayoutOfSeveralTasks):
                module.check_task(first, request.task)
            return name, partial(_read, layout(name), table, request)
    from pipelines.sources.own_data import forms

    fields = listed(map(str, first.fields)) or "none"
    problem = f"{first.location}: the row is of no layout that the task {request.task} reads; its fields: {fields}"
    lowercase = {name.lower(): value for name, value in first.fields.items()}
    if any(layout(name).recognizes(lowercase) for name in request.layouts):
        problem = f"{problem}; write their names in small letters ({', '.join(lowercase)}), and the rows are read"
    elif hint := forms.nearest(first, request.has_query):
        problem = f"{problem}; {hint}"
    raise UserError(f"{problem}. {_accepted_layouts(request)}")


def _read(module: Layout, table: tables.Table, request: SplitRequest, warnings: Warnings) -> Iterator[Example]:
    with foreign_files.parsing(table.name):
        if not request.has_texts and isinstance(module, LayoutOfQuestions):
            yield from module.questions(table, request.split)
        else:
            yield from module.read(table, request.split, warnings, request.has_query)


def _accepted_layouts(request: SplitRequest) -> str:
    layouts = [*(layout(name).ACCEPTS for name in request.layouts), folder.ACCEPTS]
    return "Accepted: " + "; ".join([*layouts, *filter(None, [_build_hint(request)])])


def _build_hint(request: SplitRequest) -> str:
    """The command to type if the data are what the task's files are built from."""
    command = f"longdoc data build {request.builder} SOURCE --out FOLDER, then --data FOLDER"
    return f"if these are what the files of {request.task} are made from, type: {command}" if request.builder else ""


def _check_split(members: Sequence[reading.InputFile], request: SplitRequest) -> None:
    """Raises `UserError` for a zip that has other splits only."""
    for member in members:
        if not isinstance(member, zips.Member):
            continue
        names = zips.names(member.archive)
        files = [name for name in names if split_names.splits_named_in(Path(name).name)]
        is_own = any(request.split in split_names.splits_named_in(Path(name).name) for name in files)
        if files and not is_own and member.inside not in names:
            raise _missing_split(member.archive, files, request)


def _missing_split(place: Path, files: Iterable[str], request: SplitRequest) -> UserError:
    choices = " or ".join(sorted({split for file in files for split in split_names.splits_named_in(Path(file).name)}))
    problem = f"{place} has no split {request.split!r} of {request.task}"
    return split_names.NoSplit(f"{problem}; choose split={choices}, or pass the path of other data that have it")


def _rows(paths: tuple[reading.InputFile, ...], request: SplitRequest) -> LocalData:
    for path in paths:
        tables.kind(path)
    table = tables.Files(paths)
    name, read = layout_reader(table, request)
    module = layout(name)
    lines = row_lines.scan(table) if request.is_sharded and name == "rows" else None
    documents = module.files(table) if lines is None and isinstance(module, LayoutWithFiles) else []
    splits = split_names.splits_named_in(paths[0].name)
    is_other = bool(splits) and request.split not in splits
    warnings = [f"{paths[0].name} is read as the split {request.split!r}"] if is_other else []
    files = list(dict.fromkeys(map(zips.file_of, paths)))
    return LocalData(read, paths[0].parent, files, documents, warnings, name, lines)


def _documents(root: Path, paths: list[Path], request: SplitRequest) -> LocalData:
    def read(warnings: Warnings) -> Iterator[Example]:
        return folder.read(paths, request.split, warnings, request.has_query)

    questions = [questions_path for path in paths if (questions_path := folder.questions_file(path))]
    hint = [] if questions else list(filter(None, [_build_hint(request)]))
    return LocalData(read, root, questions, paths, hint, "folder")


def _papers(path: Path, request: SplitRequest) -> LocalData | None:
    """The shorter papers that models are trained on."""
    for file in vlsp.releases(path, request.split):
        name, read = layout_reader(vlsp.ReleaseFile((file,)), request)
        return LocalData(read, path if path.is_dir() else path.parent, [file], layout=name)
    return None


def _folder(path: Path, request: SplitRequest) -> LocalData:
    if "lara" in request.layouts and (question_file := lara.question_file(path, request.task)):
        return _rows((question_file,), request)
    if "financebench" in request.layouts and (question_file := financebench.question_file(path)):
        return _rows((question_file,), request)
    published = tuple(path / name for name in request.published)
    if published and all(file.is_file() for file in published):
        return _rows(published, request)
    texts = [check_inside(text, path) for text in folder.texts(path)]
    groups = tables.shards(_candidates(path, texts) or _candidates_below(path))
    if groups:
        _check_kinds(path, groups, request)
        return _rows(_split_paths(path, groups, request), request)
    if "aligned" in request.layouts:
        pairing.check_lone(path, texts)
    if texts:
        return _documents(path, texts, request)
    names = ", ".join(sorted(file.name for file in path.iterdir())[:10]) or "nothing"
    raise split_names.NoSplit(
        f"{path} holds no data that {request.task} reads (there: {names}). {_accepted_layouts(request)}"
    )


def _candidates(path: Path, texts: Sequence[Path] = ()) -> list[Path]:
    question_files = {folder.questions_file(text) for text in texts}
    files = [file for file in path.iterdir() if file.is_file() and tables.is_table(file)]
    files = [file for file in files if file not in question_files]
    return [file for file in files if not _is_manifest(check_inside(file, path))]


def _is_manifest(file: Path) -> bool:
    """Whether a file is the manifest that `longdoc data build` writes."""
    if file.name != "manifest.json" or not file.is_file():
        return False
    try:
        record = plain_json.loads(file.read_bytes())
    except ValueError:
        return False
    return isinstance(record, dict) and {"longdoc", "builder"} <= record.keys()


def _candidates_below(path: Path) -> list[Path]:
    folders = [subfolder for subfolder in sorted(path.iterdir()) if subfolder.is_dir() and subfolder.name[0] != "."]
    subfolders = [check_inside(subfolder, path) for subfolder in folders]
    return [file for subfolder in subfolders for file in _candidates(subfolder, folder.texts(subfolder))]


def _split_paths(path: Path, groups: list[tuple[Path, ...]], request: SplitRequest) -> tuple[Path, ...]:
    """The only table of a folder, or the one whose name contains the split (and, if need be, the task).

    Where no file name contains it, the names of their folders decide (`train/labels.jsonl`), else that of the published
    file or of the task.
    """
    if len(groups) == 1:
        (files,) = groups
        splits = split_names.splits_named_in(files[0].name)
        if splits and request.split not in splits and _is_manifest(files[0].parent / "manifest.json"):
            raise _missing_split(path, [files[0].name], request)
        return files
    matches = (
        [files for files in groups if request.split in split_names.splits_named_in(files[0].name)]
        or [files for files in groups if request.split in _folder_named(files[0], path)]
        or [files for files in groups if files[0].name in _file_names(request)]
    )
    if len(matches) > 1:
        name = request.task.rpartition("/")[2]
        matches = [files for files in matches if name in files[0].name or name == files[0].parent.name] or matches
    if len(matches) == 1:
        return matches[0]
    listed = [str(files[0].relative_to(path)) for files in matches or groups]
    names = ", ".join(listed[:LISTED]) + (f" and {len(listed) - LISTED} more" if len(listed) > LISTED else "")
    problem = "more than one is named so" if matches else "none is named so"
    refusal = UserError if matches else split_names.NoSplit
    raise refusal(f"which file of {path} has the split {request.split!r}? {problem}: {names}; pass the path of one")


def _check_kinds(path: Path, groups: list[tuple[Path, ...]], request: SplitRequest) -> None:
    """Raise `UserError` where the file that bears the split's name is of a kind that is not read.

    Another file would be taken in its place: `train.jsonl` for `validation.xlsx`.
    """
    if any(request.split in split_names.splits_named_in(files[0].name) for files in groups):
        return
    for file in sorted(path.iterdir()):
        is_named = split_names.NAMES.get(file.name.partition(".")[0].lower()) == request.split
        if is_named and file.is_file() and not folder.recognizes(file):
            tables.kind(file)


def _file_names(request: SplitRequest) -> set[str]:
    """The names that a task's only file may have: the published one's, and the task's own."""
    bare_name = request.task.rpartition("/")[2]
    return {Path(name).name for name in request.published} | {f"{bare_name}{suffix}" for suffix in tables.SUFFIXES}


def _folder_named(file: Path, root: Path) -> set[str]:
    """The splits in the name of a file's folder; the name of the folder that was passed does not count."""
    return set() if file.parent == root else split_names.splits_named_in(file.parent.name)
