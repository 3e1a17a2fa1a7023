"""The endpoints of applications on the wire, from the page to the end of a connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.handlers.oauth.program import Program, back
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


def test_an_approval_becomes_a_token_in_the_list(program: Program) -> None:
    query = back(program.answer())
    assert query["state"] == "a state & more"
    assert query["iss"] == program.server.origin
    status, issued, headers = program.exchange(query["code"])
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


def test_a_state_comes_back_as_it_was_sent_even_when_it_is_refused(program: Program) -> None:
    query = back(program.wire.ask("GET", program.page(state="s" * 2_049)))
    assert (query["error"], query["state"]) == ("invalid_request", "s" * 2_049)


def test_a_field_is_sent_once(program: Program) -> None:
    assert program.wire.ask("GET", program.page() + "&scope=read&scope=all").status == 400


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
    status, body, headers = program.post("/oauth/token", sent)
    assert (status, body["error"]) == (400, error)
    assert set(body) == {"error", "error_description"}
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_the_endpoints_are_posted_to(program: Program, path: str) -> None:
    assert program.wire.ask("GET", path).status == 405
    answer = program.wire.ask("OPTIONS", path)
    assert (answer.status, answer.headers["Allow"]) == (204, "POST, OPTIONS")


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
