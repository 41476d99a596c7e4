"""A run made again by the arguments that its `run.json` keeps, with changes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.allowed_code import CodeInFile, OnlyTyped
from longdoc.arguments import unknown_argument
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.folders import output_folder
from longdoc.typed_form import typed_form
from longdoc.visible import note
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
MAX_SHOWN = 4  # differences from the first run that are named


@dataclass(frozen=True, slots=True)
class Rerun:
    """The arguments of a run that is in a `folder`, as they were given, with `changes`.

    `data` is where the run's data lay, as an absolute path.
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
        path, known_fields = Path(folder), run_types()
        if wrong_text := next((name for name in changes if name == "task" or name not in known_fields), None):
            raise unknown_argument(wrong_text, known_fields.keys() - {"task"})
        changes = with_served_reader(changes)
        record = run_record(path)
        if "arguments" not in record:
            problem = f"the run in {path} was made before arguments were kept in run.json"
            raise UserError(f"{problem}: {resuming.run(path, record)}")
        recorded = record["arguments"]
        objects = not_repeatable({k: v for k, v in recorded.items() if k not in changes})
        for name, described_text in objects.items():
            text = " and ".join(f"{text}=" for text in objects)
            hint = "make the run in Python, as before" if "task" in objects else f"give {text} again, or another"
            problem = f"the {name} of the run in {path} was an object, {described_text}, which no file can hold"
            raise UserError(f"{problem}: {hint}")
        file = str(path / "run.json")
        unchanged = {name: marked_with_file(value, file) for name, value in recorded.items() if name not in changes}
        checked = checked_arguments(unchanged, known_fields, file)
        if "task" not in checked:
            raise UserError(f"{path / 'run.json'} is damaged (its arguments name no task): make the run anew")
        return cls(path, checked, changes, record["spec"], record.get("data", {}).get("given"), record.get("shard"))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `run`, as they would be typed."""
        return {name: value for name, value in changed(self.recorded, self.changes).items() if value is not None}

    @property
    def planned(self) -> dict[str, Any]:
        """The same with the data by their absolute path. Raises `UserError` where nothing is there any more."""
        fields = self.arguments
        if "data" in self.recorded and self.data is not None:
            fields["data"] = self.data
            if self.data != "sample" and not Path(self.data).exists():
                raise UserError(f"the data of the run in {self.folder} are not at {self.data} any more: give data=PATH")
        return fields

    @contextmanager
    def names(self) -> Iterator[None]:
        """While the block runs, what `run.json` may not name is an error that says what to give again."""
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
        """Whether an argument is the recorded one, and was not given again."""
        return name in self.recorded and name not in self.changes

    def folder_of(self, plan: Plan, out: str | Path | None) -> Path | None:
        """The folder for the plan, None for that of a run that is given none; what is not as before is printed.

        Without `out` the same run goes on in its folder. Raises `UserError` where nothing was changed and it would be
        another run all the same, as its data or a model are not what they were.
        """
        differences = differences_in_words(self.spec, spec_of(plan))
        now = None if plan.shard is None else str(plan.shard)
        if now != self.shard:  # no part of the spec, but in a folder of its own
            differences.append(SpecDifference("shard", self.shard or "none", now or "none"))
        named_text = "; ".join(map(str, differences[:MAX_SHOWN]))
        if out is not None:
            path = output_folder(out)
            check_run_path(path)
            if differences:
                note(f"as {self.folder}, but {named_text}")
            return path
        if not differences:
            self._say_finished()
            return self.folder
        if not self.changes:
            problem = f"this would be another run than the one in {self.folder} ({named_text})"
            raise UserError(f"{problem}: choose another folder with out=")
        note(f"as {self.folder}, but {named_text}")
        return None

    def _say_finished(self) -> None:
        run = FolderReader()(self.folder)
        if run.state == "finished" and not run.failed and not self.changes:
            out = "--out FOLDER" if interruption_note.typed_command.get() else "out=FOLDER"
            text = f"nothing is asked again; {out} makes it anew"
            note(f"the run in {self.folder} is finished: {text}")


def _again(name: str, value: Any) -> str:
    """An argument as it is to be given again: on the command line an option for each of several values."""
    if not isinstance(value, list):
        return f"{name}={typed_form(value)!r}"
    values = [str(typed_form(item)) for item in value]
    if interruption_note.typed_command.get():
        return " ".join(f"{name}={item!r}" for item in values)
    return f"{name}={values!r}"


def config_text(arguments: Mapping[str, Any]) -> str:
    """Arguments as the YAML file that `run --config` reads."""
    import yaml

    return str(yaml.safe_dump(plain_argument(arguments), sort_keys=False, allow_unicode=True, width=100)).rstrip("\n")
