"""The published command line signs in through a browser, and by a code that is copied by hand."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import novem_cli
import pytest

from tests.clients.browser import Browser
from tests.clients.conftest import Person
from tests.kit.server import environment

ADDRESS = re.compile(r"https?://\S+/oauth/authorize\?\S+")
CODE = re.compile(r'<code id="code">([^<]+)</code>')
# What opens an address for the command line: it tells this test of it, which plays the browser.
OPENER = '#!/bin/sh\nprintf "%s\\n" "$1" > {pipe}\n'


@pytest.fixture
def browser(alice: Person) -> Browser:
    return Browser(alice)


def start(alice: Person, home: Path, path: str) -> subprocess.Popen[str]:
    words = [novem_cli.find_binary(), "--api-url", alice.server.root, "--init", "oauth"]
    return subprocess.Popen(
        words, env=environment(HOME=str(home), PATH=path), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def read_address(process: subprocess.Popen[str]) -> str:
    """The last address that is printed before the command line waits for a code."""
    assert process.stdout is not None
    for line in process.stdout:
        if "out-of-band" in line or "urn" in line or "oob" in line:
            found = ADDRESS.search(line)
            if found is not None:
                return found[0]
    raise AssertionError("no address was printed")


def is_signed_in(alice: Person, home: Path) -> bool:
    words = [novem_cli.find_binary(), "--get", "whoami"]
    done = subprocess.run(words, env=environment(HOME=str(home)), capture_output=True, text=True, check=False)
    return done.stdout.strip() == alice.name


def test_a_code_is_copied_by_hand(alice: Person, browser: Browser, tmp_path: Path) -> None:
    process = start(alice, tmp_path, str(tmp_path / "nothing"))
    address = read_address(process)
    found = CODE.search(browser.approve(address)[1])
    assert found is not None
    said, _ = process.communicate(f"{found[1]}\n", timeout=60)
    assert process.returncode == 0, said
    assert is_signed_in(alice, tmp_path)
    (name,) = [
        one["name"] for one in alice.ask("GET", "admin/tokens") if one["name"].startswith("novem-cli-")
    ]
    alice.ask("DELETE", f"admin/tokens/{name}")
    assert not is_signed_in(alice, tmp_path)


def test_a_browser_is_redirected_to_the_program(alice: Person, browser: Browser, tmp_path: Path) -> None:
    programs, pipe = tmp_path / "programs", tmp_path / "pipe"
    programs.mkdir()
    os.mkfifo(pipe)
    for name in ("xdg-open", "gio", "gnome-open", "kde-open"):
        (programs / name).write_text(OPENER.format(pipe=pipe))
        (programs / name).chmod(0o755)
    process = start(alice, tmp_path, f"{programs}:/usr/bin:/bin")
    with pipe.open() as line:
        address = line.readline().strip()
    to, _ = browser.approve(address)
    assert to.startswith("http://localhost:")
    subprocess.run(["curl", "-s", "--noproxy", "*", to], check=True, capture_output=True)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert is_signed_in(alice, tmp_path)
