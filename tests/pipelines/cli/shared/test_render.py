"""Tables on a terminal: folded where it is narrow, with every number whole."""

import io
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rich.cells import cell_len

import pipelines
from pipelines.cli import main
from pipelines.cli.shared import render
from pipelines.display import terminal
from pipelines.records import Document, Example
from pipelines.results.excerpts import Excerpt
from pipelines.results.run_folders.listed_run import ListedRun, Listing
from pipelines.results.scores import Scores

EXAMPLES = [Example("a", Document("d", "Anna keeps bees. Bert mends clocks."), "Who keeps bees?", ("Anna",))]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def rendered(monkeypatch):
    def draw(renderable, width=80, **environment):
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": str(width), **environment}.items():
            monkeypatch.setenv(name, value)
        file = Terminal()
        monkeypatch.setattr(sys, "stdout", file)
        terminal.draw(renderable())
        return file.getvalue()

    return draw


def bare(text):
    return re.sub(r"\x1b\[[\d;]*m|\x1b\]8;.*?\x1b\\", "", text)


@pytest.fixture
def finished(tmp_path):
    arguments = {
        "model": "extractive",
        "chunker": "sentences",
        "metrics": ["f1", "exact_match", "rouge-l", "answer_recall"],
    }
    return pipelines.run("qa", data=EXAMPLES, out=tmp_path / "a run", **arguments)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_result_keeps_its_scores_and_signatures_at_any_width(rendered, finished, width):
    text = bare(rendered(lambda: render.result(finished, details=True), width))
    assert all(cell_len(line) <= width for line in text.splitlines()[:-1])
    for name, value in finished.scores.items():
        assert re.search(rf"^{name} +{value:.2f} ", text, flags=re.MULTILINE)
    joined = re.sub(r"\s", "", text)
    if width > 40:
        assert all(re.sub(r"\s", "", signature) in joined for signature in finished.scores.signatures.values())
    assert text.startswith(f"{finished.task}: {finished.recipe}"[:width].split(" →")[0])


@pytest.mark.parametrize("width", [40, 80])
def test_a_result_shows_examples_cut_at_the_end_of_the_line_and_a_link_to_its_report_last(rendered, finished, width):
    shown = rendered(lambda: render.result(finished), width)
    lines = bare(shown).split("\n")
    start = next(row for row, line in enumerate(lines) if line.startswith("1 example, by f1:"))
    assert [line.split() for line in lines[start + 1 : start + 4] if width == 80] in (
        [],
        [["~", "50", "question", "Who", "keeps", "bees?"], ["prediction", *finished.predictions[0].prediction.split()],
         ["reference", "Anna"]],
    )  # fmt: skip
    assert "signature" not in shown and "normalization" not in shown
    assert f";{finished.report.as_uri()}\x1b\\" in shown
    assert lines[-2:] == [f"report: {finished.report}", ""]


def test_a_result_has_no_link_where_colours_are_off(rendered, finished):
    assert "\x1b" not in rendered(lambda: render.result(finished), NO_COLOR="1")


def test_a_result_without_a_page_links_its_folder(rendered, finished):
    shown = rendered(lambda: render.result(replace(finished, report=None)))
    assert f";{finished.folder.as_uri()}\x1b\\" in shown
    assert bare(shown).endswith(f"\nin {finished.folder}\n")


LENGTHS = range(20, 121)


def test_a_result_without_scores_has_no_head_of_a_table(rendered, finished):
    text = bare(rendered(lambda: render.result(replace(finished, scores=Scores(), excerpts=()))))
    assert text.splitlines()[2].startswith("1 example over 1 document")


def test_control_characters_are_replaced_alike_in_every_text(rendered, finished):
    excerpt = Excerpt("a", "Who\x1b[2J?", "A\u200dB", (), None)
    text = bare(rendered(lambda: render.result(replace(finished, excerpts=(excerpt,)))))
    assert ("Who\ufffd[2J?" in text, "A\u200dB" in text) == (True, True)


def folder_of(length):
    """A folder with blanks in its name, and a path of so many characters."""
    return Path("/" + "a run of " + "x" * (length - 15) + "/an a")


@pytest.mark.parametrize("width", [40, 80])
def test_a_path_of_any_length_stands_on_one_line_as_it_is(rendered, finished, width):
    for length in LENGTHS:
        folder = folder_of(length)
        assert len(str(folder)) == length
        moved = replace(finished, folder=folder, report=folder / "report.html")
        assert f"\nreport: {folder}/report.html\n" in bare(rendered(partial(render.result, moved), width))
        moved = replace(moved, report=None)
        assert f"\nin {folder}\n" in bare(rendered(partial(render.result, moved), width))
        assert bare(rendered(partial(terminal.unbroken, str(folder)), width)) == f"{folder}\n"


def test_a_command_with_a_path_of_any_length_stands_on_one_line_as_it_is(rendered):
    for length in LENGTHS:
        folder = folder_of(length)
        command = f"longdoc rerun '{folder}'"
        run = ListedRun(folder, "unfinished", "qa", "test", "whole → lead", note=command)
        listed = rendered(partial(render.listing, Listing(Path("/"), [run])))
        assert f"\n  {command}\n" in bare(listed)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_a_listing_shows_each_score_or_names_the_missing_ones(rendered, finished, width):
    listing = pipelines.runs(finished.folder.parent)
    text = bare(rendered(lambda: render.listing(listing), width))
    assert all(cell_len(line) <= width for line in text.splitlines())
    missing = "".join(re.findall(r"not shown here: ([^(]*)", text))
    for name, value in finished.scores.items():
        assert (f" {value:.2f}" in text and re.search(rf"\b{name}\b", text)) or name in missing
    assert "finished" in text
    assert ("written" in text) == (width >= 100)


def test_an_example_is_rendered_with_styles_or_without_colours_with_marks(rendered, finished):
    view = pipelines.show(finished.folder, "a", data=EXAMPLES)
    styled = rendered(lambda: render.example(view))
    assert "\x1b[1;32mAnna\x1b[0m" in styled
    assert "«" not in styled
    plain = rendered(lambda: render.example(view), NO_COLOR="1")
    assert "\x1b" not in plain
    assert "▸«Anna» keeps bees. Bert mends clocks.◂" in plain
    assert "▸passage◂  «answer»  [[evidence]]" in plain


@pytest.mark.parametrize(
    "command",
    [["list", "tasks"], ["list", "components"], ["benchmark", "published", "muld"], ["--help"], ["run", "--help"]],
)
def test_only_a_terminal_gets_escape_sequences(command, monkeypatch, capsys):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(sys, "argv", ["longdoc", *command])
    with pytest.raises(SystemExit) as exit_info:
        main.main()
    assert exit_info.value.code == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "─" not in printed


@pytest.mark.parametrize("command", [["list", "tasks"], ["list", "components"]])
def test_lists_are_rendered_with_every_name(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["longdoc", *command])

    def printed(**environment):
        with monkeypatch.context() as patch:
            for name in ("FORCE_COLOR", "NO_COLOR"):
                patch.delenv(name, raising=False)
            for name, value in {"TERM": "xterm", "COLUMNS": "200", **environment}.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit):
                main.main()
        return capsys.readouterr().out

    plain, table = printed(), printed(FORCE_COLOR="1", NO_COLOR="1")
    assert table != plain
    assert set(plain.split()) <= set(table.split())
