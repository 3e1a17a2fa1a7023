"""What a provider, a browser or another site may send, and what is not taken."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from handlers.oidc.provider import FetchedDocument
from tests.handlers.oidc.company import Company, Twist, past
from tests.handlers.oidc.visitor import Service, open_here
from vfs.errors import Unavailable

FOREIGN = RSAKey.generate_key(2048)


def setting(**changed: Any) -> Twist:
    return lambda claims: claims.update(changed)


def without(name: str) -> Twist:
    return lambda claims: claims.pop(name, None)


TWISTS: dict[str, Twist] = {
    "another audience": setting(aud="another"),
    "several audiences": setting(aud=["curlew", "another"]),
    "the party of another": setting(azp="another"),
    "another nonce": setting(nonce="another"),
    "no nonce": without("nonce"),
    "another issuer": setting(iss="https://evil.example"),
    "no issuer": without("iss"),
    "it ended": past,
    "no end": without("exp"),
    "an end that is no number": setting(exp="soon"),
    "made tomorrow": setting(iat=int(time.time()) + 86_400),
    "no subject": without("sub"),
    "a subject that is no text": setting(sub=["subject-of-ann"]),
    "an endless subject": setting(sub="x" * 256),
    "another access token": setting(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
}


def test_an_id_token_for_something_else_is_refused(service: Service) -> None:
    visitor = service.visitor()
    for name, twist in TWISTS.items():
        service.company.twist = twist
        refused = visitor.sign_in()
        assert refused.status == 403, (name, refused.said)
        assert visitor.whoami() == ""
    assert service.world.people.users.all() == []
    lines = [line["outcome"] for line in service.log() if line["event"] == "sign-in.provider"]
    assert lines == ["refused"] * len(TWISTS)
    service.company.twist = lambda claims: None
    assert visitor.sign_in().status == 303


def unsigned(company: Company, claims: dict[str, Any]) -> str:
    parts = ({"alg": "none", "kid": "first"}, claims)
    return (
        ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)
        + "."
    )


def by_public_key(company: Company, claims: dict[str, Any]) -> str:
    secret = OctKey.import_key(company.key.key.public_key().export_key())
    return jwt.encode({"alg": "HS256", "kid": "first"}, claims, secret)


def by_client_secret(company: Company, claims: dict[str, Any]) -> str:
    return jwt.encode(
        {"alg": "HS256"}, claims, OctKey.import_key("a secret / with signs, and some more of them")
    )


def by_foreign_key(company: Company, claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "first"}, claims, FOREIGN)


def by_own_key(company: Company, claims: dict[str, Any]) -> str:
    header = {"alg": "RS256", "kid": "mine", "jwk": FOREIGN.as_dict(private=False)}
    return jwt.encode(header, claims, FOREIGN)


def malformed(company: Company, claims: dict[str, Any]) -> str:
    return "a.b.c"


def endless(company: Company, claims: dict[str, Any]) -> str:
    return "a" * 100_000


FORGERIES: tuple[Callable[[Company, dict[str, Any]], str], ...] = (
    unsigned,
    by_public_key,
    by_client_secret,
    by_foreign_key,
    by_own_key,
    malformed,
    endless,
)


def test_a_forged_id_token_is_refused(service: Service) -> None:
    for forge in FORGERIES:
        service.company.forge = lambda claims, forge=forge: forge(service.company, claims)
        assert service.visitor().sign_in().status == 403, forge
    assert service.world.people.users.all() == []


def test_a_code_and_a_state_are_taken_once(service: Service) -> None:
    ann, thief = service.visitor(), service.visitor()
    back = ann.to_provider()
    kept = dict(ann.cookies)
    assert ann.go(back).status == 303
    for cookies in ({}, kept):
        thief.cookies = dict(cookies)
        assert thief.go(back).status == 400
        assert thief.whoami() == ""


def test_a_code_of_another_sign_in_is_refused(service: Service) -> None:
    """The provider compares the verifier (PKCE), so a code that was injected is worth nothing."""
    ann, eve = service.visitor(), service.visitor()
    code = ann.to_provider().partition("code=")[2].partition("&")[0]
    own = eve.to_provider()
    injected = own.replace(own.partition("code=")[2].partition("&")[0], code)
    assert eve.go(injected).status == 403
    assert eve.whoami() == ""


def test_a_victim_is_not_signed_in_as_the_attacker(service: Service) -> None:
    victim, attacker = service.visitor(), service.visitor()
    back = attacker.to_provider()
    assert victim.go(back).status == 400
    victim.to_provider()
    assert victim.go(back).status == 400
    assert victim.whoami() == ""


def test_another_site_begins_no_link(service: Service) -> None:
    ann, eve = service.user("ann"), service.user("eve")
    mark = eve.go("/settings/signin").text.partition("/oidc/link?mark=")[2].partition('"')[0]
    for address in ("/oidc/link", "/oidc/link?mark=x", f"/oidc/link?mark={mark}"):
        assert ann.go(address).status == 403
    own = ann.go("/settings/signin").text.partition("/oidc/link?mark=")[2].partition('"')[0]
    back = ann.to_provider(f"/oidc/link?mark={own}")
    eve.cookies = {**ann.cookies, "curlew_session": eve.cookies["curlew_session"]}
    assert eve.go(back).status == 403
    assert service.world.people.provider_links.find(service.company.issuer, "subject-of-ann") is None


def test_an_old_session_links_nobody(service: Service) -> None:
    ann = service.user("ann")
    own = ann.go("/settings/signin").text.partition("/oidc/link?mark=")[2].partition('"')[0]
    service.clock.forward(seconds=901)
    assert "/oidc/link" not in ann.go("/settings/signin").text
    refused = ann.go(f"/oidc/link?mark={own}")
    assert (refused.status, "last 15 minutes" in refused.said) == (403, True)


PATHS = {
    "//evil.example": "/evil.example",
    "https://evil.example": "/",
    "/%5Cevil.example": "/",
    "/a\r\nSet-Cookie: x=y": "/a",
    "javascript:alert(1)": "/",
    "/u/ann?x=1": "/u/ann?x=1",
}


def test_a_sign_in_leads_to_a_page_of_this_site(service: Service) -> None:
    for path, to in PATHS.items():
        back = service.visitor().sign_in(f"/oidc/sign-in?next={quote(path, safe='')}")
        location = back.header("location")
        assert location.startswith("/") and not location.startswith(("//", "/\\")), path
        assert location == to or "\n" in path, path
        assert "\r" not in location and "\n" not in location


def test_the_answer_of_another_issuer_is_refused(service: Service) -> None:
    company = service.company
    company.extra = {"iss": "https://evil.example"}
    assert service.visitor().sign_in().status == 403
    assert "/token" not in company.calls
    company.extra = {"iss": company.issuer}
    assert service.visitor().sign_in().status == 303


def test_an_issuer_that_names_itself_always_does(company: Company, tmp_path: Path) -> None:
    company.provider.configuration_information["authorization_response_iss_parameter_supported"] = True
    with open_here(company, tmp_path, oidc_create=True) as service:
        assert service.visitor().sign_in().status == 403
        assert "/token" not in company.calls


def test_a_new_key_of_the_provider_is_fetched_once_in_a_while(service: Service) -> None:
    company = service.company
    assert service.visitor().sign_in().status == 303
    company.rotate("second")
    assert service.visitor().sign_in().status == 303
    assert company.calls.count("/keys") == 2
    company.rotate("third")
    for _ in range(3):
        assert service.visitor().sign_in().status == 403
    assert company.calls.count("/keys") == 2


def test_id_token_and_userinfo_must_name_the_same_person(service: Service) -> None:
    service.company.answers["/userinfo"] = json.dumps(
        {"sub": "subject-of-bob", "email": "x@y.example"}
    ).encode()
    assert service.visitor().sign_in().status == 403


BODIES = (b"[" * 100_000, b"{}" + b" " * 600_000, b'{"keys": 7, "issuer": 7}', b"<html>", b"[]")


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys", "/token", "/userinfo"])
def test_documents_that_are_huge_deep_or_no_documents_are_refused(
    path: str, company: Company, tmp_path: Path
) -> None:
    for number, body in enumerate(BODIES):
        company.answers[path] = body
        (folder := tmp_path / str(number)).mkdir()
        with open_here(company, folder, oidc_create=True) as service:
            visitor = service.visitor()
            there = visitor.go("/oidc/sign-in")
            if there.status == 303:
                there = visitor.go(service.company_answer(there.header("location")))
            assert there.status in (403, 503), (body[:20], there.said)
            assert visitor.whoami() == ""


def test_a_provider_that_is_down_is_reported_and_seldom_retried(service: Service) -> None:
    service.company.down = True
    for _ in range(3):
        answer = service.visitor().go("/oidc/sign-in")
        assert answer.status == 503
        assert "cannot be reached" in answer.said
    assert service.visitor().go("/login").status == 200


def test_a_slow_document_keeps_one_thread() -> None:
    slow = threading.Event()
    document = FetchedDocument(slow.wait)
    with ThreadPoolExecutor(9) as threads:
        futures = [threads.submit(document.get) for _ in range(9)]
        answers = [one.exception(20) for one in islice(as_completed(futures, 20), 8)]
        assert {type(one) for one in answers} == {Unavailable}
        slow.set()
        assert [one.result() for one in futures if not one.exception()] == [True]
    assert document.get()


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/keys", "file:///etc/passwd", "https://user@host/x", "ftp://h/x", 7, ""],
)
def test_addresses_in_the_document_are_https(address: object, service: Service) -> None:
    service.company.provider.configuration_information["jwks_uri"] = address
    assert service.visitor().go("/oidc/sign-in").status == 503


def test_a_redirect_of_the_provider_is_not_followed(service: Service) -> None:
    company = service.company
    company.provider.configuration_information["jwks_uri"] = f"{company.issuer}/authorize"
    company.sign_in = lambda query: f"{company.issuer}/keys"  # type: ignore[method-assign]
    visitor = service.visitor()
    there = visitor.go("/oidc/sign-in")
    assert there.status == 303
    assert "/keys" not in company.calls


@pytest.mark.parametrize("error", ["access_denied", "server_error", "<script>alert(1)</script>"])
def test_an_error_of_the_provider_is_reported_in_our_words(error: str, service: Service) -> None:
    visitor = service.visitor()
    state = visitor.to_provider().partition("state=")[2].partition("&")[0]
    refused = visitor.go(f"/oidc/callback?error={error}&error_description=Call+0900&state={state}")
    assert refused.status == 403
    assert "0900" not in refused.text and "<script>alert" not in refused.text


def test_failures_are_counted_and_successes_are_not(company: Company, tmp_path: Path) -> None:
    with open_here(company, tmp_path, oidc_create=True, signin_attempts_address=3) as service:
        visitor = service.visitor()
        assert [visitor.go("/oidc/callback?code=x&state=y").status for _ in range(5)] == [400] * 5
        assert [service.visitor().sign_in().status for _ in range(5)] == [303] * 5
        company.twist = setting(nonce="another")
        assert [visitor.sign_in().status for _ in range(4)] == [403, 403, 403, 429]
        assert company.calls.count("/token") == 8


def test_over_tls_no_other_host_sets_the_cookie(company: Company, tmp_path: Path) -> None:
    company.allow("https://curlew.example/oidc/callback")
    with open_here(company, tmp_path, oidc_create=True, base_url="https://curlew.example") as service:
        visitor = service.visitor()
        set_cookie = visitor.go("/oidc/sign-in").header("set-cookie")
        assert set_cookie.startswith("__Host-curlew_session_browser=")
        assert set_cookie.endswith("; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure")
        back = visitor.sign_in()
        assert back.header("set-cookie").startswith("__Host-curlew_session=")
        planted = service.visitor()
        own = visitor.to_provider("/oidc/sign-in?again=yes")
        value = visitor.cookies["__Host-curlew_session_browser"]
        planted.cookies = {"curlew_session_browser": value}
        assert planted.go(own).status == 400


def test_a_long_way_back_is_left_out(service: Service) -> None:
    back = service.visitor().sign_in(f"/oidc/sign-in?next=/{'a/' * 1500}")
    assert (back.status, back.header("location")) == (303, "/")


def test_no_code_or_token_is_in_a_log(service: Service, capfd: pytest.CaptureFixture[str]) -> None:
    visitor = service.visitor()
    back = visitor.to_provider()
    service.company.twist = setting(nonce="another")
    visitor.go(back)
    said = capfd.readouterr().err + (service.folder / "security.log").read_text()
    secrets = [part.partition("=")[2] for part in back.partition("?")[2].split("&")]
    assert len(secrets) == 2 and not any(secret in said for secret in secrets)
