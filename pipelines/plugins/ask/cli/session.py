"""The prompt of `longdoc ask FILES`: questions and commands about documents that stay loaded."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longdoc.arguments import unknown_argument
from longdoc.errors import UserError, unknown
from longdoc.files import expanded, write_pieces
from pipelines.cli.shared.options import say, show_answer
from pipelines.display import terminal
from pipelines.engine.planning.options import command_line_options, value_type
from pipelines.engine.planning.run_options import AskOptions
from pipelines.plugins.ask import page
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.indexing.document_index import DocumentIndex

HELP = """Type a question, or a command:

  :sources          list the documents, and files that were not read
  :passages [N]     print passage N of the last answer whole; without a number all passages
  :full             print answers and passages whole from now on, or no longer
  :set              list the settings, which are the arguments of longdoc ask
  :set k=5          change a setting for the next questions (:set k= for its default)
  :save page.html   save the last answer as a page, or as .json or .txt
  :reload           read the documents again
  :quit             end (Ctrl-D); Ctrl-C cancels a question"""
ALIASES = {"help": ":help", "?": ":help", "quit": ":quit", "exit": ":quit", ":q": ":quit", ":exit": ":quit"}


class SessionEnd(Exception):
    """The user ends the session."""


@dataclass
class Session:
    """Documents that stay loaded, and the arguments set for the next questions. `load` reads the documents."""

    load: Callable[[], DocumentIndex]
    full: bool = False
    as_json: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    last: Answer | None = None

    def __post_init__(self) -> None:
        self.documents = self.load()
        self.documents.build()

    @property
    def commands(self) -> Mapping[str, Callable[[str], None]]:
        """The commands by name; each gets the text after its name."""
        return {
            ":help": self._help, ":sources": self._sources, ":passages": self._passages, ":full": self._full,
            ":set": self._set, ":save": self._save, ":reload": self._reload, ":quit": self._quit,
        }  # fmt: skip

    def read(self, line: str) -> None:
        """Do what a line says: a command, or a question. Raises `UserError`, and `SessionEnd`."""
        line = line.strip()
        line = ALIASES.get(line, line)
        if line.startswith(":"):
            name, _, rest = line.partition(" ")
            if name not in self.commands:
                raise unknown("command", name, self.commands)
            self.commands[name](rest.strip())
        elif line:
            self.ask(line)

    def ask(self, question: str) -> None:
        """Answer a question and print the answer; what was not read was said at the start."""
        self.last = self.documents.ask(question, **self.settings)
        if self.as_json:
            show_json(self.last.to_dict())
        else:
            show_answer(without_unread(self.last, self.documents), self.full)

    def _help(self, rest: str) -> None:
        say(HELP)

    def _sources(self, rest: str) -> None:
        lines = [
            f"{document.meta.get('file') or document.title or document.id}: {len(document.text.split()):,} words"
            for document in self.documents.documents
        ]
        say("\n".join([*lines, *(f"warning: {warning}" for warning in self.documents.warnings)]))

    def _passages(self, rest: str) -> None:
        answer = self._last_answer()
        if not rest:
            show_answer(answer, True)
            return
        if not rest.isdecimal() or not 1 <= int(rest) <= len(answer.passages):
            raise UserError(
                f"the last answer has passages 1 to {len(answer.passages)}: type one of these, as in :passages 1"
            )
        from pipelines.plugins.ask import rendering

        if terminal.is_plain():
            print(terminal.visible(rendering.passage_as_text(answer, int(rest))))
        else:
            terminal.draw(rendering.passage_for_terminal(answer, int(rest)))

    def _full(self, rest: str) -> None:
        self.full = not self.full
        say(f"answers and passages are printed {'whole' if self.full else 'in short'}")

    def _set(self, rest: str) -> None:
        if not rest:
            self._show_settings()
            return
        name, equals, text = (part.strip() for part in rest.partition("="))
        name = name.replace("-", "_")
        if name not in AskOptions.__annotations__:
            raise unknown_argument(name, AskOptions.__annotations__)
        if not equals:
            raise UserError(f":set takes NAME=VALUE, as in :set {name}={_example(name)}")
        settings = dict(self.settings)
        settings.pop(name, None)
        if text:
            settings[name] = _value(name, text)
        self.documents.build(**settings)
        self.settings = settings
        say(f"{name} is {text or 'as at the start'}")

    def _show_settings(self) -> None:
        arguments = {**self.documents.arguments, **self.settings}
        lines = [
            f"{name}={_shown(arguments[name])}" if name in arguments else f"{name}="
            for name in AskOptions.__annotations__
        ]
        say("\n".join([*lines, "empty settings have their defaults; :set k=5 changes one"]))

    def _save(self, rest: str) -> None:
        answer, path = self._last_answer(), expanded(rest)
        ending = path.suffix.lower()
        if ending == ".html":
            page.write(answer, path)
        elif ending in (".json", ".txt"):
            text = terminal.to_json(answer.to_dict()) if ending == ".json" else answer.plain(full=True)
            _write(path, text + "\n")
        else:
            raise UserError("an answer is saved as .html, .json or .txt, as in :save page.html")
        say(f"saved in {path}")

    def _reload(self, rest: str) -> None:
        documents = self.load()
        documents.build(**self.settings)
        self.documents = documents
        say(described(documents))

    def _quit(self, rest: str) -> None:
        raise SessionEnd

    def _last_answer(self) -> Answer:
        if self.last is None:
            raise UserError("there is no answer yet: type a question")
        return self.last


def described(documents: DocumentIndex) -> str:
    """How many documents and words there are: "3 documents, 12,345 words"."""
    count = len(documents.documents)
    words = sum(len(document.text.split()) for document in documents.documents)
    return f"{count:,} document{'' if count == 1 else 's'}, {words:,} words"


def without_unread(answer: Answer, documents: DocumentIndex) -> Answer:
    """The answer without the warnings that were printed when the documents were read."""
    return replace(answer, warnings=tuple(warning for warning in answer.warnings if warning not in documents.unread))


def show_json(record: Mapping[str, Any]) -> None:
    """Print a record: indented on a terminal, elsewhere on a line of its own (JSON Lines)."""
    print(terminal.to_json(record) if sys.stdout.isatty() else json.dumps(record, ensure_ascii=True), flush=True)


def _value(name: str, text: str) -> Any:
    """The value of an argument as Python takes it. Raises `UserError`."""
    kind = value_type(name)
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise UserError(f"{name} must be true or false, as in :set {name}=true")
        return text.lower() == "true"
    if kind is int:
        if not text.isdecimal():
            raise UserError(f"{name} must be a whole number, as in :set {name}=5")
        return int(text)
    return text


def _example(name: str) -> str:
    option = command_line_options("ask").get(name)
    return (option and option.metavar) or "true"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _write(path: Path, text: str) -> None:
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent}: make it, or save elsewhere")
    write_pieces(path.parent, path.name, [text.encode("utf-8", "replace")], is_typed=True)
