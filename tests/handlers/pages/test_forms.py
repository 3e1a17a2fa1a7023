"""Requests that a page accepts, and headers that it sends: tokens, origins, policies, errors."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import FORM, Wire
from tests.kit.server import Server

FORBIDDEN = r"<script(?![^>]* src=)|<style|<[^<>]* style=|<[^<>]* on[a-z]+=|<[^<>]*javascript:"
"""Code that the policy of pages refuses, in tags alone: texts of users may contain it."""


@pytest.fixture
def page(owner: Owner) -> str:
    owner.image("slow", "SLEEP=30")
    return owner.job("letters", "slow").removeprefix(owner.server.origin)


def runs(owner: Owner) -> int:
    return len(owner.read("jobs/letters/runs"))


def test_a_form_with_its_token_from_its_own_page_is_taken(wire: Wire, owner: Owner, page: str) -> None:
    answer = wire.post(page, do="run", token=wire.token(page))
    assert answer.status == 303
    assert answer.headers["Location"].startswith(page + "/")
    assert runs(owner) == 1
    run = answer.headers["Location"]
    assert wire.post(run, do="cancel", token=wire.token(run)).status == 303


def test_a_form_without_its_token_is_refused(wire: Wire, owner: Owner, page: str) -> None:
    for token in ("", "0" * 64, wire.token(page)[:-1]):
        answer = wire.post(page, do="run", token=token)
        assert answer.status == 403
        assert "Nothing was changed" in answer.body
    assert runs(owner) == 0


def test_the_token_of_another_session_is_refused(wire: Wire, owner: Owner, page: str) -> None:
    token = Wire(owner).token(page)
    assert wire.post(page, do="run", token=token).status == 403
    assert runs(owner) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": "{own}"},
        {"Sec_Fetch_Site": "none"},
    ],
    ids=str,
)
def test_a_form_of_another_site_is_refused(
    wire: Wire, owner: Owner, page: str, headers: dict[str, str]
) -> None:
    body = urlencode({"do": "run", "token": wire.token(page)})
    sent = {name: value.replace("{own}", wire.origin) for name, value in headers.items()}
    assert wire.ask("POST", page, body, **sent).status == 403
    assert runs(owner) == 0


def test_nobody_is_signed_in_from_another_site(wire: Wire, owner: Owner) -> None:
    body = urlencode({"username": owner.name, "password": owner.server.password(owner.name)})
    answer = wire.ask("POST", "/login", body, cookie="", Origin="https://evil.example")
    assert answer.status == 403
    assert "Set-Cookie" not in answer.headers


def test_too_many_tries_are_refused_with_a_time_to_try_again(wire: Wire, owner: Owner) -> None:
    body = urlencode({"username": owner.name, "password": "a guess"})
    tried = [wire.ask("POST", "/login", body, cookie="") for _ in range(11)]
    assert [answer.status for answer in tried] == [401] * 10 + [429]
    assert 0 < int(tried[-1].headers["Retry-After"]) <= 60


def test_without_a_session_a_form_leads_to_the_sign_in_page(wire: Wire, owner: Owner, page: str) -> None:
    body = urlencode({"do": "run", "token": wire.token(page)})
    answer = wire.ask("POST", page, body, cookie="", Origin=wire.origin)
    assert answer.status in (303, 403)
    assert runs(owner) == 0


def test_the_api_takes_no_form_from_a_session(wire: Wire, owner: Owner, page: str) -> None:
    body = urlencode({"token": wire.token(page)})
    for path in (f"/v1/users/{owner.name}/code/jobs/letters/data", "/v1/code/jobs/letters/config/chains"):
        answer = wire.ask("POST", path, body, Origin=wire.origin)
        assert answer.status == 415
        assert answer.headers["Content-Type"] == "application/problem+json"
    assert runs(owner) == 0


@pytest.mark.parametrize(
    "kind, body, status",
    [
        ("application/json", "{}", 415),
        (FORM, "do=dance&token={token}", 400),
        (FORM, "do=%ff", 400),
        (FORM, "&".join(f"f{number}=1" for number in range(80)), 400),
        ("multipart/form-data", "", 400),
        ("multipart/form-data; boundary=x", "--y\r\n", 400),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=do\r\n\r\nrun", 400),
        (
            "multipart/form-data; boundary=x",
            "--x\r\nContent-Disposition: form-data; name=do\r\n\r\nrun\r\n--x--",
            403,
        ),
    ],
)
def test_an_odd_form_is_refused(
    wire: Wire, owner: Owner, page: str, kind: str, body: str, status: int
) -> None:
    sent = body.replace("{token}", wire.token(page))
    answer = wire.ask("POST", page, sent, Content_Type=kind, Origin=wire.origin)
    assert answer.status == status
    assert answer.headers["Content-Type"].startswith("text/html")
    assert runs(owner) == 0


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_page_is_read_and_takes_forms_alone(wire: Wire, page: str, method: str) -> None:
    answer = wire.ask(method, page, Origin=wire.origin, Sec_Fetch_Site="same-origin")
    assert answer.status == 405
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))


def test_a_page_names_its_methods(wire: Wire, page: str) -> None:
    for path, methods in ((page, "GET, HEAD, POST, OPTIONS"), ("/logout", "POST, OPTIONS"), ("/login", None)):
        answer = wire.ask("OPTIONS", path, cookie="")
        assert (answer.status, answer.headers["Allow"]) == (204, methods or "GET, HEAD, POST, OPTIONS")
    answer = wire.ask("HEAD", page)
    assert (answer.status, answer.body) == (200, "")


def test_every_page_has_a_strict_policy_and_keeps_to_it(wire: Wire, owner: Owner, page: str) -> None:
    run = wire.post(page, do="run", token=wire.token(page)).headers["Location"]
    for path in ("/", "/login", page, run, f"/u/{owner.name}/j/nothing"):
        for cookie in (wire.cookie, ""):
            answer = wire.ask("GET", path, cookie=cookie)
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; ")
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "same-origin"
            assert "Cookie" in answer.headers["Vary"]
            assert re.findall(FORBIDDEN, answer.body) == []
    wire.post(run, do="cancel", token=wire.token(run))


def test_a_session_that_is_dead_is_taken_from_the_browser(wire: Wire, page: str) -> None:
    answer = wire.ask("GET", page, cookie="curlew_session=clw_dead")
    assert answer.status == 303
    assert answer.headers["Location"] == f"/login?next={page}"
    assert "Max-Age=0" in answer.headers["Set-Cookie"]


def test_curl_gets_errors_as_problem_documents(wire: Wire, owner: Owner, page: str) -> None:
    for path, cookie, status in ((page, "", 401), (page + "x", wire.cookie, 404), ("/nowhere", "", 404)):
        answer = wire.ask("GET", path, cookie=cookie, Accept="*/*")
        assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")
    assert wire.ask("GET", page, Accept="*/*").headers["Content-Type"].startswith("text/html")


def test_the_api_answers_no_html(wire: Wire, owner: Owner) -> None:
    for path in ("/v1/code/jobs", "/v1/nothing", f"/v1/users/{owner.name}/code/jobs/none"):
        assert "html" not in wire.ask("GET", path).headers["Content-Type"]
    assert "html" not in wire.ask("GET", "/", Accept="*/*").headers["Content-Type"]


def test_style_and_script_are_kept_by_their_version(wire: Wire) -> None:
    page = wire.ask("GET", "/login", cookie="").body
    paths = re.findall(r'"(/static/[^"]+)"', page)
    assert len(paths) >= 3
    for path in paths:
        answer = wire.ask("GET", path, cookie="")
        assert answer.status == 200
        assert "immutable" in answer.headers["Cache-Control"]
        again = wire.ask("GET", path.partition("?")[0], cookie="", If_None_Match=answer.headers["ETag"])
        assert (again.status, again.body) == (304, "")
    assert wire.ask("GET", "/static/other.css", cookie="").status == 404
    assert wire.ask("POST", "/static/page.css", "a=b", Origin=wire.origin).status == 405


def test_a_token_serves_in_place_of_a_session(server: Server, wire: Wire, owner: Owner, page: str) -> None:
    bearer = f"Bearer {server.tokens[owner.name]}"
    assert "letters" in wire.ask("GET", page, cookie="", Authorization=bearer).body
