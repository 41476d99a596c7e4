"""A run made again, by the arguments in its `run.json` with changes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.allowed_code import CodeInFile, OnlyTyped, marked_with_file
from longdoc.arguments import unknown_argument
from longdoc.descriptions import typed_form
from longdoc.errors import UserError
from longdoc.files import output_folder
from longdoc.messages import note
from models import fields_alone, with_fields
from pipelines.engine import interruption_note
from pipelines.engine.planning.files.config_file import checked_arguments, run_types
from pipelines.engine.planning.given_arguments import not_repeatable, plain_argument
from pipelines.engine.planning.options import changed
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.engine.planning.spec import spec_of
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.results.run_folders import resuming
from pipelines.results.run_folders.entry import FolderReader
from pipelines.results.run_folders.run import run_record
from pipelines.results.run_folders.spec_differences import SpecDifference, differences_in_words

READERS = ("model", "judge")  # arguments that may be readers behind an API
MAX_SHOWN = 4  # differences from the first run in a message


@dataclass(frozen=True, slots=True)
class Rerun:
    """The `recorded` arguments of the run in a `folder`, as they were given, with `changes`.

    `data` is the absolute path of the data when the run was made, `shard` the part of the run in the folder.
    """

    folder: Path
    recorded: Mapping[str, Any]
    changes: Mapping[str, Any]
    spec: Mapping[str, Any]
    data: Any
    shard: str | None = None

    @classmethod
    def of(cls, folder: str | Path, changes: Mapping[str, Any]) -> "Rerun":
        """Read a run's folder. Raises `UserError` where its arguments are not kept, or cannot be given again."""
        path, argument_types = Path(folder), run_types()
        if unknown_name := next((name for name in changes if name == "task" or name not in argument_types), None):
            raise unknown_argument(unknown_name, argument_types.keys() - {"task"})
        changes = with_served_reader(changes)
        record = run_record(path)
        if "arguments" not in record:
            problem = f"the run in {path} was made before arguments were kept in run.json"
            raise UserError(f"{problem}: {resuming.run(path, record)}")
        recorded = record["arguments"]
        objects = not_repeatable({k: v for k, v in recorded.items() if k not in changes})
        if objects:
            name, description = next(iter(objects.items()))
            again = " and ".join(f"{name}=" for name in objects)
            hint = "make the run in Python, as before" if "task" in objects else f"give {again} again, or another"
            problem = f"the {name} of the run in {path} was an object, {description}, which no file can hold"
            raise UserError(f"{problem}: {hint}")
        file = str(path / "run.json")
        unchanged = {name: marked_with_file(value, file) for name, value in recorded.items() if name not in changes}
        arguments = checked_arguments(unchanged, argument_types, file)
        if "task" not in arguments:
            raise UserError(f"{path / 'run.json'} is damaged (its arguments name no task): make the run anew")
        return cls(path, arguments, changes, record["spec"], record.get("data", {}).get("given"), record.get("shard"))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `run`, as a user would give them."""
        changes = dict(self.changes)
        if (fields := fields_alone(changes.get("model"))) is not None and "model" in self.recorded:
            changes["model"] = with_fields(self.recorded["model"], fields)
        return {name: value for name, value in changed(self.recorded, changes).items() if value is not None}

    @property
    def planned(self) -> dict[str, Any]:
        """The arguments with the absolute path of the data. Raises `UserError` where the data are gone."""
        arguments = self.arguments
        if "data" in self.recorded and self.data is not None:
            arguments["data"] = self.data
            if self.data != "sample" and not Path(self.data).exists():
                raise UserError(f"the data of the run in {self.folder} are not at {self.data} any more: give data=PATH")
        return arguments

    @contextmanager
    def explained_errors(self) -> Iterator[None]:
        """Turn errors in the block about code or readers that `run.json` may not name into errors with what to type."""
        try:
            yield
        except CodeInFile as error:
            names = [name for name, value in self.recorded.items() if error.code in str(typed_form(value))]
            again = [_again(name, self.recorded[name]) for name in names if self._lacks(name)]
            raise (UserError(f"{error.problem}. If you trust it, give {' '.join(again)}") if again else error) from None
        except OnlyTyped as error:
            names = [f"{name}={typed_form(self.recorded[name])!r}" for name in READERS if self._lacks(name)]
            raise UserError(f"{error}: give {' and '.join(names)}" if names else str(error)) from None

    def _lacks(self, name: str) -> bool:
        """Whether an argument is recorded and was not given again."""
        return name in self.recorded and name not in self.changes

    def folder_of(self, plan: Plan, out: str | Path | None) -> Path | None:
        """The folder for the plan, None for the default folder of another run, whose differences are printed.

        Without `out` the same run goes on in its folder. Raises `UserError` where nothing was changed and it would be
        another run all the same, since its data or a model are not what they were.
        """
        differences = differences_in_words(self.spec, spec_of(plan))
        shard = None if plan.shard is None else str(plan.shard)
        if shard != self.shard:  # not in the spec, but each shard has its own folder
            differences.append(SpecDifference("shard", self.shard or "none", shard or "none"))
        shown_differences = "; ".join(map(str, differences[:MAX_SHOWN]))
        if out is not None:
            path = output_folder(out)
            check_run_path(path)
            if differences:
                note(f"as {self.folder}, but {shown_differences}")
            return path
        if not differences:
            self._say_finished()
            return self.folder
        if not self.changes:
            problem = f"this would be another run than the one in {self.folder} ({shown_differences})"
            raise UserError(f"{problem}: choose another folder with out=")
        note(f"as {self.folder}, but {shown_differences}")
        return None

    def _say_finished(self) -> None:
        """Print that the run is finished, where nothing is asked and nothing was changed."""
        run = FolderReader()(self.folder)
        if run.state == "finished" and not run.failed and not self.changes:
            out = "--out FOLDER" if interruption_note.typed_command.get() else "out=FOLDER"
            text = f"nothing is asked again; {out} makes it anew"
            note(f"the run in {self.folder} is finished: {text}")


def _again(name: str, value: Any) -> str:
    """An argument as it has to be typed again: on the command line, one option for each of several values."""
    if not isinstance(value, list):
        return f"{name}={typed_form(value)!r}"
    values = [str(typed_form(item)) for item in value]
    if interruption_note.typed_command.get():
        return " ".join(f"{name}={item!r}" for item in values)
    return f"{name}={values!r}"


def config_text(arguments: Mapping[str, Any]) -> str:
    """The arguments as text of a YAML file for `run --config`."""
    import yaml

    return str(yaml.safe_dump(plain_argument(arguments), sort_keys=False, allow_unicode=True, width=100)).rstrip("\n")
