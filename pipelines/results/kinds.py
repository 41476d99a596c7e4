"""Results of other programs, such as their logs: plugins say how they are read and reported."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.extensions import plugins
from longdoc.plugin import loaded
from pipelines.display.view import View
from pipelines.results.comparisons.comparison import Comparison
from pipelines.results.run_folders.run import Run


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The arguments of a report: kind of file ("html", "markdown" …), leading score, place of the data.

    `cluster` is the field that says which samples of a log belong together.
    """

    kind: str
    primary_metric: str | None
    data: Any
    cluster: str | None


class ResultKind(ABC):
    """A kind of results that a plugin reads.

    `keeps_page`: whether the page of a single folder lies in that folder.
    """

    keeps_page: bool = True

    @abstractmethod
    def recognizes(self, path: Path) -> bool:
        """Whether a path holds such results."""

    @abstractmethod
    def view(self, paths: Sequence[Path], request: ReportRequest) -> View:
        """The results as a report shows them. Raises `UserError`."""

    def compare(self, a: Path, b: Path, cluster: str | None, options: Mapping[str, Any]) -> Comparison:
        """The comparison of two results, with the options of `pipelines.compare`. Raises `UserError`."""
        raise UserError(f"{a} and {b} cannot be compared: name the folders of finished runs")

    def run(self, path: Path) -> Run:
        """The results as a run, for `longdoc blame`. Raises `UserError`."""
        raise UserError(f"{path} is not a run: name the folder of a finished run")


def kind_of(*paths: Path) -> ResultKind | None:
    """The kind of the first path that a plugin recognizes; None if all paths are runs.

    Plugins of installed packages are asked first, as ours takes every other file for a log.
    """
    kinds = [loaded(plugin.results)() for plugin in reversed(list(plugins().values())) if plugin.results]
    return next((kind for path in paths for kind in kinds if kind.recognizes(path)), None)
