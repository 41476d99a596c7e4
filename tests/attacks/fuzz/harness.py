"""What a fuzz target is, and what counts as a finding when it is given some bytes.

A target reads bytes as one of the program's parsers does. A value is fine, and so is an exception that the parser
documents: what is wrong with a file is said as a `UserError`. Any other exception is a finding, and so are seconds and
memory that no file of this size should take.
"""

import json
import os
import random
import resource
import shutil
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from longdoc.plain_json import NotJSON

SECONDS = 5.0  # of processor time that one input may take
MEGABYTES = 300  # by which one input may raise the memory of the process
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
CORPUS = Path(__file__).with_name("corpus.jsonl")
SECTION = "\n=== "  # before the name of each file in an input that is several files

Run = Callable[[bytes, Path], object]


@dataclass(frozen=True)
class Target:
    """A parser: `run` gets an input and an empty folder. `seeds` are inputs to begin with."""

    name: str
    run: Run
    seeds: Sequence[bytes]
    allowed: tuple[type[Exception], ...] = (UserError,)
    longest: int = 4096


TARGETS: dict[str, Target] = {}
FOLDERS = ("run_folder", "run_reports", "resumed_run", "shards", "ablation_folder")
MODELS = ("learned_model", "vectors")
ALLOWED = (UserError, Malformed, NotJSON)


def target(*seeds: str | bytes, allowed: tuple[type[Exception], ...] = (UserError,), longest: int = 4096) -> Any:
    """Register a function as the target of its name."""

    def register(run: Run) -> Run:
        texts = [seed if isinstance(seed, bytes) else seed.encode("utf-8", "surrogatepass") for seed in seeds]
        name = run.__name__.strip("_")
        TARGETS[name] = Target(name, run, texts, allowed, longest)
        return run

    return register


def load() -> dict[str, Target]:
    """All targets, by name."""
    for module in ("texts", "data", "documents", "logs", "records", "models"):
        import_module(f"tests.attacks.fuzz.targets.{module}")
    return TARGETS


def seeds_of(target: Target) -> list[bytes]:
    """The seeds of a target, those too that have to be made first."""
    seeds_made = (
        {**import_module("tests.attacks.fuzz.targets.models").seeds_of_models()} if target.name in MODELS else {}
    )
    if target.name in FOLDERS:
        seeds_made = import_module("tests.attacks.fuzz.targets.records").seeds_of_folders()
    return [*target.seeds, *seeds_made.get(target.name, [])]


def text(data: bytes) -> str:
    """Bytes as the command line has them as text."""
    return data.decode("utf-8", "surrogateescape")


def choose(data: bytes, among: Sequence[Any]) -> tuple[Any, bytes]:
    """One of several things by the first byte, and the rest."""
    return among[data[0] % len(among)] if data else among[0], data[1:]


def sections(data: bytes) -> dict[str, bytes]:
    """An input that is several files: `=== NAME` before each."""
    files = {}
    for piece in (b"\n" + data).split(SECTION.encode())[1:]:
        name, _, content = piece.partition(b"\n")
        files[name.decode("utf-8", "replace").strip()] = content
    return files


def write(files: Mapping[str, bytes], folder: Path, max_files: int = 6) -> None:
    """Write some files into a folder, those whose names can be names below it."""
    for name, content in list(files.items())[:max_files]:
        path = folder / name
        if not name or "\0" in name or ".." in name or not path.is_relative_to(folder):
            continue
        with suppress(OSError):  # a name that is too long, or a folder's
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


@dataclass
class Finding:
    """What an input did that it should not have done; `where` is the last of our lines, by which findings are told."""

    kind: str
    where: str
    message: str
    data: bytes = field(repr=False)

    @property
    def key(self) -> str:
        return f"{self.kind} {self.where}"

    def record(self) -> dict[str, str]:
        return {"kind": self.kind, "where": self.where, "message": self.message, "data": self.data.decode("latin-1")}


def attempt(target: Target, data: bytes, folder: Path) -> Finding | None:
    """Give a target an input. Returns what is wrong with what it did."""
    _warm_up(target.name, folder)
    _emptied(folder)
    begun, memory = time.process_time(), _memory()
    try:
        target.run(data, folder)
    except target.allowed:
        pass
    except Exception as error:
        return Finding(type(error).__name__, _where(error), str(error).replace(str(folder), "FOLDER")[:200], data)
    seconds, growth = time.process_time() - begun, _memory() - memory
    if seconds > SECONDS:
        return Finding("slow", target.name, f"{seconds:.1f} s", data)
    if growth > MEGABYTES:
        return Finding("memory", target.name, f"{growth:.0f} MB", data)
    return None


@cache
def _warm_up(name: str, folder: Path) -> None:
    """Run a target once, so that the libraries it imports are not counted as memory of an input."""
    _emptied(folder)
    with suppress(Exception):
        TARGETS[name].run(next(iter(TARGETS[name].seeds), b""), folder)


def _emptied(folder: Path) -> None:
    if not folder.is_dir() or any(os.scandir(folder)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _where(error: Exception) -> str:
    """The last line of ours that the error went through, outside of the tests."""
    root = Path(__file__).resolve().parents[3]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if any(f"{root}/{name}/" in frame.filename for name in PACKAGES)]
    last = (ours or frames)[-1]
    path = Path(last.filename)
    return f"{path.relative_to(root) if path.is_relative_to(root) else path.name}:{last.lineno} {last.name}"


ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, 1e308, float("nan"), float("inf"), "", " ", "x", "\0", "\ud800",
    "\U0001d49c", "0", "-1", "null", "a" * 300, [], [[]], [0], [""], [None], {}, {"": 0}, {"name": 1}, {"name": "x"}, 0.5,
)  # fmt: skip


def mutate(data: bytes, longest: int, seed: int, by_bytes: Callable[[bytes, int], bytes]) -> bytes:
    """An input changed: its bytes, or a value in the JSON that it holds; of several files one."""
    chance = random.Random(seed)
    if SECTION.encode() in b"\n" + data and chance.random() < 0.8:
        return _mutate_one_file(data, longest, chance, by_bytes)
    if chance.random() < 0.5:
        return by_bytes(data, longest)
    lines = data.split(b"\n")
    line_number = chance.randrange(len(lines))
    for piece in (data, lines[line_number], data[1:]):
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        changed_json = json.dumps(_change(value, chance), ensure_ascii=chance.random() < 0.2).encode(
            "utf-8", "surrogatepass"
        )
        mutation = (
            data[: len(data) - len(piece)] + changed_json
            if piece is not lines[line_number]
            else b"\n".join([*lines[:line_number], changed_json, *lines[line_number + 1 :]])
        )
        return mutation if len(mutation) <= longest else by_bytes(data, longest)
    return by_bytes(data, longest)


def _mutate_one_file(
    data: bytes, longest: int, chance: random.Random, by_bytes: Callable[[bytes, int], bytes]
) -> bytes:
    files = list(sections(data).items())
    file_number = chance.randrange(len(files))
    name, content = files[file_number]
    files[file_number] = (name, mutate(content, longest, chance.randrange(2**32), by_bytes))
    if chance.random() < 0.05:
        del files[file_number]
    return pack(dict(files))[:longest]


def pack(files: dict[str, bytes]) -> bytes:
    """Several files as one input, as `sections` reads it."""
    return b"".join(f"{SECTION}{name}\n".encode() + content for name, content in files.items())[1:]


def _change(value: Any, chance: random.Random) -> Any:
    """A value of which one part is another, missing, or there twice."""
    if isinstance(value, (dict, list)) and value and chance.random() < 0.85:
        keys: Any = list(value) if isinstance(value, dict) else range(len(value))
        place = chance.choice(keys)
        changed = value.copy()
        draw = chance.random()
        if draw < 0.12:
            del changed[place]
        elif draw < 0.2 and isinstance(changed, list):
            changed.insert(place, changed[place])
        elif draw < 0.2 and isinstance(changed, dict):
            changed[chance.choice(keys)] = changed[place]
        else:
            changed[place] = _change(changed[place], chance)
        return changed
    if isinstance(value, str) and value and chance.random() < 0.3:
        place = chance.randrange(len(value))
        return value[:place] + chance.choice([*"\n\t{}[]:,=\"'%\\/<>&#$-", "\ud800", "́", ""]) + value[place + 1 :]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.3:
        return value + chance.choice([-1, 1, 100, -100])
    return chance.choice([*ODD_VALUES, [value], {"x": value}])
