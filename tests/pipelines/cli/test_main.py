"""The command `longdoc`, as a person types it."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli import commands
from pipelines.cli.main import main
from pipelines.cli.shared import help
from pipelines.engine import interruption_note
from tests import documents, patience
from tests.turns import for_each

COMMANDS = documents.commands()
FULL = Path("/dev/full")  # a disk without room


def longdoc(*arguments, cwd=None):
    command = [sys.executable, "-m", "longdoc", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.fixture
def type_command(monkeypatch, capsys, tmp_path):
    """Runs the command in this process, in a folder of its own."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["longdoc", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_info:
            main()
        return subprocess.CompletedProcess(arguments, exit_info.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    text = "Anna keeps bees. Bert mends clocks in Vienna. Carla paints ships."
    questions = [("a", "Who keeps bees?", "Anna"), ("b", "Where does Bert mend clocks?", "Vienna")]
    path.write_text(
        "".join(json.dumps({"id": i, "document": text, "question": q, "answers": [a]}) + "\n" for i, q, a in questions),
        encoding="utf-8",
    )
    return path


def test_run_prints_scores_examples_and_the_report_last(rows, type_command, tmp_path):
    result = longdoc(
        "run", "qa", "--data", rows, "--model", "extractive", "--metric", "f1", "--out", "out", cwd=tmp_path
    )
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "qa: sentences:200 → evidence:general,encoder=none k=10 → stuff → extractive"
    assert [line.split()[0] for line in lines[1:3]] == ["score", "f1"]
    assert lines[3].startswith("  2 examples over 1 document in ")
    assert "f1|" not in result.stdout
    examples = lines[lines.index("") :]
    assert examples[:3] == ["", "2 examples, by f1: ✓ 100, ~ between, ✗ 0", "  ~ 50  question    Who keeps bees?"]
    assert lines[-1] == "  report: out/report.html"
    words = ("run", "qa", "--data", rows, "--model", "extractive", "--metric", "f1", "--out", "out")
    result = type_command(*words, "--details", "--no-report")
    assert "  f1|normalization:" in result.stdout.splitlines()[2]
    assert result.stdout.splitlines()[-1] == "  in out"


def test_every_command_prints_json(rows, type_command):
    for command in (
        ["run", "qa", "--data", rows, "--model", "extractive", "--metric", "f1"],
        ["run", "qa", "--data", rows, "--model", "extractive", "--dry-run"],
        ["prompt", "qa", "a", "--data", rows, "--model", "extractive"],
        ["list", "tasks"],
        ["list", "components"],
    ):
        result = type_command(*command, "--json")
        assert (result.returncode, result.stderr) == (0, ""), command
        assert json.loads(result.stdout)


def test_prompt_prints_the_exact_text(rows, type_command):
    result = type_command(
        "prompt", "qa", "a", "--data", rows, "--model", "extractive", "--prompt", "Q: {query}\nT: {document}"
    )
    assert result.stdout == (
        "Q: Who keeps bees?\nT: Anna keeps bees. Bert mends clocks in Vienna. Carla paints ships.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ron"], "No such command 'ron'. Did you mean 'run'? (see longdoc --help)"),
        (["run"], "the task is missing: type it, or set it in a file and type --config FILE"),
        (["run", "qa", "--limt", "3"], "Possible options: --limit"),
        (["run", "x\x1b[2Jy"], "unknown task 'x"),
        (["run", "qa"], "qa has no published files: give your own, --data FILE or FOLDER"),
        (["run", "narativeqa"], "unknown task 'narativeqa'; did you mean narrativeqa"),
        (["run", "narrativeqa", "--data", "sample", "--k", "0", "--model", "extractive"], "k must be"),
        (["run", "narrativeqa", "--data", "nowhere.jsonl", "--model", "extractive"], "nowhere.jsonl"),
        (
            ["prompt", "narrativeqa", "sample-1", "--data", "sample", "--model", "extractive"],
            "unknown example 'sample-1'",
        ),
        (["ask", "nowhere.txt", "Who?"], "nowhere.txt"),
        (["score", "f1"], "longdoc score f1 PREDICTIONS REFERENCES"),
        (["score", "runs/none", "--metric", "f1"], "there is no run's folder runs/none"),
        (["data", "fetch", "qa"], "qa has no published files"),
        (["run", "narrativeqa", "--data", "sample", "--model", "extractve"], "extractive"),
    ],
)
def test_a_mistake_is_one_clear_line_and_exit_code_2(arguments, message, type_command):
    result = type_command(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_score_reads_json_lines_json_and_plain_text(type_command, tmp_path):
    (tmp_path / "p.jsonl").write_text(
        '{"id":"a","prediction":"the cat"}\n{"id":"b","prediction":""}\n', encoding="utf-8"
    )
    (tmp_path / "r.json").write_text('{"b": ["dog"], "a": ["cat", "cats"]}', encoding="utf-8")
    assert type_command("score", "f1", "p.jsonl", "r.json").stdout == "f1                 50.00\n"
    (tmp_path / "p.txt").write_text("the cat\n\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("cat\ndog\n", encoding="utf-8")
    result = type_command("score", "f1", "p.txt", "r.txt", "--json")
    assert json.loads(result.stdout) == {"f1": 50.0}


def test_predictions_and_references_are_read_from_one_file(type_command, tmp_path):
    rows = [
        {"id": "a", "prediction": "cat", "references": ["dog"]},
        {"id": "b", "prediction": "x", "references": ["x"]},
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert type_command("score", "f1", "p.jsonl", "p.jsonl").stdout == "f1                 50.00\n"


def test_ask_prints_the_answer_and_its_location(type_command, tmp_path):
    (tmp_path / "note.txt").write_text("Anna keeps bees.\nBert mends clocks in Vienna.\n", encoding="utf-8")
    result = type_command("ask", "note.txt", "Who keeps bees?")
    assert "Anna" in result.stdout.splitlines()[0]
    assert "[1] note.txt, line 1\n" in result.stdout


def test_ask_takes_folders_and_prints_passages_whole_or_as_json(type_command, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Trades\n\n" + "Rain. " * 90 + "\nAnna keeps bees.\n", encoding="utf-8")
    (tmp_path / "b.html").write_text("<h1>Town</h1><p>Bert mends clocks.</p>", encoding="utf-8")
    command = ("ask", "notes", "b.html", "Who keeps bees?", "--no-cache", "-k", "5")
    short, whole = type_command(*command).stdout, type_command(*command, "--full").stdout
    assert "notes/a.md, line 4, section Trades\n" in short
    assert "notes/a.md, line 1, section Trades, characters 0–" in whole
    assert short.startswith("Most relevant: Anna keeps bees.\n")
    assert "«Anna keeps bees.»" in whole
    assert (short.count("Rain."), whole.count("Rain.")) < (60, 91)
    answer = json.loads(type_command(*command, "--json").stdout)
    assert {passage["file"] for passage in answer["passages"]} == {"notes/a.md", "b.html"}


def test_ask_with_the_question_first_says_how(type_command, tmp_path):
    (tmp_path / "note.txt").write_text("Anna keeps bees.\n", encoding="utf-8")
    result = type_command("ask", "Who keeps bees?", "note.txt")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "longdoc: the question comes last: longdoc ask note.txt 'Who keeps bees?'\n"


def test_a_run_with_a_failed_example_ends_with_1_and_keeps_the_rest(rows, type_command, tmp_path):
    with rows.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "long", "document": "x y z", "question": "why " * 50, "answers": ["x"]}) + "\n")
    result = type_command("run", "qa", "--data", rows, "--model", "extractive:max_input_tokens=30", "--metric", "f1",
                 "--out", "out")  # fmt: skip
    assert result.returncode == 1
    assert "failed: long: question and instructions alone take 50 tokens, the limit is 30" in result.stdout
    assert len((tmp_path / "out" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_ten_commands_come_first_and_the_others_are_named(type_command):
    shown = type_command("--help").stdout
    assert type_command().stdout == shown
    assert len(shown.splitlines()) < 25
    first, more = shown.split("\nMore commands:\n")
    assert len(re.findall(r"^  \w+ +[A-Z].*\.$", first.split("\nCommands:\n")[1], flags=re.MULTILINE)) == 10
    assert set(re.findall(r"\w+", more)) >= {*commands.commands(), *commands.groups()} - set(help.PANELS[help.FIRST])


def test_every_command_is_in_a_panel_with_a_summary_of_one_line(type_command):
    shown = type_command("--help-all").stdout
    assert "\x1b" not in shown
    assert "\nMore:" not in shown
    for name in commands.commands():
        line = rf"^  {name} +{re.escape(help.summary(COMMANDS[name]))}$"
        assert re.search(line, shown, flags=re.MULTILINE), name
    for name, group in commands.groups().items():
        words = re.escape(", ".join(group.commands)).replace(r"\ ", r"\s+")  # a long line is broken
        assert re.search(rf"^  {name} +{words}$", shown, flags=re.MULTILINE), name
        below = type_command(name, "--help").stdout
        for inner in group.commands:
            summary = re.escape(help.summary(COMMANDS[f"{name} {inner}"])).replace(r"\ ", r"\s+")
            assert re.search(rf"^  {inner} +{summary}$", below, flags=re.MULTILINE), inner


@for_each("name", COMMANDS)
def test_every_command_has_an_example_that_parses(name):
    command = COMMANDS[name]
    examples = help.examples(command)
    assert examples
    for line in examples:
        assert line.startswith(f"longdoc {name} ") or line == f"longdoc {name}"
        command.make_context(name, shlex.split(line)[1 + len(name.split()) :])


@for_each("name", COMMANDS)
def test_every_option_is_explained_and_no_line_is_broken_oddly(name):
    command = COMMANDS[name]
    with command.make_context(name, [], resilient_parsing=True) as context:
        shown = command.get_help(context)
        assert all(param.get_help_record(context)[1] for param in command.get_params(context))
    for line in help.examples(command):
        assert f"\n  {line}\n" in shown
    assert "<" not in shown.replace("f1 < baseline", "")  # no default that prints as <object at …>


@for_each("name", ["ask", "run", "ablate", "versus"])
def test_the_help_of_long_commands_is_a_screen_and_the_rest_is_below_help_all(type_command, name):
    shown, whole = (type_command(name, flag).stdout for flag in ("--help", "--help-all"))
    assert len(shown.splitlines()) <= 40
    few, many = (re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE) for text in (shown, whole))
    rare = {"ask": "--config", "run": "--shard", "ablate": "--engine", "versus": "--strategies"}
    assert rare[name] in set(many) - set(few)
    assert set(few) - set(many) == {"--help-all"}
    assert shown.endswith(f"\nlongdoc {name} --help-all shows {len(many) - len(few) + 1} more options.\n")


def test_help_is_grouped_and_keeps_brackets(type_command):
    shown = type_command("run", "--help-all").stdout
    assert shown.startswith("Usage: longdoc run [OPTIONS] [TASK]\n")
    headings = re.findall(r"^(\w+):$", shown, flags=re.MULTILINE)
    assert headings == ["Examples", "Arguments", "Data", "Passages", "Reader", "Judge", "Options"]
    assert "METRIC[,…]" in shown


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_run_says_how_to_go_on(tmp_path, name, code):
    (tmp_path / "slow.py").write_text(
        "import os, signal, time\n"
        "from pathlib import Path\n"
        "from chunkers import Chunker\n"
        "from longdoc.files import is_locked\n"
        "class Stopped(Chunker):\n"
        "    def split(self, text, query=None):\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "        while is_locked(Path('out')):\n"  # until the main thread has the signal, and the run has ended
        "            time.sleep(0.01)\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "longdoc",
        "run",
        "qa",
        "--data",
        "sample",
        "--limit",
        "1",
        "--model",
        "extractive",
        "--metric",
        "f1",
        "--out",
        "out",
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command += ["--chunker", "slow:Stopped"]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=patience.SECONDS
    )
    assert result.returncode in (code, -getattr(signal, name))
    assert result.stderr.splitlines()[-1] == "longdoc: stopped; start the same command again to continue"
    assert "Traceback" not in result.stderr


def test_a_full_disk_is_one_line_that_says_what_to_do():
    if not FULL.exists():
        pytest.skip(f"there is no {FULL}")
    with FULL.open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "longdoc", "list", "components"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == 2
    assert result.stderr == "longdoc: No space left on device: make room, then start the command again\n"


def test_a_closed_pipe_is_no_failure():
    command = shlex.join([sys.executable, "-m", "longdoc", "list", "components"])
    result = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "chunkers\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "x" * 300), f"longdoc: {'x' * 100}: File name too long: name another place, then start"),
        (("run", "qa", "--out", "x" * 300), f"longdoc: --out '{'x' * 100}…' cannot be a folder (a name in it has more"),
        (("score", "bleu-1", "nan.jsonl", "nan.jsonl"), "longdoc: nan.jsonl:1: references is nan, not a text"),
        (("score", "bleu-1", "none.json", "none.json"), "longdoc: there is nothing to score: predictions and refer"),
        (("ablate", "qa", "--grid", "deep.yaml"), "longdoc: deep.yaml is nested more than 32 deep"),
    ],
)  # fmt: skip
def test_oversized_names_and_broken_files_are_one_line_and_exit_code_2(type_command, tmp_path, arguments, message):
    (tmp_path / "nan.jsonl").write_text('{"references": [NaN], "prediction": NaN}')
    (tmp_path / "none.json").write_text("[]")
    (tmp_path / "deep.yaml").write_text("k: " + "[" * 20_000)
    result = type_command(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_the_typed_command_is_forgotten_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["longdoc", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert interruption_note.typed_command.get() == ""
