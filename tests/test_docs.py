"""The code of the documentation runs, page by page from top to bottom, and prints what the pages say.

Each page is run in its own folder: a fence titled with a file name is that file; Python is run in one namespace;
`longdoc` lines are run by the real command line. A `text` fence right after either is the expected output: its words
are compared, its numbers are not, and "…" stands for anything. A shell fence with a title of `NOT_RUN` is only parsed.
"""

import ast
import re
import shlex

import pytest

from pipelines.cli import main
from tests import documents

PAGES = {
    str(path.relative_to(documents.ROOT / "docs")): documents.fences(path.read_text(encoding="utf-8"))
    for path in sorted((documents.ROOT / "docs").rglob("*.md"))
}
RUN = [page for page, fences in PAGES.items() if any(fence.language in ("python", "bash") for fence in fences)]
NOT_RUN = {  # the title of a fence that is not run: what its lines must match, so that no runnable line is left out
    "needs the published files": r"^longdoc (?!.* --data )",
    "encodes the whole document": r"--retriever best ",
    "needs your own data": r"[A-Z]{4,}|\.txt\b|\.jsonl?\b|\.csv\b|\bmixed\b|\bform\b|runs/\*",
    "needs weights": r"google|allenai|Helsinki|t5|path/to|trained|minilm|retriever dense|LLM|openai|BASE",
    "needs a key and costs money": r"openai:|anthropic:|_API_KEY",
    "reads what you type": r"^longdoc ask \S+$",
    "needs several GPUs": r"accelerate|cuda:1|device_map|CUDA_VISIBLE_DEVICES|vllm_replicas|gpus=1",
    "needs a cluster": r"engine ray:address=|^srun .* ray start|^sleep ",
    "needs servers": r"base_url=\[",
    "needs finished runs of the whole benchmark": r"runs/",
    "set-up": r"^(\S*pip |make |python |export |rsync )",
}
FILE = re.compile(r"[\w/-]+\.(?:py|txt|jsonl?|csv|md|yaml)")


class Page:
    """A page while it is run: the namespace of its Python and the latest output."""

    def __init__(self, name, folder, capsys):
        self.name, self.folder, self.capsys = name, folder, capsys
        self.namespace = {"__name__": "documentation"}
        self.printed = None

    def run(self):
        for fence in PAGES[self.name]:
            where = f"docs/{self.name}:{fence.line}"
            if FILE.fullmatch(fence.title):
                path = self.folder / fence.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fence.text, encoding="utf-8")
                self.printed = None
            elif fence.language in ("python", "bash") and fence.title in NOT_RUN:
                self.printed = None
                check_not_run(fence, where)
            elif fence.language == "python":
                self.printed = self.python(fence, where)
            elif fence.language == "bash":
                self.printed = "".join(self.command(line, where) for line in fence.commands)
            elif fence.language == "text" and self.printed is not None:
                assert_printed(fence.text, self.printed, where)
                self.printed = None

    def python(self, fence, where):
        exec(compile(fence.text, where, "exec"), self.namespace)
        return self.capsys.readouterr().out

    def command(self, line, where):
        program, *_ = arguments = shlex.split(line.removeprefix("PYTHONPATH=. "))
        assert program == "longdoc", f"{where}: {line!r} is not run: give its fence a title of NOT_RUN"
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as exited:
            patch.setattr("sys.argv", arguments)
            main.main()
        captured = self.capsys.readouterr()
        assert exited.value.code == 0, f"{where}: {line}\n{captured.err}"
        return captured.out


def check_not_run(fence, where):
    """Parse a fence that is not run, and check that each line has the reason that the title gives."""
    if fence.language == "python":
        ast.parse(fence.text)
        return
    for line in fence.commands:
        assert re.search(NOT_RUN[fence.title], line), f"{where}: {line!r} could be run here, or has another title"
        if command := documents.longdoc_in(line):
            documents.parse(command)


def assert_printed(expected, printed, where):
    """The texts between two "…" are printed in this order; white space and numbers are not compared."""
    rest = normalized(printed)
    for text in filter(None, map(str.strip, normalized(expected).split("…"))):
        _, match, rest = rest.partition(text)
        assert match, f"{where}: {text!r} is not in\n{printed}"


def normalized(text):
    return re.sub(r"[-+<]?\d[\d.,]*", "0", " ".join(text.split()))


# They import or load what other tests do too.
LONG = tuple(
    f"howto/{name}.md"
    for name in (
        "ablations", "benchmarks", "best", "config_files", "evidence", "inspect_ai", "other_harnesses",
        "trained_retrievers", "versus",
    )
)  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in RUN])
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Page(name, tmp_path, capsys).run()


def test_the_pages_have_code_of_every_language_and_component():
    fences = [fence for page in PAGES.values() for fence in page]
    assert {"python", "bash", "text"} <= {fence.language for fence in fences}
    definitions = ("def split", "def index", "def reply", "def __call__", "Task(")
    assert all(any(text in fence.text for fence in fences) for text in definitions)


@pytest.mark.parametrize("page", PAGES)
def test_the_title_of_a_fence_is_a_file_or_a_reason_not_to_run_it(page):
    others = [
        fence.title for fence in PAGES[page]
        if fence.title and not FILE.fullmatch(fence.title) and fence.title not in NOT_RUN
    ]  # fmt: skip
    assert others == []


def test_an_output_that_differs_fails():
    printed = "qa: tokens:200 → bm25 k=3\n  f1   18.53   f1|references:max\n  in runs/x\n"
    assert_printed("qa: tokens:100 → bm25 k=10\n  …\n  in runs/x\n", printed, "here")
    for wrong in ("qa: tokens:200 → tfidf k=3\n…", "…\nin runs/x\n…\nf1 1.0", "…\nexact_match"):
        with pytest.raises(AssertionError, match="here"):
            assert_printed(wrong, printed, "here")


def test_a_fence_that_could_be_run_must_be_run():
    for text in ("longdoc run narrativeqa --data sample --model extractive", "longdoc run --no-such-option google/t5"):
        with pytest.raises(Exception, match=r"could be run here|[Nn]o such option|does not exist|no-such"):
            check_not_run(documents.Fence("bash", "needs weights", text, 1), "here")
