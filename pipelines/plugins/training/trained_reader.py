"""What `pipelines.train` returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.plain_json import plain_fields


@dataclass(frozen=True, slots=True)
class TrainedReader:
    """A trained reader, `models.get(folder)`, or retriever, `retrievers.get(folder)`.

    `metrics` come from the training: losses, the best checkpoint. `validation` says what it was validated on, `command`
    runs it on inputs like those it was trained on.
    """

    task: str
    reader: str
    base: str
    folder: Path
    validation: str
    metrics: Mapping[str, Any]
    command: str
    seconds: float
    finished_earlier: bool = False
    warnings: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        duration = "finished earlier" if self.finished_earlier else f"{self.seconds:.1f} s"
        metrics = {name: value for name, value in self.metrics.items() if not isinstance(value, (list, dict))}
        lines = [f"{self.task}: {self.reader} trained ({duration}), validated on {self.validation}"]
        lines += [f"  {name:<20} {value}" for name, value in metrics.items()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join([*lines, f"  in {self.folder}: {self.command}"])
