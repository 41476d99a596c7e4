"""The result of `longdoc runs verify`: checks with their outcomes, and versions that differ today."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longdoc.messages import counted
from longdoc.plain_json import plain_fields
from pipelines.display.numbers import line
from pipelines.display.table import Column, Table
from pipelines.display.view import View

Outcome = Literal["agrees", "differs", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """A file or a quantity, whether it agrees, and what was compared.

    `details` say how it differs, or why it is not checked.
    """

    name: str
    outcome: Outcome
    what: str = ""
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A version that differs today: of a library, of Python, or a metric's signature. Commas separate several."""

    name: str
    then: str
    now: str

    def __str__(self) -> str:
        return f"{self.name} {self.then} then, {self.now} now"


@dataclass(frozen=True, slots=True)
class Verified(View):
    """A folder that was verified: its own checks, and the runs in it where it holds an ablation or a table of ways."""

    folder: Path
    holds: str
    checks: Sequence[Check]
    versions: Sequence[OtherVersion] = ()
    runs: Sequence["Verified"] = ()

    @property
    def agrees(self) -> bool:
        """Whether nothing differs, here and in the runs; checks that could not be made do not count."""
        return all(check.outcome != "differs" for check in self.checks) and all(run.agrees for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**plain_fields(self), "agrees": self.agrees, "runs": [run.to_dict() for run in self.runs]}

    def tables(self) -> list[Table]:
        """The table of checks, those of a folder's runs below its own; notes below it say what differs."""
        pairs = [(prefix, check) for prefix, folder in self._folders() for check in folder.checks]
        columns = (
            Column("check", lambda pair: f"{pair[0]}{pair[1].name}"),
            Column("outcome", lambda pair: pair[1].outcome),
            Column("what", lambda pair: line(pair[1].what)),
        )
        notes = [f"{prefix}{check.name}: {detail}" for prefix, check in pairs for detail in check.details]
        if versions := dict.fromkeys(version for _, folder in self._folders() for version in folder.versions):
            notes.append(f"other versions today: {'; '.join(map(str, versions))}")
        return [Table(f"{self.folder}: {self.holds}", columns, pairs, (*notes, self._summary()))]

    def _folders(self) -> list[tuple[str, "Verified"]]:
        """This folder and the runs in it, each with the prefix of its checks' names."""
        return [("", self), *((f"{run.folder.name} ", run) for run in self.runs)]

    def _summary(self) -> str:
        """How many checks differ, and how many could not be made."""
        outcomes = [check.outcome for _, folder in self._folders() for check in folder.checks]
        different, unknown = outcomes.count("differs"), outcomes.count("not checked")
        first = (
            f"{different:,} of {counted(len(outcomes), 'check')} differ" if different else "everything checked agrees"
        )
        return f"{first}; {unknown:,} not checked" if unknown else first
