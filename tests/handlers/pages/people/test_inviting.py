"""From a refused share to a shared item, and from a link to an account, by forms without scripts."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.handlers.pages.owning.test_owning_pages import follow, names, read, send, undo
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire


@pytest.fixture
def page(painter: Painter) -> str:
    return painter.make("plots/sales", data="a,b\nx,1\n", name="Sales")


@pytest.mark.parametrize("exists", [True, False])
def test_a_refused_share_asks_waits_and_begins(wire: Wire, owner: Owner, page: str, exists: bool) -> None:
    who = Owner(owner.server, owner.scratch).name if exists else "nobody-at-all"
    if exists:
        owner.server.ask("POST", "admin/profile/public", b"no", who)
    refused = send(wire, f"{page}/share", do="share", to=f" {who.upper()}", may="rw")
    assert refused.status == 404
    assert f"You cannot share with @{who} yet" in refused.body and f">Invite @{who}</button>" in refused.body
    assert f'name="to" value="@{who}"' in refused.body and 'name="may" value="rw"' in refused.body
    response = follow(wire, send(wire, f"{page}/share", do="ask", to=f"@{who}", may="rw"))
    assert f"Asked @{who}. The share begins as soon as @{who} accepts." in response.body
    assert f"may edit as soon as @{who} accepts" in response.body
    taken = undo(wire, response)
    assert f"The share with @{who} is withdrawn." in taken.body and "accepts" not in taken.body
    assert f"@{who} accepts" in undo(wire, taken).body
    assert names(owner, "vis/plots/sales/shared") == []
    listed = wire.ask("GET", "/invite").body
    assert f"<strong>@{who}</strong>" in listed and "no answer yet" in listed
    if exists:
        owner.server.ask("POST", f"admin/invites/@{owner.name}/accept", b"yes", who)
        assert names(owner, "vis/plots/sales/shared") == [f"@{who}~rw"]
    else:
        gone = follow(wire, send(wire, "/invite", do="withdraw", name=who))
        assert f"Your request to @{who} is withdrawn." in gone.body
        assert "accepts" not in wire.ask("GET", f"{page}/share").body


def test_groups_and_connected_people_are_chosen_from_a_list(wire: Wire, owner: Owner, page: str) -> None:
    other = Owner(owner.server, owner.scratch).name
    crew = f"@{owner.name}~crew"
    owner.server.ask("PUT", "admin/groups/crew", who=owner.name)
    owner.server.ask("POST", "admin/groups/crew/profile/name", b"The crew", owner.name)
    owner.server.ask("PUT", f"admin/groups/crew/roles/members/{other}", who=owner.name)
    owner.server.ask("POST", f"admin/invites/{crew}/accept", b"yes", other)
    shown = wire.ask("GET", f"{page}/share").body
    assert f'<option value="{crew}">The crew ({crew})</option>' in shown
    response = follow(wire, send(wire, f"{page}/share", do="share", known=crew, to="", may="r"))
    assert "2 people, you included" in response.body
    assert "<span>2 people</span>" in wire.ask("GET", f"/u/{owner.name}/grp/crew").body
    nothing = send(wire, f"{page}/share", do="share", known="", to="", may="r")
    assert nothing.status == 400 and "choose from the list" in nothing.body


def made_link(wire: Wire) -> str:
    """The path of a new link."""
    made = send(wire, "/invite", do="link", **{"for": "Dora (Finance)"})
    found = re.search(r'data-copy="the link">[^<]*(/invited[^<]*)<', made.body)
    assert made.status == 200 and found is not None and "Your link for dora_finance" in made.body
    return unescape(found[1])


def test_a_link_is_shown_once_and_can_be_ended(wire: Wire, owner: Owner) -> None:
    path = made_link(wire)
    assert "This is your own link" in wire.ask("GET", path).body
    listed = wire.ask("GET", "/invite").body
    assert "dora_finance" in listed and path not in listed
    assert "The link is deleted" in follow(wire, send(wire, "/invite", do="end", name="dora_finance")).body
    dead = wire.ask("GET", path)
    assert dead.status == 404 and "This link is no longer valid" in dead.body


def test_a_link_connects_a_signed_in_user(wire: Wire, owner: Owner, web_user: WebUser) -> None:
    other = Owner(owner.server, owner.scratch)
    web_user.sign_in(other.name)
    web_user.open(made_link(wire))
    web_user.press(f"text=Connect with @{owner.name}")
    assert f"You are connected with @{owner.name}." in web_user.text()
    assert "Ask to connect" not in web_user.text()


def test_a_request_from_the_page_is_the_same_for_nobody(wire: Wire, owner: Owner) -> None:
    for who in (Owner(owner.server, owner.scratch).name, "nobody-at-all"):
        response = follow(wire, send(wire, "/invite", do="ask", name=f"@{who}"))
        assert f"You asked @{who} to be connected." in response.body
    assert read(owner, "admin/social/connections") != []
    wrong = send(wire, "/invite", do="ask", name="No Name")
    assert wrong.status == 400 and 'aria-describedby="wrong-name"' in wrong.body
    assert "you cannot invite yourself" in send(wire, "/invite", do="ask", name=owner.name).body
