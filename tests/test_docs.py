"""The documentation is true: its code runs page by page, top to bottom, as a reader would type it.

A page is run in a folder of its own: a fence titled with a file's name is that file; Python is run in one namespace;
`longdoc` lines are run by the real command line. A `text` fence right behind either is what they print: its words are
compared, its numbers are not, and "…" stands for anything. A shell fence with a title of `NOT_RUN` is parsed only.
"""

import ast
import re
import shlex

import pytest

import longdoc
from pipelines.cli import main
from tests import documents

PAGES = {
    str(path.relative_to(documents.ROOT / "docs")): documents.fences(path.read_text(encoding="utf-8"))
    for path in sorted((documents.ROOT / "docs").rglob("*.md"))
}
RUN = [page for page, fences in PAGES.items() if any(fence.language in ("python", "bash") for fence in fences)]
NOT_RUN = {  # the title of a fence that is not run: what in its lines shows that it can't be here
    "needs the published files": r"^longdoc (?!.* --data )",
    "needs data of yours": r"[A-Z]{4,}|\.txt\b|\.jsonl?\b|\.csv\b|\bmixed\b|\bform\b|runs/\*",
    "needs weights": r"google|allenai|Helsinki|t5|path/to|trained|minilm|LLM|openai|BASE",
    "needs a key and costs money": r"openai:|anthropic:|_API_KEY",
    "needs several GPUs": r"accelerate|cuda:1|device_map|CUDA_VISIBLE_DEVICES",
    "needs finished runs of the whole benchmark": r"runs/",
    "set-up": r"^(\S*pip |make |python |export |rsync )",
}
FILE = re.compile(r"[\w/-]+\.(?:py|txt|jsonl?|csv|md|yaml)")
AWAITED = "is not in this version yet"


class Page:
    """A page as it is worked through: the namespace of its Python, what was printed last, what could not be run yet."""

    def __init__(self, name, folder, capsys):
        self.name, self.folder, self.capsys = name, folder, capsys
        self.names = {"__name__": "documentation"}
        self.printed = None
        self.awaited = []

    def go(self):
        for fence in PAGES[self.name]:
            where = f"docs/{self.name}:{fence.line}"
            if FILE.fullmatch(fence.title):
                path = self.folder / fence.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fence.text, encoding="utf-8")
                self.printed = None
            elif fence.language in ("python", "bash") and fence.title in NOT_RUN:
                self.printed = None
                look_at(fence, where)
            elif fence.language == "python":
                self.printed = self.python(fence, where)
            elif fence.language == "bash":
                outputs = [self.command(line, where) for line in fence.commands]
                self.printed = None if None in outputs else "".join(outputs)
            elif fence.language == "text" and self.printed is not None:
                assert_printed(fence.text, self.printed, where)
                self.printed = None

    def python(self, fence, where):
        if missing := missing_function(fence.text):
            self.awaited.append(f"{where}: longdoc.{missing}")
            return None
        exec(compile(fence.text, where, "exec"), self.names)
        return self.capsys.readouterr().out

    def command(self, line, where):
        program, name, *_ = arguments = shlex.split(line.removeprefix("PYTHONPATH=. "))
        assert program == "longdoc", f"{where}: {line!r} is not run: give its fence a title of NOT_RUN"
        if name not in documents.commands():
            self.awaited.append(f"{where}: longdoc {name}")
            return None
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setattr("sys.argv", arguments)
            main.main()
        captured = self.capsys.readouterr()
        assert ended.value.code == 0, f"{where}: {line}\n{captured.err}"
        return captured.out


def missing_function(source):
    """The function of `longdoc` that code needs and this version lacks, if any."""
    used = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    names = [node.attr for node in used if isinstance(node.value, ast.Name) and node.value.id == "longdoc"]
    return next((name for name in names if not hasattr(longdoc, name)), None)


def look_at(fence, where):
    """Parse what is not run, and see that it is what its title says."""
    if fence.language == "python":
        ast.parse(fence.text)
        return
    for line in fence.commands:
        assert re.search(NOT_RUN[fence.title], line), f"{where}: {line!r} could be run here, or has another title"
        if typed := documents.longdoc_in(line):
            documents.parse(typed)


def assert_printed(expected, printed, where):
    """Every stretch between two "…" is there, in order, white space and numbers aside."""
    rest = plain(printed)
    for stretch in filter(None, map(str.strip, plain(expected).split("…"))):
        _, found, rest = rest.partition(stretch)
        assert found, f"{where}: {stretch!r} is not in\n{printed}"


def plain(text):
    return re.sub(r"[-+<]?\d[\d.,]*", "0", " ".join(text.split()))


@pytest.mark.parametrize("name", RUN)
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    page = Page(name, tmp_path, capsys)
    page.go()
    if page.awaited:
        pytest.skip(f"all but what {AWAITED}: {'; '.join(page.awaited)}")


def test_the_pages_have_code_of_every_kind():
    everything = [fence for fences in PAGES.values() for fence in fences]
    assert {"python", "bash", "text"} <= {fence.language for fence in everything}
    words = ("def split", "def index", "def reply", "def __call__", "Task(")
    assert all(any(word in fence.text for fence in everything) for word in words)


@pytest.mark.parametrize("page", PAGES)
def test_titles_are_files_or_reasons(page):
    odd = [
        fence.title for fence in PAGES[page]
        if fence.title and not FILE.fullmatch(fence.title) and fence.title not in NOT_RUN
    ]  # fmt: skip
    assert odd == []


def test_an_output_that_says_something_else_is_seen():
    printed = "qa: tokens:200 → bm25 k=3\n  f1   18.53   f1|references:max\n  in runs/x\n"
    assert_printed("qa: tokens:100 → bm25 k=10\n  …\n  in runs/x\n", printed, "here")
    for wrong in ("qa: tokens:200 → tfidf k=3\n…", "…\nin runs/x\n…\nf1 1.0", "…\nexact_match"):
        with pytest.raises(AssertionError, match="here"):
            assert_printed(wrong, printed, "here")


def test_a_fence_that_could_be_run_cannot_be_passed_over():
    for text in ("longdoc run narrativeqa --data sample --model extractive", "longdoc run --no-such-option google/t5"):
        with pytest.raises(Exception, match=r"could be run here|[Nn]o such option|does not exist|no-such"):
            look_at(documents.Fence("bash", "needs weights", text, 1), "here")
