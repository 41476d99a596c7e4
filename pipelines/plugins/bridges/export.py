"""Writes a finished run in the file format of another harness."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from longdoc.messages import counted
from longdoc.optional import check
from longdoc.plain_json import plain_fields
from pipelines.engine.replay.replay import replay
from pipelines.results.run_folders.run import Run, finished_run, run_record

Format = Literal["inspect", "every_eval_ever"]
FORMATS: tuple[str, ...] = get_args(Format)
LOGS = Path("logs")  # where inspect_ai looks for logs
SUFFIXES = {"inspect": (".eval", ".json"), "every_eval_ever": (".json",)}


@dataclass(frozen=True, slots=True)
class Exported:
    """The written file. `without_prompts` says why it has no prompts and replies, where it has none.

    `next_step` says what to do with the file.
    """

    run: Path
    file: Path
    samples: int
    without_prompts: str = ""
    next_step: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        lines = [f"{self.file}: {counted(self.samples, 'sample')}"]
        lines += [f"without prompts and replies: {self.without_prompts}"] if self.without_prompts else []
        return "\n".join([*lines, self.next_step])


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

    - `to`: "inspect", a log of inspect_ai: samples with prompts and replies, scores, tokens, the spans that were shown;
      "every_eval_ever", a JSON file of scores and a file of the samples beside it.
    - `out`: the file, FILE.json or for inspect_ai also FILE.eval; by default in `logs`, where `inspect view` looks.
    - `data`: where the data are now, by default where the run had them. A run's folder has no prompts: they are made
      again from the data. Where that is not possible, the log has none, and the result says why.
    - `model`: the reader as it was given to the run, for one behind an API, since the address is not taken from the
      run's record. Nothing is asked.

    The whole log is in memory while it is written. Raises `UserError` for a run that is not finished.
    """
    if to not in FORMATS:
        raise unknown("format of another harness", to, FORMATS)
    if to == "inspect":
        return _inspect_log(run, out, data, model)
    for name, value in (("data", data), ("model", model)):
        if value is not None:
            raise UserError(f"{name}= is for prompts, which only a log of inspect_ai has: leave it out")
    return _every_eval_ever(finished_run(run), out)


def _every_eval_ever(chosen_run: Run, out: str | Path | None) -> Exported:
    from pipelines.plugins.bridges import every_eval_ever

    file = _file(out, LOGS / f"{chosen_run.task.replace('/', '-')}.json", "every_eval_ever")
    samples = every_eval_ever.write(chosen_run, run_record(chosen_run.folder), file)
    step = f"by sample: {samples}; source_organization_name is {every_eval_ever.UNSTATED!r}: write yours there"
    return Exported(chosen_run.folder, file, len(chosen_run.predictions), next_step=step)


def _file(out: str | Path | None, default: Path, harness: str) -> Path:
    """The file to write. Raises `UserError` for a name that the format does not have."""
    file = default if out is None else expanded(out)
    if file.suffix not in SUFFIXES[harness]:
        kind = "a log of inspect_ai" if harness == "inspect" else f"a file for --to {harness}"
        endings = " or ".join(f"FILE{suffix}" for suffix in SUFFIXES[harness])
        raise UserError(f"{kind} is {endings}, got {file}: give one of these names")
    return file


def _inspect_log(run: str | Path, out: str | Path | None, data: str | Path | None, model: str | None) -> Exported:
    """Write a log of inspect_ai, with prompts and replies where they can be made again."""
    check(("inspect_ai",), "inspect", "a log of inspect_ai")
    chosen_run = finished_run(run)
    record = run_record(chosen_run.folder)
    from pipelines.plugins.bridges.for_inspect import log as inspect_log
    from pipelines.plugins.bridges.for_inspect.samples import RunSamples

    samples = RunSamples(chosen_run)
    file = _file(out, LOGS / inspect_log.file_name(samples, record), "inspect")
    reason = ""
    changes = {name: path for name, path in (("data", data), ("model", model)) if path is not None}
    try:
        for example in replay(chosen_run.folder, **changes):
            samples.add(example)
    except (UserError, OSError) as error:
        if changes:
            raise
        samples.forget()
        has_hint = any(name in str(error) for name in ("data=", "model="))
        reason = str(error) if has_hint else f"{error} (data=PATH, model=MODEL)"
    inspect_log.write(samples, record, file)
    count = len(chosen_run.predictions) + len(chosen_run.failures)
    step = f"to look at it: inspect view --log-dir {file.parent}"
    return Exported(chosen_run.folder, file, count, reason, step)
