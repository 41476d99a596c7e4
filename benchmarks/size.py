"""Lines and files by package and by subpackage of `pipelines`: source, tests and docs, with their ceilings.

`make size` prints the table; `make lint` fails when a part exceeds its ceiling in `ceilings.toml`.

Run: python -m benchmarks.size [--quiet] [--write]
"""

import argparse
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
SOURCE = (*PACKAGES, "benchmarks")
SPLIT = "pipelines"  # the package whose subpackages have ceilings of their own
STEPS = {"lines": 100, "files": 5}  # a ceiling is rounded up to a multiple of these
HEAD = """# The most lines and files that each part of the project may have: `make lint` fails when a part has more.
# Raising a number is a commit of its own, whose message says what users get for it.
"""
RAISE = (
    "Remove something, or raise the ceiling in ceilings.toml in a commit of its own that says what users get for it."
)


@dataclass(frozen=True, slots=True)
class Size:
    """Lines, blank ones counted, and files."""

    lines: int
    files: int

    def __str__(self) -> str:
        return f"{self.lines:,} in {self.files} files"


Sizes = dict[str, Size]  # by folder, relative to the root


def lines_of(file: Path) -> int:
    return len(file.read_text("utf-8").splitlines())


def size_of(files: Iterable[Path]) -> Size:
    """The size of some files together."""
    lengths = [lines_of(file) for file in files]
    return Size(sum(lengths), len(lengths))


def measured(root: Path) -> Sizes:
    """Every part that is there: code of the packages, and code and pages of benchmarks, tests and docs, by folder."""
    code = [*parts(root, SOURCE), "tests", *parts(root, folders(root, "tests"))]
    docs = ["docs", *folders(root, "docs")]
    return {part: size_of(counted(root, part)) for part in (*code, *docs)}


def counted(root: Path, part: str) -> list[Path]:
    """The Python files of a part, and the pages of docs, tests and benchmarks."""
    kinds = ("*.py",) if part.partition("/")[0] in PACKAGES else ("*.py", "*.md")
    return [file for kind in kinds for file in (root / part).rglob(kind)]


def parts(root: Path, names: Iterable[str]) -> list[str]:
    """Some folders, and below one that mirrors `pipelines` those inside it."""
    return [part for name in names for part in (name, *(folders(root, name) if Path(name).name == SPLIT else ()))]


def folders(root: Path, name: str) -> list[str]:
    """The folders in a folder that have something to count, sorted."""
    inside = sorted(f"{name}/{path.name}" for path in (root / name).iterdir() if path.is_dir())
    return [part for part in inside if counted(root, part)]


def excess(sizes: Sizes, ceilings: Sizes) -> list[str]:
    """A sentence for each number over its ceiling, and for each part without one."""
    sentences = []
    for part, size in sizes.items():
        if part not in ceilings:
            sentences.append(f"{part} has no ceiling in ceilings.toml.")
            continue
        for unit in STEPS:
            now, most = getattr(size, unit), getattr(ceilings[part], unit)
            if now > most:
                sentences.append(f"{part} has {now:,} {unit}, {now - most:,} over its ceiling of {most:,}.")
    return sentences


def read(text: str) -> Sizes:
    """The ceilings that a file holds."""
    return {part: Size(**numbers) for part, numbers in tomllib.loads(text).items()}


def written(sizes: Sizes) -> str:
    """The file of ceilings for some sizes, each number rounded up."""
    rows = [
        f'"{part}" = {{ lines = {up(size, "lines")}, files = {up(size, "files")} }}\n' for part, size in sizes.items()
    ]
    return HEAD + "\n" + "".join(rows)


def up(size: Size, unit: str) -> int:
    """A number, rounded up to a multiple of its step."""
    return -(-getattr(size, unit) // STEPS[unit]) * STEPS[unit]


def page(sizes: Sizes, ceilings: Mapping[str, Size]) -> str:
    """The table of all parts with their ceilings."""
    rows = [("", "lines", "ceiling", "files", "ceiling")]
    for part, size in sizes.items():
        most = ceilings.get(part)
        lines, files = (f"{most.lines:,}", str(most.files)) if most else ("none", "none")
        rows.append((part, f"{size.lines:,}", lines, str(size.files), files))
    return "\n".join(f"{part:<28}{lines:>9}{most:>9}{files:>7}{limit:>9}" for part, lines, most, files, limit in rows)


def main(root: Path = ROOT, arguments: list[str] | None = None) -> None:
    """Print the table, write the ceilings or end with 1 where one is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size", description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="print only what exceeds its ceiling")
    parser.add_argument("--write", action="store_true", help="make the present sizes, rounded up, the ceilings")
    options = parser.parse_args(arguments)
    file, sizes = root / "ceilings.toml", measured(root)
    if options.write:
        file.write_text(written(sizes), "utf-8")
    ceilings = read(file.read_text("utf-8")) if file.exists() else {}
    if not options.quiet:
        print(page(sizes, ceilings))
    if sentences := excess(sizes, ceilings):
        sys.exit("\n".join([*sentences, RAISE]))


if __name__ == "__main__":
    main()
