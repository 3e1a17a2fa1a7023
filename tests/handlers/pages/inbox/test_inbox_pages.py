"""Notices and invitations on pages: notices are dismissed, invitations answered, and mails ended."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from itertools import count

import pytest

from handlers.services.mails.mail_addresses import mute_address
from handlers.settings.settings import Settings
from storage.bytes.seal import seal_of
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

_numbers = count(1)


class Pair:
    """The owner of a session, and another user who shares with them and invites them."""

    def __init__(self, owner: Owner) -> None:
        self.owner, self.other = owner, Owner(owner.server, owner.scratch)
        self.group = f"inbox-{next(_numbers)}"
        self.ref = f"@{self.other.name}~{self.group}"
        self.page = f"/u/{owner.name}"
        self.ask("PUT", f"admin/groups/{self.group}")

    def ask(self, method: str, path: str, body: bytes | None = None, *, own: bool = False) -> object:
        who = self.owner if own else self.other
        return self.owner.server.ask(method, path, body, who.name)

    def invite(self, role: str = "members") -> None:
        self.ask("PUT", f"admin/groups/{self.group}/roles/{role}/{self.owner.name}")

    def share(self, name: str) -> None:
        self.other.put(f"jobs/{name}")
        self.other.put(f"jobs/{name}/shared/@{self.owner.name}~r")


@pytest.fixture
def pair(owner: Owner) -> Pair:
    return Pair(owner)


def test_all_that_the_page_showed_is_dismissed_and_nothing_else(wire: Wire, pair: Pair) -> None:
    pair.share("seen")
    page = wire.ask("GET", "/notices").body
    shown = re.search(r'name="notices" value="(all [0-9-]+)"', page)
    assert shown is not None
    assert "shared the job seen with you" in page
    pair.share("unseen")
    answer = wire.post("/notices", token=wire.token("/notices"), do="dismiss", notices=shown[1])
    assert answer.status == 303
    left = wire.ask("GET", "/notices").body
    assert "shared the job unseen with you" in left
    assert "shared the job seen with you" not in left


def test_an_invitation_on_a_page_has_no_words_of_the_api(wire: Wire, pair: Pair) -> None:
    pair.invite()
    page = wire.ask("GET", "/notices").body
    assert f"@{pair.other.name} invited you to {pair.ref} as a member." in page
    assert "POST yes" not in page
    assert f'href="{pair.page}"' in page


def item_of(server: Server, owner: str, name: str) -> int:
    """The number of a job."""
    with closing(sqlite3.connect(server.folder / "curlew.db")) as database:
        found = database.execute("SELECT id FROM item WHERE owner = ? AND name = ?", (owner, name)).fetchone()
    return int(found[0])


def answer(wire: Wire, pair: Pair, word: str, role: str) -> tuple[int, str]:
    sent = wire.post(pair.page, token=wire.token(pair.page), do="answer", ref=pair.ref, word=word, role=role)
    return sent.status, sent.body


def test_an_answer_is_to_the_role_that_was_shown(wire: Wire, pair: Pair) -> None:
    pair.invite()
    assert 'name="role" value="members"' in wire.ask("GET", pair.page).body
    pair.invite("admins")
    status, page = answer(wire, pair, "yes", "members")
    assert status == 409
    assert "as an admin, no longer as a member" in page
    assert 'name="role" value="admins"' in page
    assert answer(wire, pair, "yes", "admins")[0] == 303


@pytest.mark.parametrize("over", ["accepted", "declined", "taken back", "removed"])
def test_an_answer_to_an_ended_invitation_is_refused_on_the_page(wire: Wire, pair: Pair, over: str) -> None:
    pair.invite()
    role = f"admin/groups/{pair.group}/roles/members/{pair.owner.name}"
    if over in ("accepted", "declined"):
        said = b"yes" if over == "accepted" else b"no"
        pair.ask("POST", f"admin/invites/{pair.ref}/accept", said, own=True)
    else:
        pair.ask("DELETE", role if over == "taken back" else f"admin/groups/{pair.group}")
    for word in ("yes", "no"):
        status, page = answer(wire, pair, word, "members")
        assert status == 410
        assert "this invitation no longer exists" in page
        assert "There is nothing at" not in page


def test_a_link_of_a_mail_ends_such_mails_and_nothing_else(wire: Wire, pair: Pair) -> None:
    pair.share("loud")
    level = f"users/{pair.other.name}/code/jobs/loud/notifications"
    server = pair.owner.server
    pair.ask("POST", level, b"important", own=True)
    item = item_of(server, pair.other.name, "loud")
    link = mute_address(seal_of(Settings(data=str(server.folder)).key), "", item, pair.owner.name)
    page = wire.ask("GET", link, cookie="")
    assert (page.status, "the job loud" in page.body) == (200, True)
    assert pair.ask("GET", level, own=True) == "important"
    assert wire.ask("GET", f"{link}0", cookie="").status == 404
    click = wire.ask("POST", link, "List-Unsubscribe=One-Click", cookie="")
    assert (click.status, "no more mails" in click.body) == (200, True)
    assert pair.ask("GET", level, own=True) == "info"
    pair.ask("POST", level, b"ignore", own=True)
    assert wire.ask("POST", link, "List-Unsubscribe=One-Click", cookie="").status == 200
    assert pair.ask("GET", level, own=True) == "ignore"
    pair.ask("DELETE", f"code/jobs/loud/shared/@{pair.owner.name}")
    assert "what this one was about" in wire.ask("GET", link, cookie="").body
    pair.ask("DELETE", "code/jobs/loud")
    assert wire.ask("POST", link, "List-Unsubscribe=One-Click", cookie="").status == 200


def test_a_notice_on_a_page_has_no_words_of_the_api(wire: Wire, pair: Pair) -> None:
    server, name = pair.owner.server, pair.other.name
    pair.share("report")
    server.ask("POST", "code/jobs/report/name", b"The quarter's *report*", name)
    server.ask("PUT", "code/jobs/report/threads/look", f"@{pair.owner.name} see **margins**".encode(), name)
    page = wire.ask("GET", "/notices").body
    assert "shared the job “The quarter&#39;s *report*” with you: you can read." in page
    assert "see margins" in page and "**" not in page
    listed = str(pair.ask("GET", "admin/notifications", own=True))
    assert "the job report with you: r (read)" in listed and "**margins**" in listed
