"""The pages of mails without a browser: the mail in a frame, its readers, and its controls."""

from __future__ import annotations

from contextlib import closing

from handlers.processes.world import build
from handlers.services.mails.mail_addresses import leave_address
from handlers.settings.sources import load
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire

TEXT = "{{ preview }}Soon{{ /preview }}\n# News\n*More* birds.\n"


def test_a_mail_is_shown_in_a_frame_on_its_page(wire: Wire, painter: Painter) -> None:
    page = painter.make("mails/letter", content=TEXT, config__subject="Curlews & co", summary="Weekly")
    answer = wire.ask("GET", page)
    assert "<h1>Curlews &amp; co</h1>" in answer.body and "Weekly" in answer.body
    assert '<iframe class="letter" sandbox="" src="/v1/' in answer.body and "recipients/to" in answer.body
    assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]
    shown = wire.ask("GET", f"/v1/users/{painter.name}/vis/mails/letter/files/mail.html")
    policy = shown.headers["Content-Security-Policy"]
    assert "<em>More</em>" in shown.body or "More" in shown.body
    assert "frame-ancestors 'self'" in policy and "script" not in policy


def test_an_empty_mail_says_how_to_begin(wire: Wire, painter: Painter) -> None:
    body = wire.ask("GET", painter.make("mails/empty")).body
    assert "This mail is empty" in body and "<iframe" not in body and "--data-binary @-" in body


def test_a_stranger_sees_no_mail(painter: Painter, owner: Owner) -> None:
    page = painter.make("mails/hidden", content=TEXT)
    bob = Owner(owner.server, owner.scratch)
    assert Wire(bob).ask("GET", page).status == 404


def test_a_link_alone_ends_somebodys_mails(painter: Painter, owner: Owner) -> None:
    world = build(load({}, data=str(owner.server.folder)))
    with closing(world):
        link = leave_address(world.world.service.seal, "", painter.name, "out@side.example")
        response = Wire(owner).ask("GET", link, cookie="")
        assert "Unsubscribe" in response.body and "out@side.example" in response.body
        assert not world.world.social.mails.refusing(painter.name, ["out@side.example"])
        done = Wire(owner).ask("POST", link, "List-Unsubscribe=One-Click", cookie="")
        assert done.status == 200 and "gets no more mails" in done.body
        assert world.world.social.mails.refusing(painter.name, ["out@side.example"])
    assert Wire(owner).ask("GET", f"{link[:-1]}x", cookie="").status == 404
