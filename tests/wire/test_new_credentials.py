"""A dead cookie or token hides nothing that is public on pages, and hinders nobody from a new one."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from handlers.identity.credentials import digest, fresh
from tests.kit.client import Answer, call, environment
from tests.kit.service import Application
from vfs.access import Via
from vfs.ports.clock import stamp

PROOF = {"username": "alice", "password": "a password of alice"}
NEW = "another eleven birds"
DEAD = ("unknown", "revoked", "expired", "locked", "malformed", "empty")
HTML = ("Accept", "text/html,application/xhtml+xml")


def dead(service: Application, why: str, via: Via) -> str:
    """A credential that is worth nothing."""
    world, value = service.world, fresh()
    tokens = world.people.tokens
    if why in ("malformed", "empty"):
        return "nonsense" if why == "malformed" else ""
    if why == "locked":
        service.user("mallory")
        tokens.mint("mallory", "old", digest(value), via=via)
        world.people.users.change("mallory", locked=True)
    elif why == "expired":
        past = stamp(world.clock.now() - timedelta(days=1))
        tokens.mint("alice", "old", digest(value), via=via, expires_on=past)
    elif why == "revoked":
        tokens.revoke(tokens.mint("alice", "old", digest(value), via=via).id)
    return value


def headers_of(service: Application, why: str, way: str) -> list[tuple[str, str]]:
    if way == "cookie":
        return [("Cookie", f"curlew_session={dead(service, why, Via.SESSION)}")]
    return [("Authorization", f"Bearer {dead(service, why, Via.TOKEN)}")]


def post(service: Application, path: str, body: object, *headers: tuple[str, str], by: str = "") -> Answer:
    sent = environment(
        "POST", path, [("Content-Type", "application/json"), *headers], json.dumps(body).encode()
    )
    sent["REMOTE_ADDR"] = by or "127.0.0.1"
    return call(lambda _, start: service.application(sent, start), "POST", path)


@pytest.mark.parametrize("way", ["cookie", "bearer"])
@pytest.mark.parametrize("why", DEAD)
def test_a_dead_credential_is_refused_by_all_the_rest_of_the_api(
    service: Application, why: str, way: str
) -> None:
    public(service)
    with_it = headers_of(service, why, way)
    for method, path in (
        *(
            ("GET", "/v1/whoami"),
            ("GET", "/v1/token"),
            ("OPTIONS", "/v1/token"),
            ("GET", "/v1/u/alice/d/pub"),
        ),
        *(("POST", "/v1/logout"), ("PUT", "/v1/vis/docs/x"), ("GET", "/v1/users/alice/vis/docs/pub/content")),
    ):
        assert service.call(method, path, with_it, b"").status == 401, path
    change = {"password": PROOF["password"], "new_password": NEW}
    assert post(service, "/v1/admin/profile/password", change, *with_it).status == 401


def public(service: Application) -> None:
    """The documents `pub`, which everybody may see, and `own`."""
    bearer = ("Authorization", f"Bearer {service.user('alice', 'public')}")
    for name in ("pub", "own"):
        service.call("PUT", f"/v1/vis/docs/{name}", [bearer], b"")
        text = [bearer, ("Content-Type", "text/plain")]
        service.call("POST", f"/v1/vis/docs/{name}/content", text, b"# Counted\n")
    service.call("PUT", "/v1/vis/docs/pub/shared/public~r", [bearer], b"")


@pytest.mark.parametrize("way", ["cookie", "bearer"])
@pytest.mark.parametrize("why", DEAD)
def test_a_page_is_shown_as_to_anybody(service: Application, why: str, way: str) -> None:
    public(service)
    with_it = headers_of(service, why, way)
    for path in ("/", "/u/alice", "/u/alice/d/pub", "/u/alice/d/own", "/u/alice/d/none", "/docs", "/login",
                 "/forgotten", "/reset", "/verify", "/notices"):  # fmt: skip
        plain = service.call("GET", path, [HTML], b"")
        answer = service.call("GET", path, [HTML, *with_it], b"")
        answers = [(one.status, one.headers.get("location"), body(one)) for one in (plain, answer)]
        assert answers[0] == answers[1], path
        forgotten = answer.headers.get("set-cookie", "").startswith("curlew_session=; Path=/; Max-Age=0")
        assert forgotten == (way == "cookie"), path
    assert service.call("GET", "/u/alice/d/pub", [HTML, *with_it], b"").status == 200


def body(answer: Answer) -> str:
    """The page without what is drawn by lot."""
    return re.sub(r'(nonce|name="token" value)="[^"]*"', r"\1", answer.body.decode())
