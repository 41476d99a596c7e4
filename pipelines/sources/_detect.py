"""Finds the local files that contain a split, and their layout."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from longdoc import errors, plain_json
from longdoc.errors import UserError, listed
from longdoc.links import check_inside
from pipelines.records import Example
from pipelines.sources import reading, split_names, tables, zips
from pipelines.sources.layouts import (
    Layout,
    LayoutOfQuestions,
    LayoutOfSeveralTasks,
    LayoutWithFiles,
    LocalData,
    Read,
    SplitRequest,
    layout,
    question_file,
    releases,
    row_files,
)
from pipelines.sources.own_data import folder, pairing, row_lines
from pipelines.sources.warnings import Warnings

LISTED = 10  # files named in a message


def find(path: Path, request: SplitRequest) -> LocalData:
    """The data at a path. Raises `UserError` if they are missing, ambiguous, or in no layout of the task.

    Also raises it for a file that is a link to outside of the given folder, or of the given file's folder.
    """
    local_data = _find(path, request)
    folder = path if path.is_dir() else path.parent
    for file in (*local_data.tables, *local_data.documents):
        if file != path:  # which may be a link itself
            check_inside(file, _common_folder(file, folder))
    return local_data


def _common_folder(file: Path, folder: Path) -> Path:
    """The folder; for files beside it, such as the documents of LaRA, the folder that contains both."""
    return Path(os.path.commonpath([os.path.abspath(folder), os.path.abspath(file.parent)]))  # noqa: PTH100


def _find(path: Path, request: SplitRequest) -> LocalData:
    reading.existing(path)
    if members := zips.published_files(path, request.published):
        _check_split(members, request)
        return _rows(members, request)
    if path.suffix.lower() == ".zip" and path.is_file():
        problem = f"cannot tell which file in the zip has the split {request.split!r} of {request.task}"
        raise UserError(f"{path}: {problem}; unpack it and pass the path of that file")
    for release in releases(request.layouts):
        if local_data := release.find(path, request):
            return local_data
    if local_data := _row_file(path, request):
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
        raise UserError(f"{table.name} has no rows; give a file with at least one")
    for name in request.layouts:
        module = layout(name)
        if module.recognizes(first.fields):
            if isinstance(module, LayoutOfSeveralTasks):
                module.check_task(first, request.task)
            return name, partial(_read, layout(name), table, request)
    from pipelines.sources.own_data import forms

    fields = listed(map(str, first.fields)) or "none"
    problem = f"{first.location}: the task {request.task} cannot read this row; its fields: {fields}"
    lowercase = {name.lower(): value for name, value in first.fields.items()}
    if any(layout(name).recognizes(lowercase) for name in request.layouts):
        problem = f"{problem}; write their names in lower case ({', '.join(lowercase)})"
    elif hint := forms.nearest(first, request.has_query):
        problem = f"{problem}; {hint}"
    raise UserError(f"{problem}. {_accepted_layouts(request)}")


def _read(module: Layout, table: tables.Table, request: SplitRequest, warnings: Warnings) -> Iterator[Example]:
    with errors.parsing(table.name):
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
    """Raise `UserError` for a zip that has only other splits."""
    for member in members:
        if not isinstance(member, zips.Member):
            continue
        names = zips.names(member.archive)
        files = [name for name in names if split_names.splits_named_in(Path(name).name)]
        has_split = any(request.split in split_names.splits_named_in(Path(name).name) for name in files)
        if files and not has_split and member.inside not in names:
            raise _missing_split(member.archive, files, request)


def _missing_split(path: Path, files: Iterable[str], request: SplitRequest) -> UserError:
    choices = " or ".join(sorted({split for file in files for split in split_names.splits_named_in(Path(file).name)}))
    problem = f"{path} has no split {request.split!r} of {request.task}"
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


def _row_file(path: Path, request: SplitRequest) -> LocalData | None:
    """The first file of rows under the name of a text; None where there is none."""
    for module in row_files(request.layouts):
        for file, table in module.row_tables(path, request.split):
            name, read = layout_reader(table, request)
            return LocalData(read, path if path.is_dir() else path.parent, [file], layout=name)
    return None


def _folder(path: Path, request: SplitRequest) -> LocalData:
    if questions := question_file(request.layouts, path, request.task):
        return _rows((questions,), request)
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
        f"{path} has no data that {request.task} can read; it has: {names}. {_accepted_layouts(request)}"
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
    """The files of the only table of a folder, or of the one whose name contains the split (and the task).

    If no file name contains the split, folder names are tried (`train/labels.jsonl`), then the names of the published
    file and of the task.
    """
    if len(groups) == 1:
        (files,) = groups
        splits = split_names.splits_named_in(files[0].name)
        if splits and request.split not in splits and _is_manifest(files[0].parent / "manifest.json"):
            raise _missing_split(path, [files[0].name], request)
        return files
    matches = (
        [files for files in groups if request.split in split_names.splits_named_in(files[0].name)]
        or [files for files in groups if request.split in _splits_in_folder_name(files[0], path)]
        or [files for files in groups if files[0].name in _file_names(request)]
    )
    if len(matches) > 1:
        name = request.task.rpartition("/")[2]
        matches = [files for files in matches if name in files[0].name or name == files[0].parent.name] or matches
    if len(matches) == 1:
        return matches[0]
    candidates = [str(files[0].relative_to(path)) for files in matches or groups]
    problem = "several have it in their names" if matches else "none has it in its name"
    error_class = UserError if matches else split_names.NoSplit
    raise error_class(
        f"{path}: cannot tell which file has the split {request.split!r}; {problem}: "
        f"{listed(candidates, LISTED)}. Pass the path of one"
    )


def _check_kinds(path: Path, groups: list[tuple[Path, ...]], request: SplitRequest) -> None:
    """Raise `UserError` if the file that is named like the split is of a kind that is not read.

    Else another file would be read in its place: `train.jsonl` for `validation.xlsx`.
    """
    if any(request.split in split_names.splits_named_in(files[0].name) for files in groups):
        return
    for file in sorted(path.iterdir()):
        has_split_name = split_names.NAMES.get(file.name.partition(".")[0].lower()) == request.split
        if has_split_name and file.is_file() and not folder.recognizes(file):
            tables.kind(file)


def _file_names(request: SplitRequest) -> set[str]:
    """The file names by which a task's only file is found: those of the published files, and the task's own name."""
    task_name = request.task.rpartition("/")[2]
    return {Path(name).name for name in request.published} | {f"{task_name}{suffix}" for suffix in tables.SUFFIXES}


def _splits_in_folder_name(file: Path, root: Path) -> set[str]:
    """The splits in the name of a file's folder; none for a file directly in `root`."""
    return set() if file.parent == root else split_names.splits_named_in(file.parent.name)
