"""Options of how runs are carried out, which change no number and no file of a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """The arguments of `pipelines.run` of the same names.

    - `go_on`: send requests though most of the first outputs are empty (`engine.inference.stop_rule`).
    """

    go_on: bool = False


DEFAULT = ExecutionOptions()
