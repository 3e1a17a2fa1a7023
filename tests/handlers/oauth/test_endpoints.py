"""The endpoints of applications on the wire, from the page to the end of a connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.handlers.oauth.program import ASKED, OUT_OF_BAND, Program, back
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server, web


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with web(tmp_path_factory.mktemp("oauth")) as server:
        yield server


@pytest.fixture
def program(server: Server, tmp_path: Any) -> Program:
    owner = Owner(server, tmp_path)
    return Program(owner, Wire(owner))


def test_a_person_is_asked_who_wants_what_and_until_when(program: Program) -> None:
    shown = program.wire.ask("GET", program.page(scope="read code"))
    assert shown.status == 200
    for words in (
        "Command line",
        "novem-cli",
        f"@{program.owner.name}",
        "read the visualisations",
        "and run jobs",
    ):
        assert words in shown.body
    assert "do all that you can do" not in shown.body
    assert "The connection ends on <time" in shown.body
    policy = shown.headers["Content-Security-Policy"]
    assert "form-action 'self' http://localhost:50123;" in policy
    assert "frame-ancestors 'none'" in policy
    assert shown.headers["Cache-Control"] == "private, no-store"


def test_an_approval_becomes_a_token_in_the_list(program: Program) -> None:
    told = back(program.answer())
    assert told["state"] == "a state & more"
    assert told["iss"] == program.server.origin
    status, issued, headers = program.exchange(told["code"])
    assert (status, issued["token_type"], issued["scope"]) == (200, "Bearer", "all")
    assert 30 * 86400 - 60 < issued["expires_in"] <= 30 * 86400
    assert "no-store" in headers["Cache-Control"]
    assert program.ask(issued["access_token"], "whoami") == (200, program.owner.name)
    name = json.loads(program.ask(issued["access_token"], "token")[1])["token_name"]
    listed = {one["name"]: one for one in program.server.ask("GET", "admin/tokens", who=program.owner.name)}
    assert listed[name]["token_description"] == "the command line"
    assert program.server.ask("GET", f"admin/tokens/{name}/info", who=program.owner.name)["scope"] == "all"
    program.server.ask("DELETE", f"admin/tokens/{name}", who=program.owner.name)
    assert program.ask(issued["access_token"], "whoami")[0] == 401
    assert program.wire.ask("GET", "/").status == 200


def test_a_refusal_is_told(program: Program) -> None:
    told = back(program.answer("refuse"))
    assert (told["error"], told["state"], "code" in told) == ("access_denied", "a state & more", False)


def test_a_code_is_shown_to_be_copied(program: Program) -> None:
    shown = program.answer(redirect_uri=OUT_OF_BAND)
    code = shown.body.partition('<code id="code">')[2].partition("<")[0]
    assert shown.status == 200
    assert program.exchange(code)[0] == 200
    assert "Nothing was connected" in program.answer("refuse", redirect_uri=OUT_OF_BAND).body


def test_whoever_is_not_signed_in_comes_back_with_everything(program: Program) -> None:
    shown = program.wire.ask("GET", program.page(), cookie="")
    assert shown.status == 303
    to = parse_qs(urlsplit(shown.headers["Location"]).query)["next"][0]
    name = program.owner.name
    fields = {"username": name, "password": program.server.password(name), "next": to}
    signed_in = program.wire.ask("POST", "/login", urlencode(fields), cookie="", Origin=program.wire.origin)
    again = signed_in.headers["Location"]
    assert urlsplit(again).path == "/oauth/authorize"
    assert {key: one[0] for key, one in parse_qs(urlsplit(again).query).items()} == ASKED


@pytest.mark.parametrize("fields", [{"client_id": "nobody"}, {"redirect_uri": "https://evil.example/"}])
def test_nobody_is_sent_to_an_address_that_is_not_the_application_s(
    program: Program, fields: dict[str, str]
) -> None:
    shown = program.wire.ask("GET", program.page(**fields))
    assert (shown.status, shown.headers["Location"]) == (400, None)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"scope": "everything"}, "invalid_scope"),
    ],
)
def test_a_malformed_request_is_told_to_the_application(
    program: Program, fields: dict[str, str], error: str
) -> None:
    told = back(program.wire.ask("GET", program.page(**fields)))
    assert (told["error"], told["state"]) == (error, "a state & more")


def test_a_state_comes_back_as_it_was_sent_even_when_it_is_refused(program: Program) -> None:
    told = back(program.wire.ask("GET", program.page(state="s" * 2_049)))
    assert (told["error"], told["state"]) == ("invalid_request", "s" * 2_049)


def test_a_field_is_sent_once(program: Program) -> None:
    assert program.wire.ask("GET", program.page() + "&scope=read&scope=all").status == 400


def test_a_form_from_elsewhere_approves_nothing(program: Program) -> None:
    path = program.page()
    token = program.wire.token(path)
    sent = urlencode({"token": token, "answer": "approve"})
    assert program.wire.ask("POST", path, sent, Origin="https://evil.example").status == 403
    assert program.wire.post(path, token="0" * 64, answer="approve").status == 403


def test_renewed_and_revoked(program: Program) -> None:
    issued = program.exchange(program.code())[1]
    sent = {"grant_type": "refresh_token", "client_id": "novem-cli", "refresh_token": issued["refresh_token"]}
    assert program.post("/oauth/token", {**sent, "scope": "read"})[1]["error"] == "invalid_scope"
    status, again, _ = program.post("/oauth/token", sent)
    assert status == 200
    assert program.ask(issued["access_token"], "whoami")[0] == 401
    assert program.ask(again["access_token"], "whoami")[0] == 200
    gone = {"client_id": "novem-cli", "token": again["refresh_token"], "token_type_hint": "refresh_token"}
    assert program.post("/oauth/revoke", gone)[:2] == (200, {})
    assert program.post("/oauth/revoke", gone)[:2] == (200, {})
    assert program.ask(again["access_token"], "whoami")[0] == 401


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ("", "invalid_request"),
        ("grant_type=password&client_id=novem-cli", "unsupported_grant_type"),
        ("grant_type=authorization_code", "invalid_request"),
        ("grant_type=authorization_code&client_id=x&code=x&code_verifier=x", "invalid_client"),
        ("grant_type=authorization_code&client_id=novem-cli&code=x&code_verifier=x", "invalid_grant"),
        ("grant_type=authorization_code&client_id=novem-cli&code=&code_verifier=x", "invalid_request"),
        ("grant_type=refresh_token&client_id=novem-cli&refresh_token=x", "invalid_grant"),
        ("grant_type=refresh_token&grant_type=refresh_token", "invalid_request"),
        ("grant_type=%ff", "invalid_request"),
        ("&".join(f"a{number}=1" for number in range(50)), "invalid_request"),
        ("x" * 20_000, "invalid_request"),
    ],
)
def test_errors_have_the_standard_s_shape(program: Program, sent: str, error: str) -> None:
    status, told, headers = program.post("/oauth/token", sent)
    assert (status, told["error"]) == (400, error)
    assert set(told) == {"error", "error_description"}
    assert headers["Content-Type"] == "application/json"


def test_json_is_no_form(program: Program) -> None:
    assert program.post("/oauth/token", "{}", Content_Type="application/json")[0] == 400


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_the_endpoints_are_posted_to(program: Program, path: str) -> None:
    assert program.wire.ask("GET", path).status == 405
    answer = program.wire.ask("OPTIONS", path)
    assert (answer.status, answer.headers["Allow"]) == (204, "POST, OPTIONS")


def test_the_service_describes_itself(program: Program) -> None:
    told = json.loads(program.wire.ask("GET", "/.well-known/oauth-authorization-server").body)
    origin = program.server.origin
    assert told["issuer"] == origin
    assert told["token_endpoint"] == f"{origin}/oauth/token"
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["scopes_supported"] == ["all", "read", "vis", "code"]


def test_applications_never_reach_tokens_or_invitations(program: Program) -> None:
    token = program.exchange(program.code())[1]["access_token"]
    for path in ("admin/tokens", "admin/invites", "admin/applications"):
        assert program.ask(token, path)[0] == 403, path
    name = json.loads(program.ask(token, "token")[1])["token_name"]
    assert program.ask(token, f"admin/tokens/{name}", "DELETE")[0] == 403
    assert program.ask(token, "admin/profile/name")[0] == 200
    assert program.ask(token, "vis/plots/waders", "PUT")[0] == 201
    assert program.ask(token, "code/jobs/count", "PUT")[0] == 201
    assert program.ask(token, "code/jobs/count/config/chains", "POST", b"a -> b")[0] == 403
    assert program.ask(token, "code/jobs/count/config/env/KEY", "PUT")[0] == 403
    assert program.ask(token, "code/jobs/count/config/access", "POST", b"global")[0] == 403


def test_scopes_narrow_what_an_application_does(program: Program) -> None:
    name = program.owner.name
    program.server.ask("PUT", "vis/plots/waders", who=name)
    program.server.ask("PUT", "code/jobs/count", who=name)
    tokens = {
        scope: program.exchange(program.code(scope=scope))[1]["access_token"]
        for scope in ("read", "vis", "code")
    }
    expected = {"read": (200, 403, 200, 403), "vis": (200, 200, 404, 404), "code": (404, 404, 200, 200)}
    for scope, token in tokens.items():
        found = []
        for at in ("vis/plots/waders/summary", "code/jobs/count/summary"):
            found += [program.ask(token, at)[0], program.ask(token, at, "POST", b"x")[0]]
        assert tuple(found) == expected[scope], scope
        assert ("waders" in program.ask(token, "vis/plots")[1]) is (expected[scope][0] == 200), scope
        assert ("count" in program.ask(token, "code/jobs")[1]) is (expected[scope][2] == 200), scope
        assert program.ask(token, "admin/profile/name")[0] == 403
        assert program.ask(token, "whoami") == (200, name)
    assert program.ask(tokens["vis"], "vis/plots/new", "PUT")[0] == 201
    assert program.ask(tokens["vis"], "code/jobs/new", "PUT")[0] == 403
    assert program.ask(tokens["read"], "vis/plots/other", "PUT")[0] == 403
    assert program.ask(tokens["code"], "code/jobs/new", "PUT")[0] == 201


def test_a_person_registers_an_application(program: Program) -> None:
    name, ask = program.owner.name, program.server.ask
    ask("PUT", "admin/applications/birds", who=name)
    assert ask("GET", "admin/applications/birds/client_id", who=name) == f"@{name}~birds"
    ask("POST", "admin/applications/birds/name", b"Bird counter", who=name)
    ask("POST", "admin/applications/birds/description", b"counts birds", who=name)
    ask("POST", "admin/applications/birds/redirects", b"https://birds.example/back\n", who=name)
    ask("POST", "admin/applications/birds/scopes", b"vis read", who=name)
    assert ask("GET", "admin/applications/birds/scopes", who=name) == "read vis"
    with pytest.raises(HTTPError):
        ask("POST", "admin/applications/birds/redirects", b"http://birds.example/", who=name)
    client, address = f"@{name}~birds", "https://birds.example/back"
    shown = program.wire.ask("GET", program.page(client_id=client, redirect_uri=address)).body
    assert "Bird counter" in shown and f"@{name}" in shown and "Nobody here vouches" in shown
    flawed = program.page(client_id=client, redirect_uri=address, scope="everything")
    refused = program.wire.ask("GET", flawed)  # a link to this service leads to no address of a user's
    assert (refused.status, refused.headers["Location"]) == (200, None)
    assert "Nothing was connected" in refused.body
    code = program.code(client_id=client, redirect_uri=address)
    issued = program.exchange(code, client_id=client, redirect_uri=address)[1]
    assert issued["scope"] == "read"
    ask("DELETE", "admin/applications/birds", who=name)
    assert program.ask(issued["access_token"], "whoami")[0] == 401
    assert ask("GET", "admin/applications", who=name) == []
