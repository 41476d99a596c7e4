"""A hostile run: ids, questions, answers, titles, names and outputs full of escapes. Every output of every command is
checked: nothing commands the terminal, starts a formula, becomes markup or runs in a browser.
"""

import contextlib
import csv
import io
import json
import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from pipelines.cli import main

# what a terminal obeys or reorders; line ends and tabs aside
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SCRIPT = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
TERMINAL = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://a.example\x1b\\\x9b31m\r\b\x7f\u202eevil\u2066"
MARKUP = "[bold red]b[/] [x](javascript:alert(1)) ![x](http://a.example/x.png) </script> `` | \\| </td></table> -->"
LATEX = r"\input{/etc/passwd} \write18{id} $x^2_3$ & # % ~ {"
EVIL = f"{SCRIPT} {TERMINAL} {MARKUP} {LATEX}"
BOOK = "=book <img src=x onerror=pwned()> \x1b[2J\u202e.txt"
FORMATS = ("markdown", "csv", "latex", "json")
FORMULAS = ("=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1")


def longdoc(capfd, *words, code=0):
    """The command in this process: its output and errors together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["longdoc", *map(str, words)])
        with pytest.raises(SystemExit) as exit_info:
            main.main()
    captured = capfd.readouterr()
    assert exit_info.value.code in (code, None), captured.err
    return captured.out + captured.err


def rows():
    """Examples whose every field is an attack."""
    for number, formula in enumerate(FORMULAS):
        yield {
            "id": f"{formula} {number} {EVIL}",
            "document": f"{EVIL}\n\nAnna {EVIL} lives in Kyiv since {number}. {'Words follow words. ' * 30}",
            "title": EVIL,
            "question": f"{formula} Where does Anna live? {EVIL}",
            "answers": [f"Kyiv {EVIL}", formula],
            "metadata": {EVIL: EVIL},
        }


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with two hostile runs, an ablation and data whose names are attacks, too."""
    home = tmp_path_factory.mktemp("hostile")
    data = home / "=cmd <img src=x onerror=pwned()> \x1b[31m\u202e & $x$.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setenv("LONGDOC_CACHE", str(home / "cache"))
        words = ["--data", data, "--metric", "f1", "--metric", "answer_recall"]
        config = json.dumps({"model": {"name": "constant", "text": f"=1+1 {EVIL}"}})
        (home / "config.json").write_text(config)
        hostile_words = ["--config", "config.json", "--out", "=a [b](c) <i>\x1b[1m"]
        for model in (hostile_words, ["--model", "extractive", "--out", "+b|c"]):
            assert exit_code_of(["run", "qa", *words, "-k", "2", "--metric", "rouge-l", *model]) in (0, None)
        words += ["--model", "extractive", "--retriever", "tfidf", "-k", "1,2", "--out", "=ablation <b>"]
        assert exit_code_of(["ablate", "qa", *words]) in (0, None)
        (home / BOOK).write_text(f"Anna {EVIL} lives in Kyiv.\n\n{'Words follow words. ' * 30}", encoding="utf-8")
        yield home


def exit_code_of(words):
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as out:
        patch.setattr(sys, "argv", ["longdoc", *map(str, words)])
        with pytest.raises(SystemExit) as exit_info:
            main.main()
    assert not COMMANDS.search(out.getvalue())
    return exit_info.value.code


@pytest.fixture
def runs(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("LONGDOC_CACHE", str(home / "cache"))
    return "=a [b](c) <i>\x1b[1m", "+b|c"


def data():
    return next(Path().glob("=cmd*.jsonl"))


def first_id():
    return next(rows())["id"]


def test_no_coloured_output_holds_what_a_terminal_obeys(runs, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    hostile, other = runs
    for words in (
        ["show", hostile], ["show", hostile, first_id()], ["runs", "list", "."], ["compare", hostile, other],
        ["blame", other],
        ["analyze", "outputs", hostile], ["score", hostile], ["rerun", hostile, "--print-config"],
        ["report", "=ablation <b>"],
        ["view", ".", "--once", "--no-open"],
    ):  # fmt: skip
        # styles of our own, and links to files, whose addresses are quoted
        output = re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b\x07]*;[!-~]*\x1b\\", "", longdoc(capfd, *words))
        assert not COMMANDS.search(output), (words, output[max(0, COMMANDS.search(output).start() - 80) :][:160])
        assert output.strip(), words


def test_no_format_holds_what_a_terminal_obeys(runs, capfd):
    hostile, other = runs
    for words in (
        ["show", hostile, first_id(), "--json"], ["runs", "list", ".", "--json"], ["compare", hostile, other, "--json"],
        ["analyze", "outputs", hostile, "--json"], ["score", hostile, "--json"],
        ["rerun", hostile, "--print-config", "--json"],
        ["show", hostile, first_id()], ["ask", BOOK, "Where does Anna live?"],
        ["ask", BOOK, "Where? \x1b[2J", "--json"], ["analyze", "lengths", "qa", "--data", data()],
        ["analyze", "spread", "qa", "--data", data()],
        *(["report", hostile, other, "--format", format] for format in FORMATS),
    ):  # fmt: skip
        output = longdoc(capfd, *words)
        assert not COMMANDS.search(output), (words, output[max(0, COMMANDS.search(output).start() - 80) :][:160])
        if words[-1] in ("json", "--json"):
            json.loads(output)


@pytest.mark.parametrize(
    "words",
    [
        ["show", "{}", "no\x1b[2J such\u202e id"], ["run", "no\x1b[2J task"], ["report", "\x1b]0;x\x07 folder"],
        ["run", "qa", "--model", "extractive", "--data", "\x1b[2J.jsonl"], ["run", "qa", "--model", "x\x1b[2J:y"],
        ["ask", "\x9b2J.pdf", "Who?"],
        ["run", "qa", "--model", "extractive", "--data", "data", "--metric", "\x1b[2J"], ["data", "fetch", "x/\x1b[2J"],
        ["score", "f1", "\x1b", "\x9b"],
    ],
    ids=lambda words: words[0] + words[-1][-6:].encode("unicode_escape").decode(),
)  # fmt: skip
def test_no_error_message_holds_what_a_terminal_obeys(runs, capfd, words):
    output = longdoc(capfd, *(word.replace("{}", runs[0]) for word in words), code=2)
    assert not COMMANDS.search(output), output
    assert len(output.splitlines()) == 1, output


def test_csv_has_no_formula_and_numbers_stay_numbers(runs, capfd):
    table = longdoc(capfd, "report", *runs, "--format", "csv")
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert any(cell.startswith("'=a") for cell in cells)
    for cell in cells:
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            float(cell)


def test_latex_has_only_our_commands(runs, capfd):
    table = longdoc(capfd, "report", *runs, "--format", "latex")
    rest = re.sub(r"\\[\\{}$&#%_]", "", "\n".join(line for line in table.splitlines() if not line.startswith("%")))
    named = set(re.findall(r"\\([A-Za-z]+|.)", rest))
    assert named <= {
        "begin", "end", "centering", "caption", "label", "small", "footnotesize", "scriptsize", "toprule", "midrule",
        "bottomrule", "textbf", "textbackslash", "textless", "textgreater", "textbar", "textasciicircum",
        "textasciitilde", "textasciigrave", "ldots", "rightarrow", "Delta", "pm", "times", "par", "raggedright",
        "setlength", "tabcolsep", "allowbreak", "linewidth", "multicolumn", "cmidrule", "underline", "smallskip",
    }, named  # fmt: skip


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.names, self.attributes, self.targets = set(), set(), set()
        self.feed(text)

    def handle_starttag(self, name, attributes):
        self.names.add(name)
        self.attributes |= {key for key, _ in attributes}
        self.targets |= {value for key, value in attributes if key in ("href", "src", "action", "data", "style")}


def test_markdown_has_no_markup_but_its_table(runs, capfd):
    text = longdoc(capfd, "report", *runs, "--format", "markdown")
    tags = Tags(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert tags.names <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "h1", "h2", "ul", "li", "br"}
    assert tags.targets <= {None, "text-align:right", "text-align:left"}


def test_a_plot_is_xml_without_scripts(home, runs, capfd):
    longdoc(capfd, "report", *runs, "--out", "plot.svg")
    names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(home / "plot.svg").iter()}
    assert "text" in names
    assert not names & {"script", "foreignObject", "image", "a"}


PAGES = ("report", "report of two", "ablation", "view", "answer")


PAGE_FILES = {}  # the files of pages, which several tests read


def page(home, runs, capfd, name):
    """The file of a page, written once."""
    if name not in PAGE_FILES:
        PAGE_FILES[name] = write_page(home, runs, capfd, name)
    return PAGE_FILES[name]


def write_page(home, runs, capfd, name):
    hostile, other = runs
    if name == "report":
        longdoc(capfd, "report", hostile)
        return home / hostile / "report.html"
    if name == "report of two":
        longdoc(capfd, "report", hostile, other, "--out", "two.html")
        return home / "two.html"
    if name == "ablation":
        longdoc(capfd, "report", "=ablation <b>")
        return home / "=ablation <b>" / "report.html"
    if name == "answer":
        longdoc(capfd, "ask", BOOK, f"Where does Anna live? {EVIL}", "--html", "answer.html")
        return home / "answer.html"
    longdoc(capfd, "view", ".", "--once", "--no-open")
    return home / "index.html"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_foreign_element_or_handler_and_a_strict_policy(home, runs, capfd, name):
    text = page(home, runs, capfd, name).read_text(encoding="utf-8")
    tags = Tags(text)
    assert not tags.names & {"img", "iframe", "object", "embed", "base", "i"}
    assert not [one for one in tags.attributes if one.startswith("on")]
    assert not [one for one in tags.targets if one and re.match(r"\s*(?:javascript|data|http)", one, re.I)]
    policy = unescape(re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', text)[1])
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/=]+'", rules["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/=]+'", rules["style-src"])
    assert rules["trusted-types"] == rules["base-uri"] == rules["form-action"] == "'none'"


@pytest.mark.parametrize("name", PAGES)
def test_in_a_browser_no_foreign_code_runs_and_nothing_is_fetched(home, runs, capfd, browse, name):
    opened = browse(page(home, runs, capfd, name))
    for row in opened.page.query_selector_all("[role=option], #examples li, tbody tr")[:3]:
        with contextlib.suppress(Exception):  # not every row is one to open
            row.click(timeout=500)
    assert opened.page.evaluate("window.pwned") is None
    assert (opened.complaints, opened.requests) == ([], [])


def test_a_notebook_s_tables_are_escaped(home, runs):
    import pipelines

    hostile, other = runs
    config = json.loads((home / "config.json").read_text())
    result = pipelines.run(
        "qa", data=home / data(), out=home / hostile, k=2, metrics=["f1", "answer_recall", "rouge-l"], **config
    )
    for shown in (result, pipelines.compare(home / hostile, home / other)):
        tags = Tags(shown._repr_html_())
        assert not tags.names & {"script", "img", "i"}
        assert all(one is None or re.match(r"text-align:|/", one) for one in tags.targets), tags.targets
        assert not [one for one in tags.attributes if one.startswith("on")]
