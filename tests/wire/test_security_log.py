"""Who signed in, made, shared, joined and was refused stands in the security log, and nothing secret does."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.kit.client import Answer
from tests.kit.service import Application

DATA, TEXT = "application/json", "text/plain"
FORWARDED = ("X-Forwarded-For", "203.0.113.7")


PUBLIC_KEY = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB1Kc6dg2/YKf4yjEUV/1OlCUrFffBDjbISp5mynbBk3"


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Site:
    """Requests to a service, and what its security log has of them."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.secrets: list[str] = []
        self.read = 0

    def ask(
        self, method: str, path: str, body: Any = b"", *, who: str = "", sent: str = "", id: str = "r"
    ) -> Answer:
        headers = [("X-Request-ID", id), FORWARDED]
        if who or sent:
            headers.append(("Authorization", sent or f"Bearer {self.service.user(who)}"))
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.secrets += [content.decode()] if len(content) > 3 else []
        headers.append(("Content-Type", TEXT if isinstance(body, bytes) else DATA))
        return self.service.call(method, path, headers, content)

    @property
    def text(self) -> str:
        path = self.service.world.service.settings.folder / "security.log"
        return path.read_text() if path.exists() else ""

    def news(self) -> list[dict[str, Any]]:
        """The entries since the last time, without time and client."""
        lines = self.text.splitlines()[self.read :]
        self.read += len(lines)
        kept = ("event", "outcome", "actor", "via", "account", "target", "why", "request_id")
        return [{name: entry[name] for name in kept if name in entry} for entry in map(json.loads, lines)]

    def entries(self) -> list[tuple[str, ...]]:
        return [
            (one["event"], one["outcome"], one.get("actor", "-"), one.get("account", "-"))
            for one in self.news()
        ]


def test_sign_ins_are_logged_with_the_account_good_and_bad(service: Application) -> None:
    site = Site(service)
    service.user("alice")
    assert ("account.made", "ok", "-", "alice") in site.entries()
    word = service.password("alice")
    site.ask("POST", "/v1/auth", {"username": "alice", "password": "not it, but long"}, id="bad")
    site.ask("POST", "/v1/auth", {"username": "alice", "password": word}, id="good")
    site.ask("POST", "/v1/auth?password=inthequery", b"", sent=basic("alice", "not it either"))
    site.ask("POST", "/v1/token", {"token_name": "laptop"}, sent=basic("alice", word))
    # What was typed as a name may be a password.
    site.ask("POST", "/v1/auth", {"username": "my-secret-word", "password": "x"})
    entries = site.news()
    assert [entry["request_id"] for entry in entries[:2]] == ["bad", "good"]
    assert [(one["event"], one["outcome"], one.get("actor"), one.get("account")) for one in entries] == [
        ("sign-in", "refused", None, "alice"),
        ("sign-in", "ok", None, "alice"),
        ("sign-in", "refused", None, "alice"),
        ("token.made", "ok", "alice", None),
        ("sign-in", "refused", None, None),
    ]
    assert entries[0]["why"] == "unauthenticated"
    for secret in (*site.secrets, word, "not it either", "inthequery", "my-secret-word"):
        assert secret not in site.text


def test_tokens_are_logged_from_creation_to_end(service: Application) -> None:
    site = Site(service)
    made = site.ask(
        "POST", "/v1/token", {"token_name": "laptop"}, sent=basic("alice", service.password("alice"))
    )
    assert made.status == 401  # no such account yet
    service.user("alice")
    site.entries()
    sent = basic("alice", service.password("alice"))
    value = json.loads(site.ask("POST", "/v1/token", {"token_name": "laptop"}, sent=sent).body)["token"]
    for _ in range(3):
        site.ask("GET", "/v1/whoami", sent=f"Bearer {value}")
    site.ask("DELETE", "/v1/admin/tokens/laptop", sent=f"Bearer {value}")
    assert site.ask("GET", "/v1/whoami", sent=f"Bearer {value}").status == 401
    assert site.ask("GET", "/v1/whoami").status == 401  # nothing was tried
    assert site.ask("GET", f"/v1/{value}", sent=f"Bearer {value}").status == 401
    entries = site.news()
    assert [
        (one["event"], one["outcome"], one.get("actor", "-"), one.get("account", "-")) for one in entries
    ] == [
        ("token.made", "ok", "alice", "-"),
        ("token.first-used", "ok", "alice", "-"),
        ("token.revoked", "ok", "alice", "-"),
        ("refused", "refused", "-", "alice"),
        ("refused", "refused", "-", "alice"),
    ]
    assert entries[1]["target"] == "laptop"
    assert value not in site.text
    assert value[4:] not in site.text


def test_shares_roles_passwords_and_jobs_are_logged(service: Application) -> None:
    site = Site(service)
    for name in ("alice", "bob"):
        service.user(name, "public")
    for method, path, body in (
        ("PUT", "/v1/code/jobs/nightly", b""),
        ("POST", "/v1/code/jobs/nightly/config/env/API_KEY", b"a very secret word"),
        ("POST", "/v1/code/jobs/nightly/config/access", b"repo_ro"),
        ("PUT", "/v1/code/jobs/nightly/shared/@bob~rx", b""),
        ("DELETE", "/v1/code/jobs/nightly/shared/@bob", b""),
        ("PUT", "/v1/admin/groups/crew", b""),
        ("PUT", "/v1/admin/groups/crew/roles/members/bob", b""),
        ("DELETE", "/v1/admin/groups/crew/roles/members/bob", b""),
        ("POST", "/v1/admin/profile/public", b"no"),
    ):
        site.read = len(site.text.splitlines()) if path == "/v1/code/jobs/nightly" else site.read
        assert site.ask(method, path, body, who="alice").status < 300
    site.ask("PUT", "/v1/users/alice/code/jobs/nightly/shared/@bob~rwxd", who="bob")
    word = {"password": service.password("alice"), "new_password": "correct horse battery"}
    assert site.ask("POST", "/v1/admin/profile/password", word, who="alice").status == 200
    found = [entry for entry in site.entries() if entry[0] != "token.first-used"]
    assert found == [
        ("job.secret", "ok", "alice", "-"),
        ("job.rights", "ok", "alice", "-"),
        ("share.given", "ok", "alice", "-"),
        ("share.revoked", "ok", "alice", "-"),
        ("group.made", "ok", "alice", "-"),
        ("role.given", "ok", "alice", "-"),
        ("role.taken", "ok", "alice", "-"),
        ("account.shown", "ok", "alice", "-"),
        ("share.given", "refused", "bob", "-"),
        ("password.changed", "ok", "alice", "-"),
    ]
    for secret in site.secrets:
        assert secret not in site.text


def test_refusals_are_logged_and_a_forged_address_is_ignored(service: Application) -> None:
    site = Site(service)
    service.user("alice", "public")
    service.user("bob", "public")
    site.ask("PUT", "/v1/vis/docs/report", who="alice")
    service.arrange("share", ["doc", "alice/report", "@bob", "r"], [])
    site.entries()
    assert site.ask("POST", "/v1/users/alice/vis/docs/report/name", b"mine", who="bob").status == 403
    entries = [entry for entry in site.news() if entry["event"] == "refused"]
    assert [(one["actor"], one["why"], one["target"]) for one in entries] == [
        ("bob", "denied", "POST /v1/users/alice/vis/docs/report/name")
    ]
    assert json.loads(site.text.splitlines()[-1])["address"] == "127.0.0.1"


def test_keys_are_logged_by_name_only(service: Application) -> None:
    site, key = Site(service), PUBLIC_KEY
    service.user("alice")
    site.entries()
    place = "/v1/admin/keys/laptop"
    for method, path, body in (
        ("PUT", place, b""),
        ("POST", f"{place}/key", key),
        ("POST", f"{place}/name", b"mine"),
        ("DELETE", place, b""),
    ):
        assert site.ask(method, path, body, who="alice").status in (200, 201)
    changes = [one for one in site.news() if one["event"] == "key.changed"]
    assert [one["target"] for one in changes] == [place, f"{place}/key", place]
    assert PUBLIC_KEY.split()[1].decode() not in site.text
