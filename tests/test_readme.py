"""The README's Python runs and its commands are accepted by the command line."""

import re

import pytest

from tests import documents

TEXT = (documents.ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = [fence.text for fence in documents.fences(TEXT) if fence.language == "python"]
COMMANDS = documents.indented_commands(TEXT)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_example_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.strip()


def test_the_readme_is_short_and_its_links_lead_somewhere():
    assert len(TEXT.splitlines()) <= 170
    links = [link for link in re.findall(r"\]\(([^)#]+)", TEXT) if "://" not in link]
    assert "docs/pictures/report.png" in links
    assert [link for link in links if not (documents.ROOT / link).exists()] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_parses(line):
    documents.parse(line)


def test_whether_best_pays_in_answers_is_said_at_every_budget_that_was_measured():
    results = (documents.ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| HotpotQA, (\d+) \|.* (\d\.\d{4}) \|$", results, re.MULTILINE)
    assert rows == [("100", "0.0005"), ("200", "0.0640"), ("400", "0.7736")]
    assert "(p = 0.0005); in 200 and in 400 words the difference is not significant (p = 0.064 and 0.77)" in TEXT


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_the_table_of_evidence_has_the_strongest_plain_ranker_as_it_was_measured(page):
    results = (documents.ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    measured = re.findall(
        r"^\| ([^|]+ words) \| [^|]*hybrid of that and dense \| ([^|]+) \| `evidence:\w+` \| ([^|]+) \| ([^|]+) \|$",
        results, re.MULTILINE,
    )  # fmt: skip
    assert [row[0].replace("MuSiQue-3-4", "MuSiQue") for row in measured] == [
        "HotpotQA, 200 words", "MuSiQue (two hops only), 280 words", "MuSiQue (three and four hops), 280 words",
        "ContractNLI, 300 words",
    ]  # fmt: skip
    text = (documents.ROOT / page).read_text(encoding="utf-8")
    for name, *figures in measured:
        row = (
            rf"^\| {re.escape(name.replace('MuSiQue-3-4', 'MuSiQue'))} \| [^|]+ \| {re.escape(' | '.join(figures))} \|$"
        )
        assert re.search(row, text, re.MULTILINE), name


def test_figures_say_what_they_hold_for():
    text = " ".join(TEXT.split())
    said = (
        "MuSiQue (two hops only)", "made-up books of ASCII letters alone", "in 20 of 21 cases",
        "En.Sum of YaRN-Mistral is printed as 9.09, and its outputs give 9.06", "commit 88b3daa",
    )  # fmt: skip
    for words in said:
        assert words in text
