"""What each letter of a share writes at repos and spaces, and what git does by it."""

from __future__ import annotations

import base64

import pytest

from tests.kit.service import Application
from tests.wire.letters import PRIVATE, Row, Town

TEXT = "text/plain"
REPO = "/v1/users/alice/code/repos/count"
SPACE = "/v1/users/alice/code/spaces/field"

WRITTEN = "401 404 403 403 + 403 403 403 + 401 401 401"
OWNED = "401 404 403 403 403 403 403 403 + 401 401 401"


def rows(here: str) -> list[Row]:
    """What repos and spaces have alike."""
    return [
        ("POST", f"{here}/summary", TEXT, b"counts", WRITTEN),
        ("DELETE", f"{here}/summary", "", b"", WRITTEN),
        ("PUT", f"{here}/shared/@carol~r", "", b"", OWNED),
        ("DELETE", f"{here}/shared/@carol", "", b"", OWNED),
        ("PATCH", here, TEXT, here.rpartition("/")[2].encode(), OWNED),
        ("PUT", here, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
        ("POST", f"{here}/notifications", TEXT, b"info", "401 404 + + + + + + + 401 401 401"),
    ]


OF_REPOS: list[Row] = [
    *rows(REPO),
    ("POST", f"{REPO}/config/type", TEXT, b"job", WRITTEN),
]
OF_SPACES: list[Row] = [
    *rows(SPACE),
    ("POST", f"{SPACE}/content/notes.txt", TEXT, b"seen", WRITTEN),
    ("POST", f"{SPACE}/config/access/ssh", TEXT, b"later", WRITTEN),
]
PLACES = [("repo", REPO, OF_REPOS), ("space", SPACE, OF_SPACES)]


def town_of(service: Application, kind: str, here: str) -> Town:
    """alice's repo or space, with a file where it holds some."""
    town = Town(service)
    service.arrange("user", ["carol", "public"], [])
    town.ask("owner", "PUT", here)
    if kind == "space":
        town.ask("owner", "PUT", f"{here}/content/notes.txt", TEXT, b"seen")
    return town


@pytest.mark.parametrize("kind, here, matrix", PLACES)
def test_what_each_letter_writes(service: Application, kind: str, here: str, matrix: list[Row]) -> None:
    town = town_of(service, kind, here)
    town.share(kind, here.partition("users/")[2].replace(f"code/{kind}s/", ""))
    assert town.disagreements(matrix, *PRIVATE) == ""
    assert [town.ask(who, "DELETE", here).status for who in "rxwd"] == [403, 403, 403, 200]


@pytest.mark.parametrize("by", ["name", "members", "founders"])
def test_git_reads_with_r_and_writes_with_w(service: Application, by: str) -> None:
    town = town_of(service, "repo", REPO)
    if by == "name":
        town.share("repo", "alice/count")
    else:
        town.share_by_group("repo", "alice/count")
    said = {}
    for letter in "rxwd":
        who = letter if by == "name" else f"{by}-{letter}"
        pair = base64.b64encode(f"user-{who}:{town.token(who)}".encode()).decode()
        for program in ("git-upload-pack", "git-receive-pack"):
            path = f"/git/alice/count.git/info/refs?service={program}"
            answer = service.call("GET", path, [("Authorization", f"Basic {pair}")], b"")
            said[f"{letter} {program.split('-')[1]}"] = answer.status
    assert {ask for ask, status in said.items() if status == 200} == {"r upload", "w receive"}
    assert set(said.values()) == {200, 403}
