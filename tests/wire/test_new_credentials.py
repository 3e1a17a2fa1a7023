"""A dead cookie or token hides nothing that is public on pages, and hinders nobody from a new one."""

from __future__ import annotations

import email
import json
import re
from datetime import timedelta
from http.cookies import SimpleCookie
from threading import Event

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


def letters(service: Application, to: str) -> list[str]:
    """The texts of the mails to an address, oldest first."""
    left = Event()
    assert service.world.service.later.add(left.set)
    assert left.wait(20)  # one sends, in turn: what was asked for before has left
    files = sorted((service.world.service.settings.folder / "outbox").glob("*.eml"))
    mails = [email.message_from_bytes(file.read_bytes()) for file in files]
    return [str(one.get_payload(decode=True), "utf-8") for one in mails if one["To"] == to]  # type: ignore[call-overload]


def code(service: Application) -> str:
    found = re.findall(r'"code": "(clw_[^"]+)"', letters(service, "alice@birds.example")[-1])
    return str(found[0])


@pytest.mark.parametrize("way", ["cookie", "bearer"])
@pytest.mark.parametrize("why", DEAD)
def test_a_dead_credential_hinders_nobody_from_a_new_one(service: Application, why: str, way: str) -> None:
    service.user("alice", "verified")
    with_it = headers_of(service, why, way)
    begun = post(service, "/v1/auth", PROOF, *with_it)
    assert begun.status == 200
    assert SimpleCookie(begun.headers["set-cookie"])["curlew_session"].value.startswith("clw_")
    made = post(service, "/v1/token", {**PROOF, "token_name": "new"}, *with_it)
    assert made.status == 201
    for path in ("/v1/auth", "/v1/token"):
        refused = post(service, path, {**PROOF, "password": "a wrong one"}, *with_it)
        assert (refused.status, refused.headers["www-authenticate"][:5]) == (401, "Basic")
        assert post(service, path, {}, *with_it).status == 401
    assert post(service, "/v1/admin/forgotten", {"email": "alice@birds.example"}, *with_it).status == 200
    sent = {"code": code(service), "new_password": NEW}
    assert post(service, "/v1/admin/reset", sent, *with_it).status == 200
    ann = {"username": "ann", "password": NEW, "email": "ann@birds.example"}
    assert post(service, "/v1/register", ann, *with_it).status == 201
    proof = re.search(r'{"uid": "([^"]+)", "code": "([^"]+)"}', letters(service, "ann@birds.example")[-1])
    assert proof is not None
    shown = {"uid": proof[1], "code": proof[2]}
    assert post(service, "/v1/admin/challenge", shown, *with_it).status == 200


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
        told = [(one.status, one.headers.get("location"), body(one)) for one in (plain, answer)]
        assert told[0] == told[1], path
        forgotten = answer.headers.get("set-cookie", "").startswith("curlew_session=; Path=/; Max-Age=0")
        assert forgotten == (way == "cookie"), path
    assert service.call("GET", "/u/alice/d/pub", [HTML, *with_it], b"").status == 200


def body(answer: Answer) -> str:
    """The page without what is drawn by lot."""
    return re.sub(r'(nonce|name="token" value)="[^"]*"', r"\1", answer.body.decode())


def test_a_living_cookie_beside_a_dead_token_stays(service: Application) -> None:
    begun = post(service, "/v1/auth", {"username": "alice", "password": "a password of alice"})
    assert begun.status == 401
    service.user("alice")
    cookie = post(service, "/v1/auth", PROOF).headers["set-cookie"].partition(";")[0]
    both = [HTML, ("Cookie", cookie), ("Authorization", f"Bearer {fresh()}")]
    assert "set-cookie" not in service.call("GET", "/u/alice", both, b"").headers


PROXY = ("Forwarded", "for=unknown")


@pytest.mark.parametrize("strangers", ["from many addresses", "from where nobody can be told apart"])
def test_strangers_neither_void_nor_exhaust_codes(service: Application, strangers: str) -> None:
    service.user("alice", "verified")
    mine = [] if "many" in strangers else [PROXY]
    wish = {"email": "alice@birds.example"}
    assert (
        post(service, "/v1/admin/forgotten", {"email": "ALICE@birds.example"}, *mine, by="127.0.0.61").status
        == 200
    )
    first = code(service)
    for number in range(130):
        by = f"127.0.1.{number}"
        other = {"email": f"nobody-{number}@birds.example"}
        assert post(service, "/v1/admin/forgotten", other, *mine, by=by).status in (200, 429)
        if number < 12:
            assert post(service, "/v1/admin/forgotten", wish, *mine, by=by).status in (200, 429)
        bad = {"code": f"clw_{number:043}", "new_password": NEW}
        assert post(service, "/v1/admin/reset", bad, *mine, by=by).status in (404, 429)
    if "many" in strangers:
        assert post(service, "/v1/admin/forgotten", wish, by="127.0.0.62").status == 200
    sent = {"code": first, "new_password": NEW}
    assert post(service, "/v1/admin/reset", sent, *mine, by="127.0.0.61").status == 200
    for spent in (first, code_before_last(service)):
        again = {"code": spent, "new_password": NEW + "s"}
        assert post(service, "/v1/admin/reset", again, by="127.0.0.63").status == 404


def code_before_last(service: Application) -> str:
    """The code of the letter before that which tells of the change."""
    found = [re.findall(r'"code": "(clw_[^"]+)"', text) for text in letters(service, "alice@birds.example")]
    return str([codes[0] for codes in found if codes][-1])
