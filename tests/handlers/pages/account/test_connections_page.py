"""The page of connected applications: who sees it, what it says, and the end of a connection."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.oauth.program import Program
from tests.handlers.pages.visitor import Owner, Visitor
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/connections"


@pytest.fixture
def program(server: Server) -> Program:
    owner = Owner(server, Path())
    return Program(owner, Wire(owner))


def connect(program: Program, scope: str) -> tuple[str, str]:
    """The token of a new connection, and its name."""
    token = str(program.exchange(program.code(scope=scope))[1]["access_token"])
    return token, str(json.loads(program.ask(token, "token")[1])["token_name"])


def test_a_connection_is_ended_alone_after_one_question(visitor: Visitor, program: Program) -> None:
    (first, name), (other, _) = connect(program, "read"), connect(program, "code")
    visitor.open(PAGE)
    visitor.sign_in(program.owner.name)
    visitor.open(f"/u/{program.owner.name}")
    visitor.press('a[href="/connections"]')
    said = visitor.text()
    for words in (
        "the command line",
        "read the visualisations",
        "and run jobs",
        "connected",
        "ends",
    ):
        assert words in said
    assert "do all that you can do" not in said
    visitor.page.click(f'section[aria-labelledby^="c-{name} "] summary')
    visitor.press(f'section[aria-labelledby^="c-{name} "] button')
    assert "The application is disconnected" in visitor.text()
    assert (program.ask(first, "whoami")[0], program.ask(other, "whoami")[0]) == (401, 200)
    assert visitor.page.locator(f"#c-{name}").count() == 0


@pytest.mark.parametrize("page", [PAGE, "/oauth/authorize"])
def test_it_and_the_question_are_accessible(
    window: Callable[..., Visitor], program: Program, page: str
) -> None:
    connect(program, "read")
    connect(program, "code")
    visitor = window()
    visitor.sign_in(program.owner.name)
    visitor.open(page if page == PAGE else program.page())
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"], "preload": False})
    assert [(one["id"], one["nodes"]) for one in found.response["violations"]] == []


def test_whoever_is_not_signed_in_is_asked_to(program: Program) -> None:
    shown = program.wire.ask("GET", PAGE, cookie="")
    assert (shown.status, shown.headers["Location"]) == (303, "/login?next=/connections")


def test_applications_see_no_connections(program: Program) -> None:
    token, _ = connect(program, "all")
    assert program.wire.ask("GET", PAGE, cookie="", Authorization=f"Bearer {token}").status == 403
    assert "No application is connected" not in program.wire.ask("GET", PAGE).body


@pytest.mark.parametrize("fields", [{"do": "disconnect"}, {"do": "else", "name": "x"}])
def test_a_form_that_says_nothing_is_refused(program: Program, fields: dict[str, str]) -> None:
    connect(program, "read")
    assert program.wire.post(PAGE, token=program.wire.token(PAGE), **fields).status == 400


def test_nobody_disconnects_what_is_another_s(program: Program, server: Server) -> None:
    token, name = connect(program, "read")
    owner = Owner(server, Path())
    other = Program(owner, Wire(owner))
    connect(other, "read")
    sent = {"token": other.wire.token(PAGE), "do": "disconnect", "name": name}
    assert other.wire.post(PAGE, **sent).status == 404
    assert program.ask(token, "whoami")[0] == 200
    assert "No application is connected" in Wire(Owner(server, Path())).ask("GET", PAGE).body
