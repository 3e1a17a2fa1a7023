"""What the published editor extension asks, each request with its headers as the extension sends them."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests

from tests.clients.conftest import Person
from tests.clients.test_oauth import Browser
from tests.kit.clocks import until

CLIENT, BACK = "novem-vscode", "vscode://novem.novem-vscode/oauth/callback"
KINDS = {
    "plots": "vis/plots", "mails": "vis/mails", "grids": "vis/grids", "docs": "vis/docs", "jobs": "code/jobs",
    "repos": "code/repos",
}  # fmt: skip
LISTS = " ".join(f"{kind} {{ id name shortname url type summary created }}" for kind in KINDS)
TEXT = "text/plain"


class Editor:
    """The extension, signed in through the browser."""

    def __init__(self, alice: Person) -> None:
        self.root, self.origin = alice.server.root.rstrip("/"), alice.server.origin
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {"client_id": CLIENT, "redirect_uri": BACK, "response_type": "code", "state": "s",
                 "code_challenge": challenge, "code_challenge_method": "S256"}  # fmt: skip
        sent_to, _ = Browser(alice).approve(f"{self.origin}/oauth/authorize?{urlencode(query)}")
        assert sent_to.startswith(f"{BACK}?")
        answer = parse_qs(urlsplit(sent_to).query)
        assert answer["state"] == ["s"]
        sent = {"grant_type": "authorization_code", "code": answer["code"][0], "client_id": CLIENT,
                "code_verifier": verifier, "redirect_uri": BACK}  # fmt: skip
        got = requests.post(f"{self.origin}/oauth/token", data=sent)
        assert got.ok, got.text
        self.signed = {"Authorization": f"Bearer {got.json()['access_token']}"}

    def ask(self, method: str, path: str, body: str | None = None, media: str = "") -> Any:
        """What it reads of a request: JSON, or None of an empty answer. It has to succeed."""
        headers = {**self.signed, "Accept": "application/json", **({"Content-Type": media} if media else {})}
        answer = requests.request(method, f"{self.root}/{path}", data=body, headers=headers)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.text else None

    def read(self, path: str) -> str:
        """A file as it is opened."""
        answer = requests.get(f"{self.root}/{path}", headers=self.signed)
        assert answer.ok, answer.text
        return answer.text

    def lists(self, query: str, **variables: str) -> Any:
        """The lists of the side bar, by GraphQL."""
        sent = {"query": query, "variables": variables}
        answer = requests.post(f"{self.origin}/gql", json=sent, headers=self.signed).json()
        assert "errors" not in answer, answer
        return answer["data"]


@pytest.fixture
def editor(alice: Person) -> Editor:
    return Editor(alice)


def test_it_signs_in_and_shows_the_account(editor: Editor, alice: Person) -> None:
    assert editor.read("whoami").strip() == alice.name
    assert editor.ask("GET", "token")["token_name"]
    assert editor.ask("GET", "admin/profile/overview")["user_info"]["username"] == alice.name
    editor.ask("POST", "logout")
    assert requests.get(f"{editor.root}/whoami", headers=editor.signed).status_code == 401


@pytest.mark.parametrize("kind", KINDS)
def test_a_resource_is_made_listed_opened_and_removed(editor: Editor, alice: Person, kind: str) -> None:
    folder = KINDS[kind]
    editor.ask("PUT", f"{folder}/one")
    (row,) = editor.lists(f"{{ me {{ {LISTS} }} }}")["me"][kind]
    assert (row["id"], bool(row["shortname"]), bool(row["type"])) == ("one", True, True)
    theirs = editor.lists(f"query($u: String!) {{ users(username: $u) {{ {LISTS} }} }}", u=alice.name)
    assert [one["id"] for one in theirs["users"][0][kind]] == ["one"]
    entries = {one["name"]: one for one in editor.ask("GET", f"{folder}/one")}
    assert {"name", "config"} <= set(entries)
    assert all({"type", "permissions"} <= set(one) for one in entries.values())
    assert editor.ask("GET", f"{folder}/one/config")
    editor.ask("POST", f"{folder}/one/summary", "a line\n", TEXT)
    assert editor.read(f"{folder}/one/summary").strip() == "a line"
    editor.ask("PATCH", f"{folder}/one", "two", TEXT)
    if kind not in ("jobs", "repos"):
        # The preview writes a slash too many in front.
        about = editor.ask("GET", f"/i/{row['shortname']}")["about"]
        assert about["name"] == "two"
    editor.ask("DELETE", f"{folder}/two")
    assert editor.lists(f"{{ me {{ {LISTS} }} }}")["me"][kind] == []


def test_lists_of_jobs_and_repos_are_read_by_rest(editor: Editor, alice: Person) -> None:
    for kind, letter in (("plots", "p"), ("mails", "m"), ("grids", "g"), ("docs", "d")):
        editor.ask("PUT", f"{KINDS[kind]}/one")
        assert [one["id"] for one in editor.ask("GET", f"u/{alice.name}/{letter}")] == ["one"]
    for kind in ("jobs", "repos"):
        editor.ask("PUT", f"{KINDS[kind]}/one")
        (row,) = editor.ask("GET", KINDS[kind])
        assert row["name"] == "one"
    assert editor.read("code/repos/one/url").endswith(f"/{alice.name}/one.git")


def test_nodes_are_made_written_and_removed(editor: Editor) -> None:
    editor.ask("PUT", "vis/plots/one")
    editor.ask("POST", "vis/plots/one/config/type", "bar", TEXT)
    editor.ask("POST", "vis/plots/one/data", "a,b\nx,1\n", TEXT)
    for path in ("vars/growth", "tags/fav", "shared/public"):
        if path == "shared/public":
            editor.ask("POST", "admin/profile/public", "yes", TEXT)
        editor.ask("PUT", f"vis/plots/one/{path}")
        editor.ask("DELETE", f"vis/plots/one/{path}")


def test_a_mail_is_sent(editor: Editor, verified: Person) -> None:
    editor.ask("PUT", "vis/mails/one")
    editor.ask("POST", "vis/mails/one/content", "Eleven.", TEXT)
    editor.ask("POST", "vis/mails/one/recipients/to", f"@{verified.name}", TEXT)
    assert editor.read("vis/mails/one/recipients/cc") == ""
    editor.ask("POST", "vis/mails/one/status", "testing", TEXT)
    until(lambda: editor.read("vis/mails/one/status"), lambda status: status != "testing")
    editor.ask("POST", "vis/mails/one/status", "sending", TEXT)


def test_a_job_is_run(editor: Editor, alice: Person, image: Callable[..., str]) -> None:
    image("same", 'COPY=""')
    editor.ask("PUT", "code/jobs/one")
    # What a run executes is written with a token of one's own, which the refusal says.
    with pytest.raises(AssertionError, match="needs a credential of your own"):
        editor.ask("POST", "code/jobs/one/config/chains", "same", TEXT)
    alice.ask("POST", "code/jobs/one/config/chains", b"same")
    editor.ask("POST", "code/jobs/one/data", "{}", "application/json")
    assert editor.ask("GET", "code/jobs/one/runs")
