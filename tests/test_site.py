"""The documentation's site builds without warnings, is complete, and loads nothing from other hosts."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.cli.components import registries
from pipelines.tasks import names
from tests import documents, patience

GENERATOR = documents.ROOT / "docs" / "_generator"
WIDE = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1
    || [...document.querySelectorAll('.language-text pre > code, .language-bash pre > code')]
        .some(code => code.scrollWidth > code.clientWidth + 1)"""


class Page(HTMLParser):
    """A page's anchors and the addresses that it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loads = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        by_name = dict(attributes)
        self.ids.add(by_name.get("id"))
        self.loads += [by_name[name] for name in ("src", "href") if name in by_name and tag != "a"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the site; return its folder."""
    pytest.importorskip("material", reason="mkdocs-material is not installed (extra docs)")
    out = tmp_path_factory.mktemp("site")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(documents.ROOT)}
    for command in (
        [str(GENERATOR / "write_pages.py"), "build/pages"],
        ["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)],
    ):
        process = subprocess.run(
            [sys.executable, *command],
            cwd=documents.ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=patience.SECONDS,
        )
        assert (process.returncode, process.stdout + process.stderr) == (0, "")
    return out


@pytest.fixture(scope="module")
def site(built):
    """The pages of the site, by path."""
    pages = sorted(built.rglob("*.html"))
    return {str(path.relative_to(built)): Page(path.read_text(encoding="utf-8")) for path in pages}


@pytest.fixture
def generator(monkeypatch):
    monkeypatch.syspath_prepend(GENERATOR)
    return importlib.import_module


def test_no_page_loads_anything_from_another_host(site):
    loaded = {address for page in site.values() for address in page.loads}
    assert {address for address in loaded if re.match(r"(https?:)?//", address)} == set()


@pytest.fixture(scope="module")
def first_page(built, chromium):
    """The first page in a browser, opened once, since it loads the search index."""
    page = chromium.new_page()
    page.set_default_timeout(1000 * patience.SECONDS)
    page.goto((built / "index.html").as_uri())
    page.click(".md-search__input")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("ask", "Ask your own documents"),
        ("ask documents", "Ask your own documents"),
        ("question pdf", "Ask your own documents"),
        ("chat with documents", "Ask your own documents"),
        ("run again", "Config files, and running again"),
        ("view runs", "See all runs on a page"),
        ("whole benchmark", "Run a whole benchmark"),
    ],
)
def test_the_search_of_a_site_opened_from_disk_ranks_the_page_first(first_page, typed, title):
    first_page.fill(".md-search__input", "")
    first_page.wait_for_function("() => !document.querySelector('.md-search-result__link')")
    first_page.keyboard.type(typed)
    is_first = "title => document.querySelector('.md-search-result__link h1')?.innerText === title"
    first_page.wait_for_function(is_first, arg=title)


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1600])
def test_no_page_is_wider_than_the_screen_and_no_output_wider_than_its_box(built, chromium, width):
    page = chromium.new_page(viewport={"width": width, "height": 800})
    too_wide = []
    for path in sorted(built.rglob("*.html")):
        page.goto(path.as_uri())
        if page.evaluate(WIDE):
            too_wide.append(str(path.relative_to(built)))
    page.close()
    assert too_wide == []


def test_every_page_of_the_docs_folder_is_built(site):
    sources = {str(path.relative_to(documents.ROOT / "docs")) for path in (documents.ROOT / "docs").rglob("*.md")}
    assert {name.replace(".html", ".md") for name in site} - {"404.md"} == sources


@pytest.mark.parametrize("kind", registries())
def test_every_component_has_an_anchor(site, kind):
    assert set(registries()[kind].names()) <= site[f"reference/{kind}.html"].ids


def test_every_command_has_an_anchor(site):
    assert {name.replace(" ", "-") for name in documents.commands()} <= site["reference/command_line.html"].ids


def test_every_function_has_an_anchor(site):
    functions = {name for name in pipelines.__all__ if callable(getattr(pipelines, name))}
    assert functions <= site["reference/python.html"].ids


def test_every_task_is_on_the_page_of_tasks(generator):
    page = generator("write_pages").filled("{{ tasks }}")
    assert all(f"`{name}`" in page for name in names())


def test_an_unknown_kind_of_generated_part_breaks_the_build(generator):
    with pytest.raises(KeyError, match="no_such_kind"):
        generator("write_pages").filled("text\n\n{{ no_such_kind of part }}\n")


@pytest.mark.parametrize("kind", registries())
def test_every_example_of_a_component_is_a_valid_spec(generator, kind):
    pages, registry = generator("components_pages"), registries()[kind]
    for name in {*registry.names(), *registry.hidden} - set(registry.presets):
        spec = pages.example(kind, name)
        base, fields = registry.parse(spec)
        parameters = [field.name for field in pages._fields(registry.component(base))]
        assert base == name and set(fields) - {None} <= set(parameters)
        if not re.search(r"path/to|google|MODEL|PAGES", spec):
            registry.get(spec)


def test_every_example_belongs_to_an_existing_component(generator):
    existing = {f"{kind}/{name}" for kind, registry in registries().items() for name in registry._files()}
    assert set(generator("components_pages").EXAMPLES) <= existing


def test_the_installation_page_lists_every_extra():
    extras = tomllib.loads((documents.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    page = (documents.ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)} == set(extras)


def test_docstrings_keep_lists_and_code_and_other_markup_is_escaped(generator):
    prose = generator("markdown_text").prose
    assert prose("Text:\n- `a_b`: one\n  more\n- two") == "Text:\n\n- `a_b`: one\n    more\n- two"
    assert prose("p_1 * <S> `x*y`") == r"p\_1 \* &lt;S&gt; `x*y`"


def test_a_misspelt_parameter_is_an_error():
    with pytest.raises(UserError, match="stride"):
        registries()["chunkers"].get("tokens:strid=5")
