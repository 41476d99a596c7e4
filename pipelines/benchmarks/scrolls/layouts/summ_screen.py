"""SummScreen's own rows: the transcript of an episode, and its recap (Chen et al., 2022).

JSON Lines named by collection and split (`fd_dev.json`), one episode each: `Transcript`, a list of lines, `Recap`, a
text or its paragraphs; copies have the two in small letters. SCROLLS takes the collection ForeverDreaming (`fd`). Ids
are those of its published rows, collection and `filename` (`fd_FRIENDS_05x03`), and the place in the file where a copy
has no such field.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "SummScreen's rows (Transcript, Recap)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is an episode."""
    return isinstance(_field(fields, "Transcript"), (str, list)) and _field(fields, "Recap") is not None


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per episode, without a query; lines without words are left out."""
    for row in table.rows():
        lines = parsing.strings(_field(row.fields, "Transcript"), row.location, "Transcript")
        if not lines:
            raise row.refusal("an episode needs a Transcript with lines")
        recap = "\n".join(parsing.strings(_field(row.fields, "Recap"), row.location, "Recap")).strip()
        document = parsing.document("\n".join(lines), row.location)
        name = parsing.string(_field(row.fields, "filename"), row.location, "filename")
        example_id = f"{_collection(table.name)}_{PurePosixPath(name).stem}" if name else f"{split}-{row.number}"
        yield Example(example_id, document, references=(recap,) if recap else ())


def _collection(file: str) -> str:
    """The collection that a file's name begins with; ForeverDreaming where it names none."""
    return "tms" if file.lower().startswith("tms") else "fd"


def _field(fields: Mapping[str, Any], name: str) -> Any:
    return fields.get(name, fields.get(name.lower()))
