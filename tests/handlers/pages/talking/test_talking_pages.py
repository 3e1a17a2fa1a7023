"""Comments and activity on pages: posted, answered, changed, deleted, restored, with and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire

TEXT = "Why is the *West* down? @nobody"


def test_people_talk_at_the_end_of_a_page(web_user: WebUser, painter: Painter) -> None:
    page = painter.make("plots/sales", data="a,b\nx,1\n")
    web_user.sign_in(painter.name)
    web_user.open(page)
    web_user.page.click(".say > summary")
    web_user.page.fill("form:has(button:text-is('Comment')) textarea", TEXT)
    web_user.press("button:text-is('Comment')")
    assert "Your comment is posted." in web_user.text() and "Why is the West down?" in web_user.text()
    web_user.page.click("summary:has-text('Reply')")
    web_user.page.fill("details[open] textarea", "It came late.")
    web_user.press("details[open] button")
    web_user.page.click(".talk .talk summary:has-text('Edit')")
    web_user.page.fill(".talk .talk details[open] textarea", "It came on Sunday.")
    web_user.press(".talk .talk details[open] button")
    assert "It came on Sunday." in web_user.text() and "(edited now)" in web_user.text()
    web_user.press(".talk .talk button:has-text('Delete')")
    assert "It came on Sunday." not in web_user.page.inner_text("section:has(#comments)")
    web_user.press("button:text-is('Undo')")
    assert "It came on Sunday." in web_user.text()
    web_user.page.click(".talk > li > div > .acts .asks > summary")
    web_user.press(".asks[open] button.danger")
    assert "This comment was deleted." in web_user.text()
    web_user.press("a:text-is('Activity')")
    assert "You commented" in web_user.text() and "You created it" in web_user.text()


def test_a_refused_comment_keeps_its_text(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/report", content="Hello")
    token = wire.token(f"{page}/comments")

    def send(**fields: str) -> tuple[int, str]:
        sent = urlencode({"token": token, **fields})
        answer = wire.ask("POST", f"{page}/comments", sent, Origin=wire.origin)
        return answer.status, answer.body

    assert send(do="say", at="", text="   ")[0] == 400
    assert send(do="say", at="../../data", text="x")[0] == 400
    assert send(do="dance", at="", text="x")[0] == 400
    painter.vis("POST", "docs/report/config/comments", "no")
    status, body = send(do="say", at="", text="Kept <b>words</b>")
    assert status == 403 and "Kept &lt;b&gt;words&lt;/b&gt;" in body


def test_a_comment_that_is_sent_twice_is_posted_once(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/report", content="Hello")
    body = wire.ask("GET", page).body
    (name,) = set(re.findall(r'name="as" value="([0-9a-f]{10})"', body))

    def say(text: str, at: str = "") -> None:
        sent = {"token": wire.token(page), "do": "say", "at": at, "as": name, "text": text}
        answer = wire.post(f"{page}/comments", **sent)
        assert answer.headers["Location"] == f"{page}?done=said#comments"

    def said() -> list[str]:
        return re.findall(r"<p>(One|Two)</p>", wire.ask("GET", page).body)

    for _ in range(2):
        say("One")
    assert said() == ["One"]
    say("Two")  # a page that came back from the past of a browser has the name of a comment before
    assert said() == ["One", "Two"]
    for _ in range(2):
        say("Two", f"threads/@{painter.name}~{name}")
    assert sorted(said()) == ["One", "Two", "Two"]


def test_a_button_that_is_pressed_twice_acts_once(window: Callable[..., WebUser], painter: Painter) -> None:
    page, web_user = painter.make("docs/report", content="Hello"), window()
    web_user.sign_in(painter.name)
    web_user.open(page)
    sent: list[str] = []
    web_user.page.on("request", lambda request: sent.append(request.method))
    with web_user.page.expect_navigation():
        web_user.page.dblclick(".title form button")
    assert sent.count("POST") == 1 and web_user.page.locator("[aria-pressed=true]").count() == 1


def test_a_reader_can_request_permissions_where_editing_is_refused(
    web_user: WebUser, painter: Painter
) -> None:
    page = painter.make("docs/report", content="Hello")
    reader = Owner(painter.owner.server, painter.owner.scratch)
    painter.share("docs/report", f"@{reader.name}~r")
    web_user.sign_in(reader.name)
    assert web_user.open(f"{page}/edit") == 403
    web_user.page.fill("main textarea", "May I put the sums right?")
    web_user.press("button:text-is('Ask')")
    assert "Your comment is posted." in web_user.text() and "May I put the sums right?" in web_user.text()
    notices = painter.owner.server.ask("GET", "admin/notifications", who=painter.name)
    assert any("May I put the sums right?" in one["text"] for one in notices)
    painter.vis("POST", "docs/report/config/comments", "no")
    refused = Wire(reader).ask("GET", f"{page}/edit")
    assert (refused.status, "<textarea" in refused.body) == (403, False)
    absent = Wire(reader).ask("GET", f"/u/{painter.name}/d/absent/edit")
    hidden = Wire(Owner(painter.owner.server, painter.owner.scratch)).ask("GET", f"{page}/edit")
    for answer in (absent, hidden):
        assert (answer.status, "<textarea" in answer.body) == (404, False)
        assert "You are signed in as" in answer.body


def test_each_kind_has_its_activity_and_strangers_have_none(
    wire: Wire, owner: Owner, painter: Painter
) -> None:
    for folder, letter in (("plots", "p"), ("docs", "d"), ("grids", "g"), ("mails", "m")):
        painter.make(f"{folder}/one")
        assert "created it" in wire.ask("GET", f"/u/{owner.name}/{letter}/one/activity").body
        assert wire.ask("GET", f"/u/{owner.name}/{letter}/one/activity", cookie="").status == 303
        assert wire.ask("GET", f"/u/{owner.name}/{letter}/one/comments", cookie="").status == 303
    for folder, letter in (("jobs", "j"), ("repos", "r"), ("spaces", "s")):
        owner.put(f"{folder}/one")
        assert "created it" in wire.ask("GET", f"/u/{owner.name}/{letter}/one/activity").body
    assert wire.ask("GET", f"/u/{owner.name}/s/one/comments").status == 404


def test_a_group_talks_on_its_page(wire: Wire, owner: Owner) -> None:
    ask, page = owner.server.ask, f"/u/{owner.name}/grp/crew"
    other = Owner(owner.server, owner.scratch)
    ask("PUT", "admin/groups/crew", who=owner.name)
    ask("PUT", f"admin/groups/crew/roles/members/{other.name}", who=owner.name)
    ask("POST", f"admin/invites/@{owner.name}~crew/accept", b"yes", other.name)
    threads = f"users/{owner.name}/groups/crew/threads"
    ask("PUT", f"{threads}/hello", b"Who comes on Sunday?", other.name)
    theirs, token = Wire(other), wire.token("/menu")
    answered = f"threads/@{other.name}~hello"
    sent = wire.post(f"{page}/comments", token=token, do="say", at=answered, text="All of us, *at six*.")
    assert sent.headers["Location"].startswith(page)
    shown = theirs.ask("GET", page).body
    assert "Who comes on Sunday?" in shown and "All of us, <em>at six</em>." in shown
    # Each may change their comment; the founder may delete both.
    assert shown.count(">Edit<") == 1 and shown.count(">Delete<") == 1
    assert wire.ask("GET", page).body.count(">Delete<") == 2
    refused = wire.post(f"{page}/comments", token=token, do="say", at="", text=" ")
    assert refused.status == 400 and "Who comes on Sunday?" in refused.body
    stranger = Wire(Owner(owner.server, owner.scratch))
    assert stranger.ask("GET", f"{page}/comments").status == 404
