"""A finished run in the file format of another harness."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.folders import expanded
from longdoc.optional import check
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.engine.replay.replay import replay
from pipelines.results.run_folders.run import finished_run, run_record

Format = Literal["inspect"]
FORMATS: tuple[str, ...] = get_args(Format)
LOGS = Path("logs")  # where inspect_ai looks for logs


@dataclass(frozen=True, slots=True)
class Exported:
    """The file that was written. `without_prompts` says why it has no prompts and replies, if it has none."""

    run: Path
    file: Path
    samples: int
    without_prompts: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        lines = [f"{self.file}: {counted(self.samples, 'sample')}"]
        lines += [f"without prompts and replies: {self.without_prompts}"] if self.without_prompts else []
        return "\n".join([*lines, f"to look at it: inspect view --log-dir {self.file.parent}"])


@checks_names
def export(
    run: str | Path,
    *,
    to: Format = "inspect",
    out: str | Path | None = None,
    data: str | Path | None = None,
    model: str | None = None,
) -> Exported:
    """Write a finished run in the format of another harness.

    - `to`: "inspect", a log of inspect_ai: samples with prompts and replies, scores, tokens, the spans that were shown.
    - `out`: the file, FILE.eval or FILE.json; by default in `logs`, where `inspect view` looks.
    - `data`: where the data are now, by default where the run had them. A run's folder does not hold prompts: they are
      made again from the data, and the log has none where that cannot be done, which the result says.
    - `model`: the reader as it was given to the run, for one behind an API, whose address counts only where you type
      it. Nothing is asked.

    The whole log is in memory while it is written. Raises `UserError` for a run that is not finished.
    """
    if to not in FORMATS:
        raise unknown("format of another harness", to, FORMATS)
    check(("inspect_ai",), "inspect", "a log of inspect_ai")
    exported_run = finished_run(run)
    record = run_record(exported_run.folder)
    from pipelines.bridges.for_inspect import log as inspect_log
    from pipelines.bridges.for_inspect.samples import RunSamples

    samples = RunSamples(exported_run)
    file = LOGS / inspect_log.file_name(samples, record) if out is None else expanded(out)
    if file.suffix not in (".eval", ".json"):
        raise UserError(f"a log of inspect_ai is FILE.eval or FILE.json, got {file}: give one of these names")
    reason = ""
    changes = {name: path for name, path in (("data", data), ("model", model)) if path is not None}
    try:
        for example in replay(exported_run.folder, **changes):
            samples.add(example)
    except (UserError, OSError) as error:
        if changes:
            raise
        samples.forget()
        has_hint = any(name in str(error) for name in ("data=", "model="))
        reason = str(error) if has_hint else f"{error} (data=PATH, model=MODEL)"
    inspect_log.write(samples, record, file)
    return Exported(exported_run.folder, file, len(exported_run.predictions) + len(exported_run.failures), reason)
