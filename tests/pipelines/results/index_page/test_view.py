"""The page that `longdoc view` writes, as a file."""

import json
import re
import shutil
import subprocess
import sys
import webbrowser
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from filelock import FileLock

import pipelines
from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.cli.main import app
from pipelines.records import Document, Example
from pipelines.results.index_page import view as viewing
from pipelines.results.run_folders import entry

TEXT = "Anna keeps bees. Bert mends clocks in Vienna. Carla paints ships."
EXAMPLES = [
    Example("a", Document("d", TEXT), "Who keeps bees?", ("Anna",)),
    Example("b", Document("d", TEXT), "Where does Bert mend clocks?", ("Vienna",)),
]
ARGUMENTS = {"data": EXAMPLES, "model": "extractive", "metrics": ["f1"], "chunker": "sentences", "report": False}
TRAINED = {
    "format": 1,
    "spec": {"task": "qa", "split": "train", "model": {"name": "linear"}, "recipe": {"name": "scikit_learn"}},
}


@pytest.fixture
def home(tmp_path):
    """A folder with a finished run."""
    pipelines.run("qa", out=tmp_path / "runs" / "one", **ARGUMENTS)
    return tmp_path / "runs"


def page_text(home, **arguments):
    return pipelines.view(home, open=False, **arguments).read_text(encoding="utf-8")


def cells(page):
    """The text of each row's cells."""
    rows = re.findall(r"<tr data-state.*?</tr>", page.replace("<wbr>", ""), re.DOTALL)
    return [[re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_a_run_has_its_recipe_state_time_scores_and_links(home):
    (home / "one" / "report.html").write_text("<p>", encoding="utf-8")
    page = page_text(home)
    (listed,) = pipelines.runs(home).runs
    ((name, data, state, done, when, score, _),) = cells(page)
    assert name == ["one", "report", "folder", *listed.recipe.split()]
    assert (data, state, done, score) == (["qa", "test"], ["finished"], ["2/2"], [f"{listed.scores['f1']:.2f}"])
    assert " ".join(when) == listed.local_time
    assert re.findall(r'href="(\./[^"]*)"', page) == ["./one/report.html", "./one/report.html", "./one/"]


def test_warnings_are_counted_and_open_below_the_count(home):
    arguments = {"model": "constant:the", "report": False, "metrics": ["f1"], "retriever": "bm25", "k": 1}
    pipelines.run("qa", data="sample", out=home / "doubtful", **arguments)
    ((_, problems),) = re.findall(
        r'<details class="problems">(.*?</summary>)(.*?)</details>', page_text(home), re.DOTALL
    )
    assert re.findall(r"<small>(.*?)</small>", problems)[0].startswith("3 of 36 questions have no answer")


def test_an_unfinished_run_shows_its_progress_and_the_command_that_continues_it(home):
    record = json.loads((home / "one" / "run.json").read_text(encoding="utf-8"))
    record["starts"][-1]["command"] = "longdoc run qa --data 'my file' --out old"
    (home / "one" / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")
    (home / "one" / "scores.json").unlink()
    first = (home / "one" / "journal.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (home / "one" / "journal.jsonl").write_text(first + "\n", encoding="utf-8")
    page = page_text(home)
    ((_, _, state, done, *_),) = cells(page)
    assert (state, done) == (["unfinished"], ["1/2"])
    assert f"<code class=\"command\">longdoc run qa --data 'my file' --out {home / 'one'}</code>" in unescape(page)
    assert 'width="50.0%"' in page


def test_intervals_and_costs_are_shown_where_scores_json_has_them(home):
    file = home / "one" / "scores.json"
    scored = json.loads(file.read_text(encoding="utf-8"))
    bounds = {"low": 12.5, "high": 61.25, "level": 0.95, "resamples": 2000, "unit": "document", "units": 7}
    scored |= {"intervals": {"f1": bounds}, "usage": {**scored["usage"], "cost": 0.0125}}
    file.write_text(checked_json.dumps(scored), encoding="utf-8")
    page = page_text(home)
    ((*_, score, _, cost),) = cells(page)
    assert (score[1:], cost) == (["[12.50,", "61.25]*"], ["0.0125"])
    assert "[low, high]: 95% bootstrap interval, 2,000 resamples by document" in page
    assert "* fewer than 10 documents: such an interval is too narrow" in page


def test_an_ablation_is_one_row_and_its_cells_are_hidden_rows(tmp_path):
    pipelines.ablate("qa", k=[1, 2], out=tmp_path / "grid", **ARGUMENTS)
    page = page_text(tmp_path)
    rows = re.findall(r"<tr data-state[^>]*>", page)
    assert sorted(("hidden" in row, 'data-kind="ablation"' in row) for row in rows) == [
        (False, True),
        (True, False),
        (True, False),
    ]
    (ablation,) = [row for row in cells(page) if "ablation" in row[0]]
    assert ablation[3] == ["2/2", "cells"]
    assert sum("cell" in row[0] and "grid" in row[0] for row in cells(page)) == 2


def test_evidence_tables_and_trained_models_are_listed(tmp_path):
    ways = {"chunker": "sentences", "retriever": ["bm25", "oracle:of=evidence"], "budget": ["3 words", "40 words"]}
    gold = [
        Example(example.id, example.document, example.query, example.references, (), ((0, 10),)) for example in EXAMPLES
    ]
    table = pipelines.evidence("qa", data=gold, out=tmp_path / "table", **ways)
    (tmp_path / "model").mkdir()
    record = TRAINED | {"metrics": {"best accuracy": 0.8125, "best step": 3}}
    (tmp_path / "model" / "training.json").write_text(json.dumps(record), encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "evidence.json").write_text("[]", encoding="utf-8")
    rows = {row[0][0]: row for row in cells(page_text(tmp_path))}
    assert set(rows) == {"table", "model"}, "a file evidence.json of somebody else's is not ours"
    best = [row.scores["evidence_recall"] for row in table.rows if not row.oracle]
    name = " ".join(rows["table"][0])
    assert "table table CSV" in name
    assert f"2 ways to select; best evidence_recall {best[0]:.1f} at 3 words, {best[1]:.1f} at 40 words" in name
    assert " ".join(rows["model"][0]).endswith("trained model linear, recipe scikit_learn; best accuracy 0.8125")
    assert rows["model"][2] == ["finished"]


def test_an_unfinished_training_has_its_command(tmp_path):
    command = "longdoc train qa --model linear --out model"
    for name, record in (("model", TRAINED | {"command": command}), ("bad", {"format": 1})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "training.json").write_text(json.dumps(record), encoding="utf-8")
    page = page_text(tmp_path)
    assert [row[2] for row in cells(page)] == [["unfinished"], ["unreadable"]]
    assert f'<code class="command">{command}</code>' in page


def test_an_empty_folder_says_how_to_begin_and_a_missing_one_is_refused(tmp_path):
    assert "No runs yet: <code>longdoc run narrativeqa --data sample" in page_text(tmp_path)
    with pytest.raises(UserError, match=r"there is no folder .*nowhere"):
        pipelines.view(tmp_path / "nowhere", open=False)


def test_the_page_of_the_working_folder_has_its_path_as_title(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert f">{tmp_path}</h1>" in page_text(".")


def test_a_foreign_page_is_not_overwritten(home):
    page_text(home)
    page_text(home)  # its own is
    (home / "index.html").write_text("<h1>My site</h1>", encoding="utf-8")
    with pytest.raises(UserError, match="is not a page that longdoc view wrote: move it"):
        pipelines.view(home, open=False)
    assert (home / "index.html").read_text(encoding="utf-8") == "<h1>My site</h1>"


def test_several_folders_share_the_page_of_the_first(home, tmp_path):
    shutil.copytree(home / "one", tmp_path / "more" / "two")
    page = pipelines.view(home, tmp_path / "more", open=False)
    assert page == home / "index.html"
    text = page.read_text(encoding="utf-8")
    assert [row[0][0] for row in cells(text)] == ["../more/two", "one"]
    assert 'href="./../more/two/"' in text


class Parser(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


NASTY = ["<script>window.struck=1</script>", "javascript:alert(1)", '"><img src=x onerror=alert(1)>', "a\udcff b", "$x"]


def test_names_and_records_never_become_markup_and_nothing_is_loaded_from_elsewhere(home):
    for number, name in enumerate(NASTY):
        shutil.copytree(home / "one", home / name.replace("/", "_"))
        record = json.loads((home / "one" / "run.json").read_text(encoding="utf-8"))
        record["spec"] |= {"split": name, "chunker": {"name": name}, "task": name if number % 2 else "qa"}
        record["starts"][-1]["command"] = f"longdoc {name}; rm -rf /"
        content = checked_json.dumps(record).encode("utf-8", "surrogatepass")
        (home / name.replace("/", "_") / "run.json").write_bytes(content)
        if number == 2:
            (home / name.replace("/", "_") / "scores.json").unlink()
    page = page_text(home)
    assert len(cells(page)) == 6
    parser = Parser()
    parser.feed(page)
    assert parser.tags.count("script") == 1
    assert not {"img", "iframe", "object", "embed", "link", "base", "b", "i"} & set(parser.tags)
    links = [value for name, value in parser.attributes if name in ("href", "src")]
    assert [link for link in links if not link.startswith(("./", "#"))] == []
    assert [name for name, _ in parser.attributes if name.startswith("on")] == []
    assert "./javascript%3Aalert%281%29/" in links
    assert "./a%FF%20b/" in links
    assert set(re.findall(r"https?://[^\"]*|@import|url\(", page)) == {"http://www.w3.org/2000/svg"}
    assert "rm -rf" not in page, "only commands of this program are repeated"


def test_while_a_run_goes_on_the_page_is_written_again_and_then_for_the_last_time(home, monkeypatch):
    lock, pages = FileLock(home / "one" / ".lock"), []

    def sleep(seconds):
        assert seconds >= viewing.INTERVAL
        pages.append((home / "index.html").read_text(encoding="utf-8"))
        if len(pages) == 2:
            lock.release()

    monkeypatch.setattr(viewing.time, "sleep", sleep)
    lock.acquire()
    last = page_text(home, follow=True)
    refreshed = ["data-refresh=" in page for page in pages]
    assert refreshed == [True, True, False, False], "another run may start: it looks once more"
    assert ["running" in cells(page)[0][2] for page in pages] == [True, True, False, False]
    assert "data-refresh=" not in last
    assert '<meta http-equiv="refresh" content="5">' in pages[0]
    assert 'http-equiv="refresh"' not in last


def test_ctrl_c_ends_the_refreshing_and_leaves_a_page_that_stays(home, monkeypatch):
    def interrupted(seconds):
        assert "data-refresh=" in (home / "index.html").read_text(encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(viewing.time, "sleep", interrupted)
    with FileLock(home / "one" / ".lock"):
        page = page_text(home, follow=True)
    assert "running" in cells(page)[0][2]
    assert "data-refresh=" not in page


def test_without_a_running_run_the_command_does_not_wait(home, monkeypatch):
    monkeypatch.setattr(viewing.time, "sleep", lambda seconds: pytest.fail("it waits"))
    assert "data-refresh=" not in page_text(home, follow=True)


def test_only_what_has_changed_is_read_again(home, monkeypatch):
    shutil.copytree(home / "one", home / "two")
    index = viewing.IndexPage([home])
    index.write()
    read, read_json = [], entry.read_json
    monkeypatch.setattr(entry, "read_json", lambda file, checked: read.append(file) or read_json(file, checked))
    index.write()
    assert read == []
    scored = json.loads((home / "two" / "scores.json").read_text(encoding="utf-8"))
    (home / "two" / "scores.json").write_text(checked_json.dumps(scored, None), encoding="utf-8")
    index.write()
    assert {file.parent.name for file in read} == {"two"}


@pytest.mark.parametrize(("screen", "opened"), [(None, 0), ("DISPLAY", 1), ("WAYLAND_DISPLAY", 1), ("BROWSER", 1)])
def test_a_browser_is_opened_where_there_is_a_screen(home, monkeypatch, screen, opened):
    calls = []
    monkeypatch.setattr(webbrowser, "open", lambda address: calls.append(address) or True)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    if screen:
        monkeypatch.setenv(screen, ":0")
    monkeypatch.setattr(sys, "platform", "linux")
    file = pipelines.view(home)
    assert calls == [file.as_uri()] * opened
    pipelines.view(home, open=False)
    assert len(calls) == opened


def test_the_command_prints_the_path_and_opens_nothing_with_no_open(home):
    command = [sys.executable, "-m", "longdoc", "view", "runs", "--no-open"]
    process = subprocess.run(command, cwd=home.parent, capture_output=True, text=True, check=True)
    assert (process.stdout, process.stderr) == ("runs/index.html\n", "")
    assert Path(home / "index.html").is_file()


def test_the_command_says_that_it_goes_on_and_once_does_not(home, monkeypatch, capsys):
    monkeypatch.setattr(viewing.time, "sleep", lambda seconds: (_ for _ in ()).throw(KeyboardInterrupt))
    with FileLock(home / "one" / ".lock"):
        app(["view", str(home), "--no-open"], standalone_mode=False)
        message = capsys.readouterr().err
        app(["view", str(home), "--no-open", "--once"], standalone_mode=False)
    assert message == "longdoc: 1 run in progress; the page is updated until all have ended, or until Ctrl-C\n"
    assert capsys.readouterr().err == ""
