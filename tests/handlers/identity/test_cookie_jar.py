"""curl with a cookie jar signs in, writes and signs out; pages of other sites do nothing with its session."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.command import serving

SENT = {"username": "ann", "password": "eleven birds on the mud", "email": "ann@birds.example"}
BIO = "/v1/admin/profile/bio"
TEXT = ("-H", "Content-Type: text/plain")
DATA = ("-H", "Content-Type: application/json")


class Jar:
    """curl, which keeps its cookies in a file."""

    def __init__(self, file: Path, origin: str) -> None:
        self.file = file
        self.origin = origin

    def ask(self, path: str, *words: str) -> tuple[int, str]:
        """Status and body."""
        command = ["curl", "-sS", "-m", "60", "-b", self.file, "-c", self.file, "-w", "\n%{http_code}"]
        done = subprocess.run(
            [*command, *words, self.origin + path], capture_output=True, text=True, check=True
        )
        said, _, status = done.stdout.rpartition("\n")
        return int(status), said


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("jar") / "data"
    with serving("web", folder, WORKERS="2", PASSWORD_MEMORY="64") as service:
        yield f"http://127.0.0.1:{service.port}"


@pytest.fixture
def jar(origin: str, tmp_path: Path) -> Jar:
    """A jar with the session of ann."""
    jar = Jar(tmp_path / "jar", origin)
    assert jar.ask("/v1/register", *DATA, "-d", json.dumps(SENT))[0] in (201, 409)
    assert jar.ask("/v1/auth", "-X", "POST", "-u", f"ann:{SENT['password']}")[0] == 200
    return jar


def test_a_jar_writes_and_signs_out(jar: Jar) -> None:
    assert jar.ask(BIO, *TEXT, "-d", "counts birds")[0] == 200
    assert jar.ask(BIO)[1] == "counts birds"
    assert jar.ask("/v1/code/jobs/nightly", "-X", "PUT")[0] == 201
    assert jar.ask("/v1/code/jobs/nightly", "-X", "DELETE")[0] == 200
    assert jar.ask("/v1/logout", "-X", "POST")[0] == 200
    assert jar.ask("/v1/whoami")[0] == 401


@pytest.mark.parametrize(
    "head",
    [
        ("Origin: http://evil.example",),
        ("Origin: null",),
        ("Origin;",),
        ("Sec-Fetch-Site: cross-site",),
        ("Sec-Fetch-Site: same-site",),
        ("Sec-Fetch-Site: none",),
        ("Sec-Fetch-Site: same-origin", "Origin: http://evil.example"),
    ],
)
def test_a_page_of_another_site_does_nothing_with_it(jar: Jar, head: tuple[str, ...]) -> None:
    heads = [word for one in head for word in ("-H", one)]
    for path, words in (("/v1/logout", ("-X", "POST")), (BIO, (*TEXT, "-d", "pwned"))):
        assert jar.ask(path, *heads, *words)[0] == 403
    assert jar.ask("/v1/whoami") == (200, "ann")


def test_a_page_of_this_one_writes(jar: Jar) -> None:
    heads = ("-H", f"Origin: {jar.origin}", "-H", "Sec-Fetch-Site: same-origin")
    assert jar.ask(BIO, *heads, *TEXT, "-d", "from a page")[0] == 200


def test_a_jar_changes_the_password_with_the_present_one(jar: Jar) -> None:
    path = "/v1/admin/profile/password"
    assert jar.ask(path, *TEXT, "-d", "a whole new one")[0] == 403
    sent = {"password": SENT["password"], "new_password": SENT["password"]}
    assert jar.ask(path, *DATA, "-d", json.dumps(sent))[0] == 200
    assert jar.ask("/v1/whoami")[0] == 401
