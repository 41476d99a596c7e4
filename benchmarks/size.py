"""Lines and files by package and by subpackage of `pipelines`: source, tests and docs.

Run: python -m benchmarks.size
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("longdoc", "chunkers", "models", "retrievers", "pipelines")
SOURCE = (*PACKAGES, "benchmarks")
SPLIT = ("pipelines", "plugins")  # packages whose subpackages have lines of their own


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


def sizes_of(root: Path) -> Sizes:
    """The size of every part: code of the packages, and code and pages of benchmarks, tests and docs, by folder."""
    code = [*parts(root, SOURCE), "tests", *parts(root, folders(root, "tests"))]
    docs = ["docs", *folders(root, "docs")]
    return {part: size_of(files_of(root, part)) for part in (*code, *docs)}


def files_of(root: Path, part: str) -> list[Path]:
    """The Python files of a part, and the pages of docs, tests and benchmarks."""
    kinds = ("*.py",) if part.partition("/")[0] in PACKAGES else ("*.py", "*.md")
    return [file for kind in kinds for file in (root / part).rglob(kind)]


def parts(root: Path, names: Iterable[str]) -> list[str]:
    """The folders with these names, each followed by the folders inside it where its name is in `SPLIT`."""
    inside = {name: parts(root, folders(root, name)) if Path(name).name in SPLIT else [] for name in names}
    return [part for name, subpackages in inside.items() for part in (name, *subpackages)]


def folders(root: Path, name: str) -> list[str]:
    """The folders in a folder that have something to count, sorted."""
    inside = sorted(f"{name}/{path.name}" for path in (root / name).iterdir() if path.is_dir())
    return [part for part in inside if files_of(root, part)]


def page(sizes: Sizes) -> str:
    """The table of all parts."""
    rows = [("", "lines", "files"), *((part, f"{size.lines:,}", f"{size.files:,}") for part, size in sizes.items())]
    return "\n".join(f"{part:<28}{lines:>9}{files:>7}" for part, lines, files in rows)


if __name__ == "__main__":
    print(page(sizes_of(ROOT)))
