"""A server for all tests of the pages, and browser windows with scripts and without."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import OPERATOR, SECONDS, Library, Owner, WebUser
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server, serving

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Curlew as its processes, with scripted steps."""
    with serving(tmp_path_factory.mktemp("pages"), CURLEW_OPERATORS=OPERATOR) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Its driver runs an event loop in this thread, so it ends with each module."""
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is not installed: apt-get install chromium", pytrace=False)
    with sync_playwright() as driver:
        expect.set_options(timeout=SECONDS)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    """True if the browser runs scripts."""
    return bool(request.param)


@pytest.fixture
def window(browser: Browser, server: Server) -> Iterator[Callable[..., WebUser]]:
    """A function that opens windows."""
    opened: list[WebUser] = []

    def open_one(**options: Any) -> WebUser:
        opened.append(WebUser(browser, server, **options))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def web_user(window: Callable[..., WebUser], scripts: bool) -> WebUser:
    """A window, once with scripts and once without."""
    return window(java_script_enabled=scripts)


@pytest.fixture(scope="session")
def library(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The images of all jobs."""
    return Library(server, tmp_path_factory.mktemp("library"))


@pytest.fixture
def owner(server: Server, library: Library, tmp_path: Path) -> Owner:
    """A user with jobs and repositories."""
    return Owner(server, tmp_path, library)


@pytest.fixture
def painter(owner: Owner) -> Painter:
    """A user who makes plots and grids."""
    return Painter(owner)


@pytest.fixture(scope="module")
def podman_served() -> Iterator[Server]:
    """Curlew as its processes, with real containers."""
    if not shutil.which("podman"):
        pytest.fail("Podman is not installed: apt-get install podman runc", pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="curlew-pages-"))
    try:
        with serving(folder, podman=True) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def wire(owner: Owner) -> Wire:
    """The owner's session, without a browser."""
    return Wire(owner)
