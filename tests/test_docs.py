"""The code of the documentation runs, page by page from top to bottom, and prints what the pages say.

Each page is run in its own folder: a fence titled with a file name is that file; Python is run in one namespace;
`longdoc` lines are run by the real command line. A `text` fence right after either is the expected output: its words
and numbers are compared, seconds are not, and "…" stands for anything. A shell fence with a title of `NOT_RUN` is only
parsed.
"""

import pytest

from tests import documents
from tests.documentation import FILE, NOT_RUN, Page, assert_printed, check_not_run, without_seconds
from tests.turns import for_each

PAGES = {
    str(path.relative_to(documents.ROOT / "docs")): documents.fences(path.read_text(encoding="utf-8"))
    for path in sorted((documents.ROOT / "docs").rglob("*.md"))
}
WITH_CODE = [page for page, fences in PAGES.items() if any(fence.language in ("python", "bash") for fence in fences)]

# Slow pages; other tests import and load the same modules and models.
SLOW = tuple(
    f"howto/{name}.md"
    for name in (
        "ablations", "benchmarks", "best", "config_files", "evidence", "inspect_ai", "other_harnesses",
        "trained_retrievers", "versus",
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in WITH_CODE]
)
def test_the_code_of_a_page_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Page(f"docs/{name}", PAGES[name], tmp_path, capsys, without_seconds).run()


def shows_output(fences, number):
    """Whether the output of a fence is shown after it; its Python version may stand between."""
    later = [fence for fence in fences[number + 1 :] if fence.language != "python"]
    return bool(later) and (later[0].language, later[0].title) == ("text", "")


@for_each("name", WITH_CODE)
def test_the_first_command_of_a_page_and_each_of_the_tutorial_shows_its_output(name):
    fences = PAGES[name]
    run = [number for number, fence in enumerate(fences) if fence.language == "bash" and fence.title not in NOT_RUN]
    for number in run if name == "tutorial.md" else run[:1]:
        assert shows_output(fences, number), f"docs/{name}:{fences[number].line}"


def test_the_pages_have_code_of_every_language_and_component():
    fences = [fence for page in PAGES.values() for fence in page]
    assert {"python", "bash", "text"} <= {fence.language for fence in fences}
    definitions = ("def split", "def index", "def reply", "def __call__", "Task(")
    assert all(any(text in fence.text for fence in fences) for text in definitions)


@for_each("page", PAGES)
def test_the_title_of_a_fence_is_a_file_or_a_reason_not_to_run_it(page):
    unknown = [
        fence.title for fence in PAGES[page]
        if fence.title and not FILE.fullmatch(fence.title) and fence.title not in NOT_RUN
    ]  # fmt: skip
    assert unknown == []


def test_an_output_that_differs_fails():
    printed = "qa: tokens:200 → bm25 k=3\n  f1   18.53   f1|references:max\n  in runs/x\n"
    assert_printed("qa: tokens:100 → bm25 k=10\n  …\n  in runs/x\n", printed, "here")
    for shown in ("qa: tokens:200 → tfidf k=3\n…", "…\nin runs/x\n…\nf1 1.0", "…\nexact_match"):
        with pytest.raises(AssertionError, match="here"):
            assert_printed(shown, printed, "here")


def test_a_fence_that_could_be_run_must_be_run():
    for text in ("longdoc run narrativeqa --data sample --model extractive", "longdoc run --no-such-option google/t5"):
        with pytest.raises(Exception, match=r"could be run here|[Nn]o such option|does not exist|no-such"):
            check_not_run(documents.Fence("bash", "needs weights", text, 1), "here")
