"""The page of tokens and keys: made with the password, shown once, revoked after one question."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PAGE = "/settings/tokens"


def test_a_token_is_shown_once_and_works_until_it_is_revoked(web_user: WebUser, owner: Owner) -> None:
    page, server = web_user.page, web_user.server
    web_user.open(PAGE)
    web_user.sign_in(owner.name)
    page.fill("#f-token_name", "laptop")
    page.fill("#f-about", "my laptop")
    page.fill("#f-password", "not my password")
    web_user.press("button[value=make]")
    assert page.inner_text("#w-password") == "It is wrong."
    assert (page.input_value("#f-token_name"), page.input_value("#f-about")) == ("laptop", "my laptop")
    page.fill("#f-password", server.password(owner.name))
    web_user.press("button[value=make]")
    value = page.inner_text(".secret code")
    request = Request(f"{server.root}token", headers={"Authorization": f"Bearer {value}"})
    with urlopen(request) as response:
        assert json.load(response)["token_name"] == "laptop"
    web_user.press("a:text-is('Done')")
    assert value not in page.content()
    assert "my laptop" in web_user.text()
    web_user.confirm("Revoke laptop")
    assert "The token is revoked" in web_user.text()
    assert page.locator("code:text-is('laptop')").count() == 0


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"token_name": "Not A Name"}, "w-token_name"),
        ({"token_name": "made-by-hand"}, "w-token_name"),
        ({"ends": "day", "day": "2001-01-01"}, "w-day"),
        ({"ends": "day"}, "w-day"),
        ({"item": "all"}, "w-item"),
        ({"item": "/u/nobody/p/none", "part": "read"}, "w-item"),
    ],
)
def test_a_refusal_is_shown_at_its_field(server: Server, fields: dict[str, str], at: str) -> None:
    wire = Wire(owner := Owner(server, Path()))
    sent = {"token": wire.token(PAGE), "do": "make", "password": server.password(owner.name), **fields}
    refused = wire.post(PAGE, **sent)
    assert refused.status in (400, 409)
    assert f'id="{at}"' in refused.body


def test_a_token_has_only_the_ticked_permissions_on_the_named_item(server: Server) -> None:
    wire = Wire(owner := Owner(server, Path()))
    server.ask("PUT", "code/jobs/nightly", who=owner.name)
    sent = {
        "token": wire.token(PAGE),
        "do": "make",
        "token_name": "narrow",
        "may vis": "yes",
        "part": "jobs:run",
    }
    wrong = wire.post(PAGE, **sent, item=f"{server.origin}/u/{owner.name}/j/nightly", password="wrong")
    assert re.search('name="may vis" value="yes" checked', wrong.body), "a second try makes no wider token"
    assert re.search('<option value="jobs:run" selected', wrong.body)
    made = wire.post(
        PAGE, **sent, item=f"{server.origin}/u/{owner.name}/j/nightly", password=server.password(owner.name)
    )
    scopes = ["vis", f"jobs:run:/u/{owner.name}/j/nightly"]
    assert all(f"<code>{scope}</code>" in made.body for scope in scopes)
    assert server.ask("GET", "admin/tokens/narrow/info", who=owner.name)["scopes"] == scopes


def test_a_key_is_added_and_removed_and_none_stays_where_it_is_refused(server: Server) -> None:
    wire = Wire(owner := Owner(server, Path()))
    token = wire.token(PAGE)
    refused = wire.post(PAGE, token=token, do="key", title="My laptop", key="ssh-ed25519 nonsense")
    assert refused.status == 400
    assert 'id="w-key"' in refused.body and "My laptop" in refused.body
    assert server.ask("GET", "admin/keys", who=owner.name) == []
    assert wire.post(PAGE, token=token, do="key", title="x", key="").status == 400


@pytest.mark.parametrize("fields", [{"do": "else"}, {"do": "revoke"}, {"do": "unkey"}])
def test_an_empty_form_is_refused(server: Server, fields: dict[str, str]) -> None:
    wire = Wire(Owner(server, Path()))
    assert wire.post(PAGE, token=wire.token(PAGE), **fields).status == 400
