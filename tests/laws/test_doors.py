"""Anything that a command reads may be hostile: each value of each command gets each hostile input of its kind.

The commands and values come from the command line, so that new ones are tried automatically (tests/laws/doors.py).
"""

import json
import os
import re
import shutil
import socket
import sys
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

import pipelines
from longdoc import allowed_code, allowed_hosts
from tests.command_line import longdoc
from tests.laws import doors

SECRET = "Ostrich"  # noqa: S105  (a word of the files that no hostile input may reach)
KEY = "canary-0123456789-abcdef"
EVIL = 'import os, pathlib\npathlib.Path(os.environ["MARK"]).write_text("imported")\nTASK = Words = object\n'
PACKED = re.compile(rb'id="[\w-]+">([A-Za-z0-9+/=]{20,})<')
DOORS = doors.doors()
ALL = [(door, hostile) for door in DOORS for hostile in doors.HOSTILE[door.kind]]
# Each command and kind once, with a different hostile input each time, so that some command tries each input.
QUICK = [
    (door, doors.HOSTILE[door.kind][number % len(doors.HOSTILE[door.kind])])
    for kind in doors.HOSTILE
    for number, door in enumerate({(d.command, d.kind): d for d in DOORS if d.kind == kind}.values())
]


def _rows(name):
    row = {"question": "Who?", "answers": [name, f"{name} has"]}
    texts = [f"{name} has {number} cats. Bob has none." for number in range(2)]
    return "".join(json.dumps({"id": str(n), "document": text, **row}) + "\n" for n, text in enumerate(texts))


def _labelled_answer(name):
    """A row of FinanceBench's results."""
    question = {"financebench_id": "q1", "model_name": "m", "eval_mode": "oracle", "question": "Who has cats?"}
    return question | {"gold_answer": name, "model_answer": f"{name} has.", "label": "Correct Answer"}


@pytest.fixture(scope="module")
def prepared_home(tmp_path_factory):
    """A folder with all that the commands read (`here`), and with what no hostile input may reach (`secret`)."""
    home = tmp_path_factory.mktemp("doors")
    run = {"model": "extractive", "retriever": "bm25", "metrics": "f1"}
    for folder, name in (("here", "Ann"), ("secret", SECRET)):
        (home / folder / "books").mkdir(parents=True)
        (home / folder / "rows.jsonl").write_text(_rows(name), encoding="utf-8")
        (home / folder / "book.txt").write_text(f"{name} has two cats.", encoding="utf-8")
        (home / folder / "books" / "a.txt").write_text(f"{name} has two cats.", encoding="utf-8")
        (home / folder / "labels.jsonl").write_text(json.dumps(_labelled_answer(name)) + "\n", encoding="utf-8")
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(home / folder)
            pipelines.run("qa", data="rows.jsonl", out="run", **run)
    secrets = {
        "predictions.csv": f"id,prediction\n0,{SECRET}\n",
        "reader.json": json.dumps({"name": SECRET}),
        "prompts.json": json.dumps({"qa": SECRET}),
    }
    for name, content in secrets.items():
        (home / "secret" / name).write_text(content, encoding="utf-8")
    (home / "here" / "evil.py").write_text(EVIL, encoding="utf-8")
    (home / "victim").write_text("precious", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home / "here")
        shutil.copytree("run", "other")
        for number in (1, 2):
            pipelines.run("qa", data="rows.jsonl", shard=f"{number}/2", out=f"s{number}", **run)
        pipelines.ablate("qa", data="rows.jsonl", out="grid", k=[1, 2], **run)
    return home


@pytest.fixture
def home(prepared_home, tmp_path, monkeypatch):
    """A copy of the prepared folder as the working folder, with keys in the environment."""
    copy = shutil.copytree(prepared_home, tmp_path / "home")
    monkeypatch.chdir(copy / "here")
    monkeypatch.setenv("MARK", str(copy / "mark"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in (allowed_hosts.VARIABLE, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(allowed_code, "_typed_components", set())
    monkeypatch.setattr(sys, "path", [str(copy / "here"), *sys.path])
    sys.modules.pop("evil", None)
    yield copy
    sys.modules.pop("evil", None)


@pytest.fixture
def addresses(monkeypatch):
    """The network addresses that something tried to connect to; every attempt is refused."""
    addresses = []

    def refuse(*arguments, **options):
        addresses.append(arguments[-1] if isinstance(arguments[0], socket.socket) else arguments[0])
        raise ConnectionRefusedError("no test reaches anything")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return addresses


def test_each_command_and_each_of_its_values_is_in_the_tables():
    assert doors.unclassified() == []


def test_each_kind_has_a_door_and_each_command_a_plain_form():
    assert {door.kind for door in DOORS} == set(doors.HOSTILE)
    assert set(doors.PLAIN) | set(doors.ELSEWHERE) == set(doors.commands())


@pytest.mark.slow
@pytest.mark.parametrize("command", doors.PLAIN)
def test_the_plain_command_reaches_its_end(home, capfd, command):
    """Otherwise hostile inputs might be refused for another reason."""
    expected, values = doors.PLAIN[command]
    code, _, err = longdoc(capfd, *doors.words(command, **values))
    assert code == expected, err


@pytest.mark.parametrize(("door", "hostile"), QUICK, ids=str)
def test_a_hostile_input_does_nothing(home, addresses, capfd, door, hostile):
    _check_that_it_does_nothing(home, addresses, capfd, door, hostile)


@pytest.mark.slow
@pytest.mark.parametrize(("door", "hostile"), ALL, ids=str)
def test_every_hostile_input_does_nothing_at_every_door(home, addresses, capfd, door, hostile):
    _check_that_it_does_nothing(home, addresses, capfd, door, hostile)


def _check_that_it_does_nothing(home, addresses, capfd, door, hostile):
    Path("received/it").mkdir(parents=True)
    typed = hostile.make(Path("received/it"))
    outward = [path for path in Path("received").rglob("*") if path.is_symlink()]
    assert all(path.exists() and not path.resolve().is_relative_to(Path.cwd()) for path in outward), (
        "a link that leads nowhere"
    )
    before = _contents(home / "secret")
    line = doors.words_through(door, typed, hostile.names)
    code, out, err = longdoc(capfd, *line)
    assert code in (0, 1, 2), (line, err)
    assert "Traceback" not in err, (line, err)
    assert not (home / "mark").exists() and not Path("mark").exists() and "evil" not in sys.modules, line
    assert (home / "victim").read_text(encoding="utf-8") == "precious", line
    assert _contents(home / "secret") == before, line
    assert addresses == [], line
    printed = (out + err).encode()
    for text in (SECRET.encode(), KEY.encode()):
        assert text not in printed, (line, out, err)
        assert [path for path, content in _contents(home / "here").items() if text in content] == [], line
    assert b"\x1b" not in printed and b"\x07" not in printed, (line, out, err)


def _contents(folder):
    """The content of each file in a folder without links; for a page, with its unpacked data."""
    paths = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    contents = {path: path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}
    return {path: content + _unpacked(path, content) for path, content in contents.items()}


def _unpacked(path, content):
    packed = PACKED.findall(content) if path.suffix == ".html" else ()
    return b"".join(zlib.decompress(b64decode(part), -zlib.MAX_WBITS) for part in packed)


def test_a_secret_in_a_page_would_be_seen(home, capfd):
    assert longdoc(capfd, "report", "../secret/run")[0] == 0
    assert SECRET.encode() in _contents(home / "secret")[home / "secret" / "run" / "report.html"].split(b"</html>")[1]
