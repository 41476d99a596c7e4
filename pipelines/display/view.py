"""What results have in common: they show themselves as tables, in a terminal, in notebooks, and as data frames."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from longdoc.optional import need
from longdoc.plain_values import Record
from pipelines.display.table import Table, html, plain_text

NOT_COMPARABLE = "published, not comparable: "  # how the note on such scores begins


class View(Record, ABC):
    """A result whose tables are its text."""

    __slots__ = ()
    SEPARATOR: ClassVar[str] = "\n"  # between tables of plain text

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """What is shown, table by table."""

    def lines_below(self) -> Sequence[str]:
        """Lines below the tables, as where the files are."""
        return ()

    def folded_tables(self) -> Sequence[tuple[str, Sequence[str], Table]]:
        """Tables that pages fold: title, lines above, table."""
        return ()

    def latex_caption(self, table: Table) -> str:
        """The caption of one of the tables in a paper."""
        return table.caption

    def __str__(self) -> str:
        """The tables as plain text."""
        text = self.SEPARATOR.join(map(plain_text, self.tables()))
        return "\n".join([*([text] if text else []), *(f"  {line}" for line in self.lines_below())])

    def _repr_html_(self) -> str:
        """The tables, for notebooks."""
        return "\n".join(map(html, self.tables()))


class RowsView(View):
    """A result that is a data frame, too."""

    __slots__ = ()

    @abstractmethod
    def flat_rows(self) -> list[dict[str, Any]]:
        """One mapping for each row, all with the same keys, in full precision: of CSV and data frames."""

    def to_frame(self) -> Any:
        """A pandas data frame of `flat_rows()`."""
        return frame(self.flat_rows())


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """A pandas data frame with a row for each mapping; their keys are the columns."""
    pandas: Any = need("pandas", "tables", "a data frame")
    return pandas.DataFrame(list(rows))
