"""The page of sign-in: the password, sessions, and connected applications."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from handlers.pages.settings.signin_page import client_words
from tests.handlers.oauth.program import Program
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/settings/signin"


@pytest.fixture
def program(server: Server) -> Program:
    owner = Owner(server, Path())
    return Program(owner, Wire(owner))


def connect(program: Program, scope: str) -> tuple[str, str]:
    """Return the token and the name of a new connection."""
    token = str(program.exchange(program.code(scope=scope))[1]["access_token"])
    return token, str(json.loads(program.ask(token, "token")[1])["token_name"])


def test_a_connection_is_ended_alone_after_one_question(web_user: WebUser, program: Program) -> None:
    (first, name), (other, _) = connect(program, "read"), connect(program, "code")
    web_user.open(PAGE)
    web_user.sign_in(program.owner.name)
    said = web_user.text()
    for words in (
        "the command line",
        "read the visualisations",
        "and run jobs",
        "connected",
        "ends",
    ):
        assert words in said
    assert "do all that you can do" not in said
    web_user.page.click(f'[id="c-{name}"] summary')
    web_user.press(f'[id="c-{name}"] button.danger')
    assert "The application is disconnected" in web_user.text()
    assert (program.ask(first, "whoami")[0], program.ask(other, "whoami")[0]) == (401, 200)
    assert web_user.page.locator(f'[id="c-{name}"]').count() == 0


@pytest.mark.parametrize("page", [PAGE, "/oauth/authorize"])
def test_it_and_the_question_are_accessible(
    window: Callable[..., WebUser], program: Program, page: str
) -> None:
    connect(program, "read")
    connect(program, "code")
    web_user = window()
    web_user.sign_in(program.owner.name)
    web_user.open(page if page == PAGE else program.page())
    found = Axe().run(web_user.page, options={"resultTypes": ["violations"], "preload": False})
    assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == []


def test_a_visitor_without_a_session_is_asked_to_sign_in(program: Program) -> None:
    shown = program.wire.ask("GET", PAGE, cookie="")
    assert (shown.status, shown.headers["Location"]) == (303, "/login?next=/settings/signin")


def test_applications_see_no_connections(program: Program) -> None:
    token, _ = connect(program, "all")
    assert program.wire.ask("GET", PAGE, cookie="", Authorization=f"Bearer {token}").status == 403
    assert "None. A program" not in program.wire.ask("GET", PAGE).body


@pytest.mark.parametrize("fields", [{"do": "disconnect"}, {"do": "else", "name": "x"}])
def test_an_empty_form_is_refused(program: Program, fields: dict[str, str]) -> None:
    connect(program, "read")
    assert program.wire.post(PAGE, token=program.wire.token(PAGE), **fields).status == 400


def test_nobody_disconnects_an_application_of_another_user(program: Program, server: Server) -> None:
    token, name = connect(program, "read")
    owner = Owner(server, Path())
    other = Program(owner, Wire(owner))
    connect(other, "read")
    sent = {"token": other.wire.token(PAGE), "do": "disconnect", "name": name}
    assert other.wire.post(PAGE, **sent).status == 404
    assert program.ask(token, "whoami")[0] == 200
    assert "None. A program" in Wire(Owner(server, Path())).ask("GET", PAGE).body


def test_the_password_is_changed_by_the_present_one_and_the_session_stays(
    web_user: WebUser, owner: Owner
) -> None:
    page, new = web_user.page, "a new word for the reeds"
    web_user.open(PAGE)
    web_user.sign_in(owner.name)
    before = web_user.cookie()["value"]
    for present, word, wrong in (
        ("not my password", new, "w-password"),
        (web_user.server.password(owner.name), "password1234", "w-new_password"),
    ):
        page.fill("#f-password", present)
        page.fill("#f-new_password", word)
        web_user.press("button[value=password]")
        assert page.locator(f"#{wrong}").count() == 1
    page.fill("#f-password", web_user.server.password(owner.name))
    page.fill("#f-new_password", new)
    web_user.press("button[value=password]")
    assert "The password is changed" in web_user.text()
    assert web_user.cookie()["value"] != before
    assert web_user.open(PAGE) == 200
    assert "this one" in web_user.text()


def test_sessions_are_listed_and_ended(window: Callable[..., WebUser], owner: Owner, scripts: bool) -> None:
    here, there, further = (window(java_script_enabled=scripts) for _ in range(3))
    for one in (here, there, further):
        one.open(PAGE)
        one.sign_in(owner.name)
    here.open(PAGE)
    assert here.page.locator("#sessions ~ ul > li").count() == 3
    assert "on Linux" in here.page.inner_text("#sessions ~ ul > li:first-child")
    here.press("#sessions ~ ul > li:nth-child(2) button")
    assert "The session has ended" in here.text()
    here.press("text=Sign out everywhere else")
    assert here.page.locator("#sessions ~ ul > li").count() == 1
    for one in (there, further):
        one.open(PAGE)
        assert "/login" in one.page.url


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "signed in with Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        ),
        (
            "signed in with Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "signed in with Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        ("signed in with Mozilla/5.0 (X11; Linux x86_64)", "A browser on Linux"),
        ("signed in with curl/8.0", "curl/8.0"),
        ("", "A client"),
    ],
)
def test_clients_are_named_in_words(said: str, words: str) -> None:
    assert client_words(said) == words
