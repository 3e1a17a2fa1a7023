"""The page of a job's hooks: each form without scripts, and the page for readers."""

from __future__ import annotations

import re
from html import unescape
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.handlers.pages.owning.test_owning_pages import follow, send
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire


def hooks_of(owner: Owner, name: str, chain: str = "") -> str:
    """The page of the hooks of a new job."""
    return f"{owner.job(name, chain).removeprefix(owner.server.origin)}/hooks"


def call(address: str) -> int:
    """The status of the answer to a call."""
    request = Request(address, b"{}", {"Content-Type": "application/json"})
    try:
        with urlopen(request) as answer:
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code


def made(wire: Wire, page: str, name: str) -> str:
    """The address of a new hook, which the page shows once."""
    answer = send(wire, page, do="make", hook=name)
    found = re.search(r'data-copy="the address">([^<]+)<', answer.body)
    assert answer.status == 200 and found is not None
    assert re.search(r'data-copy="the secret">whsec_[^<]+<', answer.body)
    assert "no-store" in answer.headers["Cache-Control"]
    address = unescape(found[1])
    assert f"curl -H 'Content-Type: application/json' -d '{{\"hello\": \"hook\"}}' {address}" in unescape(
        answer.body
    )
    assert address not in wire.ask("GET", page).body
    return address


def test_a_hook_is_made_called_checked_and_ended(wire: Wire, owner: Owner) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = hooks_of(owner, "hooked", "fetch")
    assert "No hooks yet." in wire.ask("GET", page).body
    address = made(wire, page, "From the shop")
    assert call(address) == 202
    shown = wire.ask("GET", page).body
    assert "1 call," in shown and re.search(
        r'<td>202</td>.*<a href="[^"]*/hooked/[0-9-]+[0-9a-f]+">the run', shown
    )
    fields = {"name": "from_the_shop", "do": "check"}
    for wrong, why in (
        ({"signature": "github", "headers": "Cookie"}, "Cookie is a credential"),
        ({"signature": "standard", "secret": "ä", "headers": "X-Event"}, "takes a secret in Base64"),
    ):
        refused = send(wire, page, **{"secret": "", **fields, **wrong})
        assert refused.status == 400 and why in unescape(refused.body) and "ä" not in refused.body
        assert call(address) == 202
    response = send(wire, page, **fields, signature="github", secret="", headers="X-Event")
    assert "The next call is checked this way" in follow(wire, response).body
    assert call(address) == 403
    shown = wire.ask("GET", page).body
    assert "the call has no signature" in shown and "headers kept: X-Event" in shown
    owner.write("jobs/hooked/config/enabled", "no")
    assert "This job is paused" in wire.ask("GET", page).body
    assert "The hook is deleted" in follow(wire, send(wire, page, do="end", name="from_the_shop")).body
    assert call(address) == 404
    assert send(wire, page, do="make", hook="/").status == 400


def test_readers_see_hooks_and_change_none(wire: Wire, owner: Owner) -> None:
    other = Owner(owner.server, owner.scratch)
    page = hooks_of(owner, "seen")
    made(wire, page, "form")
    owner.put(f"jobs/seen/shared/@{other.name}~r")
    theirs = Wire(other)
    shown = theirs.ask("GET", page).body
    assert 'id="hook-form"' in shown and 'value="make"' not in shown and 'value="end"' not in shown
    assert send(theirs, page, do="end", name="form").status == 403
    assert theirs.ask("GET", hooks_of(owner, "hidden")).status == 404
