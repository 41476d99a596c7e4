"""The base of results: shown as tables in a terminal and in notebooks, and as data frames."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.optional import need
from longdoc.plain_json import Record
from longdoc.plugin import loaded
from pipelines.display.table import NO_FORMULAS, Table, html, one_line, plain_text

NOT_COMPARABLE = "published, not comparable: "  # how the note on such scores begins


class View(Record, ABC):
    """A result whose tables are its text."""

    __slots__ = ()
    PAGE: ClassVar[str] = ""  # "module:function" of a result and its page's folder, which gives the page
    PLOT: ClassVar[str] = ""  # the same of a result and a file, which writes the plot
    SEPARATOR: ClassVar[str] = "\n"  # between tables of plain text

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables that are shown."""

    def lines_below(self) -> Sequence[str]:
        """Lines below the tables, such as paths of files."""
        return ()

    def folded_tables(self) -> Sequence[tuple[str, Sequence[str], Table]]:
        """Tables that pages fold, as (title, lines above, table)."""
        return ()

    def latex_caption(self, table: Table) -> str:
        """A table's caption for a paper."""
        return table.caption

    def page(self, home: Path) -> str:
        """The page as HTML, with links relative to the folder `home`. Raises `UserError` for a result without one."""
        if not self.PAGE:
            raise UserError("this result has no page: give another format, such as markdown")
        text: str = loaded(self.PAGE)(self, home)
        return text

    def plot(self, file: str | Path) -> None:
        """Write the plot to a file that ends in .png, .svg or .pdf. Raises `UserError` if the result has no plot."""
        if not self.PLOT:
            raise UserError("this result has no plot: give another format, such as html or markdown")
        loaded(self.PLOT)(self, Path(file))

    def __str__(self) -> str:
        """The tables as plain text."""
        text = self.SEPARATOR.join(map(plain_text, self.tables()))
        return "\n".join([*([text] if text else []), *(f"  {one_line(line)}" for line in self.lines_below())])

    def _repr_html_(self) -> str:
        """The tables and the lines below them, for notebooks."""
        lines = (
            f'<div class="{NO_FORMULAS}"><small>{escape(one_line(line))}</small></div>' for line in self.lines_below()
        )
        return "\n".join([*map(html, self.tables()), *lines])


class RowsView(View):
    """A result that can also be a data frame."""

    __slots__ = ()

    @abstractmethod
    def flat_rows(self) -> list[dict[str, Any]]:
        """The rows of CSV files and data frames: mappings with the same keys, in full precision."""

    def to_frame(self) -> Any:
        """A pandas data frame of `flat_rows()`."""
        return frame(self.flat_rows())


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """A pandas data frame with a row for each mapping; their keys are the columns."""
    pandas: Any = need("pandas", "tables", "a data frame")
    return pandas.DataFrame(list(rows))
