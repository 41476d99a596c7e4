"""Rows that belong together: those of one id, each with another accepted output, and neighbours with one document."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from longdoc.errors import UserError
from pipelines.records import Document
from pipelines.sources import parsing
from pipelines.sources.tables import Row, Table


@dataclass(slots=True)
class Instance:
    """All rows of one id, without their input. `location` is the first row's location."""

    location: str
    digest: int
    pids: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)


def instances(table: Table) -> Iterator[tuple[str, Row, Instance]]:
    """Each id with its first row and the outputs of all its rows, in the order of first occurrence.

    Two passes, since the rows of an id may be anywhere: the first keeps outputs, no inputs. Raises `UserError` for
    rows without an id or an input, and for an id with two inputs.
    """
    instances: dict[str, Instance] = {}
    for row in table.rows():
        digest, instance = hash(_input(row)), instances.get(name := _name(row))
        if instance is None:
            instance = instances[name] = Instance(row.location, digest)
        elif instance.digest != digest:
            raise UserError(
                f"{row.location}: the id {name!r} has another input at {instance.location}; make the ids differ"
            )
        if pid := row.string("pid"):
            instance.pids.append(pid)
        instance.references += row.strings("output")
    for row in table.rows():
        if (first := instances.pop(name := _name(row), None)) is not None:
            yield name, row, first


def _name(row: Row) -> str:
    name = row.string("id")
    if not name:
        raise row.refusal("the row needs an id")
    return name


def _input(row: Row) -> str:
    text = row.fields.get("input")
    if not isinstance(text, str):
        raise row.refusal("the row needs a text 'input'")
    return text


@dataclass(slots=True)
class SharedDocuments:
    """Documents of rows in their order: a row with the text of the previous row shares its document."""

    latest: Document | None = None

    def document(self, text: str, location: str) -> Document:
        """The document. Raises `UserError` naming the row where it is empty."""
        if self.latest is None or self.latest.text != text:
            self.latest = parsing.document(text, location)
        return self.latest
