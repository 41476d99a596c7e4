"""The README's commands and Python run in a folder that has the sample, and print what it shows."""

import re
import shlex
import shutil

import pytest

from pipelines.sources import bundled
from tests import documents
from tests.documentation import NOT_RUN, Page, assert_printed, without_seconds

TEXT = (documents.ROOT / "README.md").read_text(encoding="utf-8")
FENCES = documents.fences(TEXT)
RUN = [fence for fence in FENCES if fence.language in ("bash", "python") and not fence.title]
SAMPLE = bundled.SHORT_DOCUMENTS.relative_to(documents.ROOT)
PATH = re.compile(r"[\w.-]+/[\w./-]+|[\w-]+\.(?:txt|md|pdf|epub|html|jsonl?|csv|docx|srt)")


def test_the_commands_and_the_python_print_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    shutil.copytree(documents.ROOT / SAMPLE, tmp_path / SAMPLE)
    shutil.copy(bundled.DOCUMENT, tmp_path / SAMPLE.parent)
    monkeypatch.chdir(tmp_path)
    Page("README.md", FENCES, tmp_path, capsys, without_seconds).run()


def test_code_that_runs_shows_its_output_and_the_title_of_other_code_says_why_it_does_not():
    following = [FENCES[FENCES.index(fence) + 1] for fence in RUN]
    assert {(fence.language, fence.title) for fence in following} == {("text", "")}
    assert {fence.title for fence in FENCES if fence.language == "bash" and fence not in RUN} <= NOT_RUN.keys()
    assert documents.indented_commands(TEXT) == []
    assert sum("longdoc" in fence.text for fence in RUN) >= 3


def test_commands_name_files_that_exist_or_that_an_earlier_command_wrote():
    written = set()
    for fence in FENCES:
        for line in map(documents.longdoc_in, fence.commands if fence.language == "bash" else ()):
            words = shlex.split(line or "")
            paths = {word for word in words if PATH.fullmatch(word)}
            written |= {words[position + 1] for position, word in enumerate(words) if word == "--out"}
            assert {word for word in paths - written if not (documents.ROOT / word).exists()} == set(), line


def test_the_commands_in_the_table_name_no_file_and_are_valid():
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    commands = [line for row in rows for line in re.findall(r"`(longdoc [^`…]*)`", row)]
    assert len(commands) > 15
    for line in commands:
        assert [word for word in shlex.split(line) if PATH.search(word) and not word.startswith("openai:")] == []
        documents.parse(line)


def test_a_figure_that_differs_fails_and_the_seconds_do_not():
    printed = "qa\n  36 examples in 2.4 s\n  f1  27.68  [3.79, 57.69]*\n"
    assert_printed("36 examples in 1.9 s\n…\n57.69", printed, "here", without_seconds)
    with pytest.raises(AssertionError, match="here"):
        assert_printed("f1  27.69", printed, "here", without_seconds)


def test_the_readme_is_short_and_its_links_lead_somewhere():
    assert len(TEXT.splitlines()) <= 120  # with what the commands print
    links = [link for link in re.findall(r"\]\(([^)#]+)", TEXT) if "://" not in link]
    assert "docs/pictures/report.png" in links
    assert [link for link in links if not (documents.ROOT / link).exists()] == []
