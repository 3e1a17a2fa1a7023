"""Typed text outlives its session: it is shown, and sent after signing in again."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

import pytest

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Answer, Wire

TYPED = 'one line\nand "another" <b>one</b>'


@pytest.fixture
def page(owner: Owner) -> str:
    owner.image("echo", "COPY=.")
    return owner.job("kept", "echo", config__options__stdin="optional").removeprefix(owner.server.origin)


def fields(body: str) -> dict[str, str]:
    """The fields of the form in the main part of a page."""
    form = re.search(r'<form method="post"[^>]*>(.*?)</form>', body.partition("<main")[2], re.S)
    assert form is not None
    found = re.findall(r'<input[^>]* name="([^"]*)" value="([^"]*)"', form[1])
    found += re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>', form[1], re.S)
    return {unescape(name): unescape(value) for name, value in found}


def sent(wire: Wire, path: str, fields: dict[str, str], cookie: str | None = None) -> Answer:
    return wire.ask("POST", path, urlencode(fields), cookie=cookie, Origin=wire.origin)


def runs(owner: Owner) -> int:
    return len(owner.read("jobs/kept/runs"))


@pytest.mark.parametrize("cookie", ["", "curlew_session=clw_dead"])
def test_a_text_survives_the_end_of_its_session(wire: Wire, owner: Owner, page: str, cookie: str) -> None:
    form = {"do": "run", "stdin": TYPED, "token": wire.token(page)}
    kept = sent(wire, page, form, cookie)
    assert kept.status == 403
    assert "Your session ended" in kept.body and "<b>one</b>" not in kept.body
    assert ("Max-Age=0" in kept.headers.get("Set-Cookie", "")) == bool(cookie)
    form_fields = fields(kept.body)
    assert form_fields["kept.stdin"] == TYPED and "kept.token" not in form_fields

    wrong = sent(wire, "/login", {**form_fields, "username": owner.name, "password": "a guess"}, "")
    assert wrong.status == 401 and fields(wrong.body)["kept.stdin"] == TYPED

    name = {"username": owner.name, "password": owner.server.password(owner.name)}
    signed = sent(wire, "/login", {**form_fields, **name}, "")
    assert signed.status == 200 and f"Send it as @{owner.name}" in signed.body
    assert runs(owner) == 0
    session = signed.headers["Set-Cookie"].partition(";")[0]
    again = fields(signed.body)
    assert again["stdin"] == TYPED and not {"password", "username"} & set(again)
    done = sent(wire, page, again, session)
    assert done.status == 303 and runs(owner) == 1


def test_the_form_of_an_earlier_session_is_sent_on_by_its_sender(wire: Wire, owner: Owner, page: str) -> None:
    kept = sent(wire, page, {"do": "run", "stdin": TYPED, "token": Wire(owner).token(page)})
    assert kept.status == 403 and runs(owner) == 0
    assert sent(wire, page, fields(kept.body)).status == 303
    assert runs(owner) == 1


def test_secrets_are_not_sent_back(wire: Wire, page: str) -> None:
    kept = sent(wire, page, {"do": "run", "new_password": "do not show", "token": ""}, "")
    assert "do not show" not in kept.body


def test_a_text_too_long_to_be_kept_is_shown_for_copying(wire: Wire, page: str) -> None:
    kept = sent(wire, page, {"do": "run", "stdin": "x" * 600_000, "token": ""}, "")
    assert "copy it" in kept.body and "x" * 600_000 in kept.body and 'action="/login"' not in kept.body


def test_a_form_leads_nowhere_else(wire: Wire, owner: Owner) -> None:
    name = {"username": owner.name, "password": owner.server.password(owner.name)}
    answer = sent(wire, "/login", {**name, "kept to": "//evil.example/x", "kept.do": "run"}, "")
    assert answer.status == 400 or 'action="/' in answer.body
    assert "evil.example" not in answer.body.partition('action="')[2].partition('"')[0].lstrip("/") or (
        'action="//' not in answer.body
    )


def test_a_client_other_than_a_browser_gets_a_problem_document(wire: Wire, page: str) -> None:
    answer = wire.ask("POST", page, "do=run", cookie="", Accept="*/*", Origin=wire.origin)
    assert (answer.status, answer.headers["Content-Type"]) == (403, "application/problem+json")
