"""The first minutes: from the printed address to an account and to a chart, with a browser alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.handlers.pages.web_user import WebUser
from tests.kit.processes import free_port
from tests.kit.server import Server, environment

PARENT = """
import os, signal
from handlers.commands.child_processes import ChildProcesses
from handlers.commands.serving import greeting
from handlers.settings.sources import load

settings = load(os.environ)
family = ChildProcesses(settings)
signal.signal(signal.SIGTERM, lambda *_: family.stop())
family.start(["web", "render"])
assert family.await_ready(60)
print(greeting(settings, family.users, family.setup_key), flush=True)
print("end", flush=True)
family.await_end()
"""
PASSWORD = "mud and reeds at dawn"


@dataclass
class Started:
    """A service that was started: what it printed, and its log."""

    server: Server
    printed: str
    log: Path

    @property
    def address(self) -> str:
        """The printed address of the first account; empty where none was printed."""
        found = re.search(r"http://\S+/setup\?key=\S+", self.printed)
        return found[0] if found else ""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """`curlew serve` less its runner, on a new folder."""
    with start(tmp_path) as service:
        yield service


class start:  # noqa: N801
    """A service on a folder until the end of the block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Started:
        port = free_port()
        chosen = {"CURLEW_DATA": str(self._folder), "CURLEW_BIND": f"127.0.0.1:{port}", "CURLEW_WORKERS": "2"}
        log = self._folder / "log"
        with log.open("ab") as kept:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PARENT],
                env={**os.environ, **environment(**chosen)},
                stdout=subprocess.PIPE,
                stderr=kept,
                text=True,
            )
        assert self._process.stdout is not None
        lines = []
        while (line := self._process.stdout.readline()) not in ("end\n", ""):
            lines.append(line)
        return Started(Server(self._folder, port), "".join(lines), log)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_browser_makes_the_first_account(started: Started, browser: Browser, scripts: bool) -> None:
    web_user = WebUser(browser, started.server, java_script_enabled=scripts, timezone_id="Europe/Oslo")
    page = web_user.page
    assert started.printed.splitlines()[-1].strip() == started.address
    web_user.open("/")
    assert "This server has no account yet" in web_user.text() and "curlew serve" in web_user.text()
    assert page.locator("a[href='/register']").count() == 0
    assert web_user.open(started.address) == 200
    assert page.locator("header form, header nav").count() == 0
    page.fill("[name=username]", "ada")
    page.fill("[name=email]", "ada@birds.example")
    page.fill("[name=password]", "adaadaadaada")
    web_user.press("main button")
    assert page.url == started.address
    assert "It is the user name" in web_user.text()
    assert page.input_value("[name=username]") == "ada"
    page.fill("[name=password]", PASSWORD)
    web_user.press("main button")
    assert page.url.split("?")[0] == f"{started.server.origin}/"
    assert "Your account is there" in web_user.text() and "counts as proved" in web_user.text()
    assert ("Europe/Oslo" if scripts else "UTC") in page.inner_text("footer")
    assert web_user.open("/operator") == 200 and "CURLEW_OPERATORS" in web_user.text()
    web_user.open("/settings/profile")
    assert "sends no mail yet" in web_user.text() and "not verified" not in web_user.text()
    assert web_user.open("/u/ada") == 200
    assert web_user.open(started.address) == 404
    assert "This address is over" in web_user.text()
    web_user.close()
    key = started.address.partition("key=")[2]
    told = [path for path in started.log.parent.rglob("*") if path.is_file() and key in read(path)]
    assert told == []


@pytest.mark.parametrize("scripts", [True, False])
def test_a_browser_alone_comes_to_a_chart(
    started: Started, browser: Browser, tmp_path: Path, scripts: bool
) -> None:
    """From the printed address over a file with rows to the chart that is drawn of them."""
    rows = tmp_path / "rows.csv"
    rows.write_text("month,east\nJan,3\nFeb,5\n")
    web_user = WebUser(browser, started.server, java_script_enabled=scripts)
    page = web_user.page
    web_user.open(started.address)
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", PASSWORD)
    web_user.press("main button")
    web_user.press("main a[href='/new/plot']")
    page.fill("[name=title]", "Sales of a spring")
    page.set_input_files("[name=file]", rows)
    web_user.press("main button.primary")
    with page.expect_response("**/files/plot.svg*") as drawn:
        assert web_user.open("/u/ada/p/sales_of_a_spring") == 200
    assert drawn.value.status == 200 and "</svg>" in drawn.value.text()
    web_user.close()


def read(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


def test_a_restart_prints_another_address_and_the_first_is_over(tmp_path: Path, browser: Browser) -> None:
    with start(tmp_path) as first:
        pass
    with start(tmp_path) as second:
        assert first.address.partition("key=")[2] != second.address.partition("key=")[2]
        web_user = WebUser(browser, second.server)
        web_user.open(f"/setup?key={first.address.partition('key=')[2]}")
        web_user.page.fill("[name=username]", "ada")
        web_user.page.fill("[name=password]", PASSWORD)
        web_user.press("main button")
        assert "This address is over" in web_user.text()
        web_user.open(second.address)
        web_user.page.fill("[name=username]", "ada")
        web_user.page.fill("[name=password]", PASSWORD)
        web_user.press("main button")
        assert "you are signed in" in web_user.text()
        web_user.close()
    with start(tmp_path) as third:
        assert third.address == ""
