"""Received folders with symbolic links: no command writes through one, and none reads a file outside by one."""

import json
import shutil
from pathlib import Path

import pytest

import pipelines
from longdoc import checked_json
from tests.command_line import longdoc

RUN = ("run", "qa", "--data", "rows.jsonl", "--model", "extractive", "--metric", "f1")
ABLATE = ("ablate", "qa", "--data", "rows.jsonl", "--model", "extractive", "--metric", "f1", "--k", "1", "--k", "2",
          "--retriever", "bm25", "--chunker", "sentences:2")  # fmt: skip
FILES = (".lock", "run.json", "requests.jsonl", "journal.jsonl", "predictions.jsonl", "scores.json", "report.html")
COMMANDS = {
    "run": (*RUN, "--out", "run"),
    "rerun": ("rerun", "run"),
    "report": ("report", "run"),
    "score": ("score", "run"),
    "verify": ("runs", "verify", "run"),
    "view": ("view", "run", "--no-open"),
    "show": ("show", "run"),
    "runs": ("runs", "list", "run"),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with data, a finished run of them, and a file that nobody must change."""
    home = tmp_path_factory.mktemp("finished")
    rows = [{"id": str(n), "document": f"Ann has {n} cats. Bob has none.", "question": "Who?", "answers": ["Ann"]}
            for n in range(3)]  # fmt: skip
    (home / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (home / "victim").write_text("precious", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        pipelines.run("qa", data="rows.jsonl", model="extractive", metrics="f1", out="run")
    return home


@pytest.fixture
def here(finished, tmp_path, monkeypatch):
    """A copy of it, in which the process works."""
    home = shutil.copytree(finished, tmp_path / "here")
    monkeypatch.chdir(home)
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    return home


@pytest.mark.parametrize("name", (*FILES, "index.html"))
def test_no_command_writes_through_a_link_in_a_run_s_folder(here, capfd, name):
    Path("run", name).unlink(missing_ok=True)
    Path("run", name).symlink_to("../victim")
    for words in COMMANDS.values():
        longdoc(capfd, *words)
        assert Path("victim").read_text(encoding="utf-8") == "precious", words
        assert Path("run", name).is_symlink(), words


def test_no_command_writes_through_a_planted_temporary_file(here, capfd):
    for name in (*FILES, "index.html"):
        Path("run", f".{name}.tmp").symlink_to("../victim")
    for words in COMMANDS.values():
        longdoc(capfd, *words)
    assert Path("victim").read_text(encoding="utf-8") == "precious"


def test_the_refusal_says_what_to_type(here, capfd):
    Path("run/journal.jsonl").unlink()
    Path("run/journal.jsonl").symlink_to("../victim")
    code, _, err = longdoc(capfd, *COMMANDS["run"])
    assert code == 2
    assert err.endswith(
        "run/journal.jsonl is a link to ../victim, and nothing is written through links in a folder of longdoc's: "
        "look at it, then type: rm run/journal.jsonl\n"
    )


def test_a_run_whose_folder_is_a_link_that_was_typed_goes_on(here, capfd):
    Path("scratch").mkdir()
    Path("runs").symlink_to("scratch")
    shutil.move("run", "scratch/first")
    Path("typed").symlink_to("runs/first")
    for place in ("runs/first", "typed"):
        code, _, err = longdoc(capfd, *RUN, "--out", place)
        assert (code, "link" in err) == (0, False)
        assert longdoc(capfd, "report", place)[0] == 0


@pytest.mark.parametrize("name", ["predictions.jsonl", "scores.json", "run.json"])
def test_a_run_s_file_outside_its_folder_is_read_where_links_are_followed(here, capfd, name):
    shutil.move(f"run/{name}", f"other-{name}")
    Path("run", name).symlink_to(f"../other-{name}")
    code, _, err = longdoc(capfd, "compare", "run", "run")
    assert code == 2
    assert f"run/{name} leads out of run by a link, to {here / f'other-{name}'}: if you trust it, add --follow-l" in err
    assert longdoc(capfd, "analyze", "outputs", "run", "--follow-links")[0] == 0
    with pipelines.follow_links():
        assert longdoc(capfd, "analyze", "outputs", "run")[0] == 0
    assert longdoc(capfd, "analyze", "outputs", "run")[0] == 2


def test_a_cell_of_an_ablation_that_is_a_link_is_neither_written_nor_read(here, capfd):
    assert longdoc(capfd, *ABLATE, "--out", "grid")[0] == 0
    cell = sorted(Path("grid/runs").iterdir())[0]
    shutil.copytree(cell, "elsewhere")
    Path("elsewhere/predictions.jsonl").unlink()
    shutil.rmtree(cell)
    cell.symlink_to(Path("elsewhere").absolute())
    before = {path.name: path.read_bytes() for path in Path("elsewhere").iterdir()}
    code, _, err = longdoc(capfd, *ABLATE, "--out", "grid")
    assert code == 2 and f"{cell} " in err
    for words in (
        ("report", "grid"),
        ("runs", "verify", "grid"),
        ("compare", "grid", "run"),
        ("view", "grid", "--no-open"),
    ):
        longdoc(capfd, *words)
    assert longdoc(capfd, "report", "grid")[0] == 2
    assert {path.name: path.read_bytes() for path in Path("elsewhere").iterdir()} == before


def test_a_received_table_of_ways_names_no_predictions_outside_its_folder(here, capfd):
    predictions = [{"id": str(number), "prediction": "Ann"} for number in range(3)]
    Path("p.jsonl").write_text("".join(json.dumps(prediction) + "\n" for prediction in predictions), encoding="utf-8")
    versus = ("versus", "qa", "--data", "rows.jsonl", "--model", "extractive", "--metric", "f1", "--runs", "run")
    assert longdoc(capfd, *versus, "--predictions", "p.jsonl", "--out", "ways")[0] == 0
    assert longdoc(capfd, "report", "ways")[0] == 0  # with ../run, which was typed
    record = json.loads(Path("ways/ablation.json").read_text(encoding="utf-8"))
    for cell in record["cells"]:
        if cell["predictions"]:
            shutil.copy(Path("ways", cell["predictions"]), "given.json")
            cell["predictions"] = "../given.json"
    Path("ways/ablation.json").write_text(checked_json.dumps(record), encoding="utf-8")
    code, _, err = longdoc(capfd, "report", "ways")
    assert code == 2 and "names ../given.json, which lies outside it" in err


def test_merging_clears_nothing_behind_a_link(here, capfd):
    for number in (1, 2):
        assert longdoc(capfd, *RUN, "--shard", f"{number}/2", "--out", f"s{number}")[0] == 0
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("precious", encoding="utf-8")
    Path(".whole.merging").symlink_to("mine")
    code, _, err = longdoc(capfd, "runs", "merge", "s1", "s2", "--out", "whole")
    assert code == 2 and ".whole.merging is a link to mine" in err
    assert Path("mine/notes.txt").read_text(encoding="utf-8") == "precious"


def test_a_damaged_log_is_kept_in_no_file_behind_a_link(here, capfd):
    file = Path("run/journal.jsonl")
    file.write_bytes(file.read_bytes()[:-9] + b'"}\n')
    Path("run/journal.jsonl.damaged-1").symlink_to("../copy")
    code, _, err = longdoc(capfd, *COMMANDS["run"])
    assert code == 2 and "journal.jsonl.damaged-1 is a link to ../copy" in err
    assert not Path("copy").exists()


def test_asking_a_folder_reads_no_document_outside_it_and_says_so(here, capfd):
    Path("secret.txt").write_text("The code word is Ostrich.", encoding="utf-8")
    Path("books/deep").mkdir(parents=True)
    Path("books/a.txt").write_text("Ann has two cats.", encoding="utf-8")
    Path("books/doc.txt").symlink_to("../secret.txt")
    Path("books/b.txt").symlink_to("a.txt")
    ask = ("ask", "books", "What is the code word?", "--model", "extractive")
    code, out, err = longdoc(capfd, *ask)
    assert code == 0
    assert "Ostrich" not in out + err
    assert "links that lead out of books: doc.txt; if you trust them, add --follow-links" in " ".join(
        (out + err).split()
    )
    assert "Ostrich" in "".join(longdoc(capfd, *ask, "--follow-links")[1:])


def test_a_linked_folder_outside_is_searched_where_links_are_followed(here):
    Path("books").mkdir()
    Path("elsewhere").mkdir()
    Path("elsewhere/more.txt").write_text("more", encoding="utf-8")
    Path("elsewhere/back").symlink_to("../books")
    Path("books/a.txt").write_text("a", encoding="utf-8")
    Path("books/out").symlink_to("../elsewhere")
    from pipelines import documents

    files = documents.files(Path("books"))
    assert (files.known, files.outward) == ([Path("books/a.txt")], [Path("books/out")])
    with pipelines.follow_links():
        files = documents.files(Path("books"))
    assert (files.known, files.outward) == ([Path("books/a.txt"), Path("books/out/more.txt")], [])


@pytest.mark.parametrize("name", ["test.jsonl", "books"])
def test_data_outside_the_typed_folder_are_read_where_links_are_followed(here, capfd, name):
    Path("data").mkdir()
    Path("away").mkdir()
    shutil.copy("rows.jsonl", "away/test.jsonl")
    Path("data", name).symlink_to("../away/test.jsonl" if name == "test.jsonl" else "../away")
    command = ("run", "qa", "--data", "data", "--model", "extractive", "--metric", "f1", "--limit", "1")
    code, _, err = longdoc(capfd, *command)
    assert code == 2 and f"data/{name} leads out of data by a link" in err
    assert longdoc(capfd, *command, "--follow-links")[0] == 0
    Path("typed.jsonl").symlink_to("away/test.jsonl")
    assert longdoc(capfd, *command[:3], "typed.jsonl", *command[4:])[0] == 0


def test_a_model_s_file_outside_its_folder_is_read_where_links_are_followed(here, capfd):
    Path("model").mkdir()
    Path("away.json").write_text('{"name": "extractive"}', encoding="utf-8")
    Path("model/reader.json").symlink_to("../away.json")
    command = ("run", "qa", "--data", "rows.jsonl", "--model", "./model", "--metric", "f1", "--limit", "1")
    code, _, err = longdoc(capfd, *command)
    assert code == 2 and "model/reader.json leads out of model by a link" in err
    assert "leads out of" not in longdoc(capfd, *command, "--follow-links")[2]


def test_predictions_outside_their_folder_are_not_read(here, capfd):
    Path("sub").mkdir()
    Path("sub/scrolls_predictions.csv").symlink_to("../victim")
    code, _, err = longdoc(capfd, "benchmark", "submit", "--check", "sub")
    assert code == 2 and "scrolls_predictions.csv leads out of sub" in err
