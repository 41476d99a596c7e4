"""Fixtures that open pages in a browser; `conftest` imports them for all tests."""

import shutil
from dataclasses import dataclass, field

import pytest

from tests import patience


@dataclass
class OpenedPage:
    """A page in the browser, with its console messages and errors, and the addresses that it requested."""

    page: object
    complaints: list = field(default_factory=list)
    requests: list = field(default_factory=list)


@pytest.fixture(scope="module")
def chromium():
    """Debian's Chromium, driven by Playwright.

    For one module, since Playwright keeps an event loop running meanwhile, and other tests run one of their own.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium):
    """Open a file in a fresh context and wait until its scripts have run; nothing but the file itself may load."""
    contexts = []

    def browse(file, address="", width=1280, height=900, scheme="light", **more):
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * patience.SECONDS)
        opened = OpenedPage(page)
        url = file.as_uri()

        def guard(route):
            if route.request.url.split("#")[0] == url:
                route.continue_()
            else:
                opened.requests.append(route.request.url)
                route.abort()

        context.route("**/*", guard)
        page.on("console", lambda message: opened.complaints.append(message.text))
        page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        page.goto(url + address)
        page.wait_for_selector("html[data-ready]")
        return opened

    yield browse
    for context in contexts:
        context.close()
