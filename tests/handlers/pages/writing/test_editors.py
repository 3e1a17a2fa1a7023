"""Editors of documents and mails: two people at one text, drafts, previews, with and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.account.letters import letters_to, link_in
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire

TEXT = "# Weekly\n\nWe sold much.\n\n## By region\n\nThe North rose.\n"


@pytest.fixture
def bob(owner: Owner) -> Owner:
    """Somebody else."""
    return Owner(owner.server, owner.scratch)


def content(painter: Painter, name: str = "docs/weekly") -> str:
    return str(painter.vis("GET", f"{name}/content"))


def test_an_open_editor_shows_changes_by_others_and_keeps_its_own_text(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    page, web_user = painter.make("docs/weekly", content=TEXT), window()
    web_user.sign_in(painter.name)
    with web_user.page.expect_response("**/files/doc.html*") as followed:
        web_user.open(f"{page}/edit")
    assert followed.value.status == 200
    box = web_user.page.locator("textarea[name='text.content']")
    box.fill("Mine, not saved")
    expect(web_user.page.locator(".savebar")).to_contain_text("Not saved yet")
    for number in range(20):
        painter.vis("POST", "docs/weekly/content", f"# Theirs {number}\n")
        web_user.page.wait_for_timeout(500)
        if web_user.page.locator(".meanwhile").count():
            break
    assert "Somebody changed this just now." in web_user.page.inner_text(".meanwhile")
    assert box.input_value() == "Mine, not saved"


def test_where_lines_overlap_the_writer_chooses(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    token, etag, base = fields(wire, f"{page}/edit")
    painter.vis("POST", "docs/weekly/content", TEXT.replace("much", "little"))
    sent = {"token": token, "etag.content": etag, "base.content": base}
    mine = TEXT.replace("much", "a lot").replace("\n", "\r\n")
    answer = wire.post(f"{page}/edit", **sent, **{"text.content": mine})
    assert answer.status == 412
    assert "You changed the same lines" in answer.body and "Keep both" not in answer.body
    assert "a lot" in answer.body and "little" in answer.body
    now = wire_fields(answer.body)
    assert now["etag.content"] != etag
    again = wire.post(f"{page}/edit", do="edit", **{**now, "text.content": mine, "both.content": ""})
    assert again.status == 200 and "a lot" in again.body and now["etag.content"].strip(chr(34)) in again.body
    wrong = {**now, "etag.content": etag}
    assert wire.post(f"{page}/edit", do="mine", **{**wrong, "text.content": mine}).status == 412
    theirs = wire.post(f"{page}/edit", do="theirs", **{**now, "text.content": mine, "both.content": ""})
    assert theirs.status == 303 and "little" in content(painter)
    saved = wire.post(f"{page}/edit", do="mine", **{**now, "text.content": mine, "both.content": ""})
    assert saved.status == 303
    assert content(painter) == TEXT.replace("much", "a lot")


def test_unchanged_text_is_not_written(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    token, etag, base = fields(wire, f"{page}/edit")
    painter.vis("POST", "docs/weekly/content", "other")
    sent = {"token": token, "etag.content": etag, "base.content": base}
    answer = wire.post(f"{page}/edit", **sent, **{"text.content": base.replace("\n", "\r\n")})
    assert answer.status == 303
    assert content(painter) == "other"


def test_a_refused_text_is_kept(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    token, etag, base = fields(wire, f"{page}/edit")
    sent = {"token": token, "etag.content": etag, "base.content": base, "text.content": "typed <b>"}
    answer = wire.post(
        f"{page}/edit",
        **sent,
        **{"text.config/type": "poem", "base.config/type": "doc", "etag.config/type": ""},
    )
    assert answer.status in (400, 412)
    assert "typed &lt;b&gt;" in answer.body
    assert content(painter) == TEXT


def test_a_document_of_a_mebibyte_is_saved(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    token, etag, base = fields(wire, f"{page}/edit")
    line = "A line of text.\r\n"
    text = line * ((1 << 20) // len(line) - 10)
    sent = {"token": token, "etag.content": etag, "base.content": base, "text.content": text}
    answer = wire.post_file(f"{page}/edit", {}, **sent)
    assert answer.status == 303
    assert content(painter) == text.replace("\r\n", "\n")


def test_a_reader_sees_whom_to_ask_for_write_access(painter: Painter, bob: Owner) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    theirs = Wire(bob)
    assert theirs.ask("GET", f"{page}/edit").status == 404
    for letters in ("x", "r"):
        painter.share("docs/weekly", f"@{bob.name}~{letters}")
        answer = theirs.ask("GET", f"{page}/edit")
        assert answer.status == 403 and f"ask @{painter.owner.name}, its owner" in answer.body
    assert Wire(painter.owner).ask("GET", f"{page}/edit", cookie="").status == 303


def test_a_preview_shows_the_typed_text_and_stores_nothing(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    page = painter.make("docs/weekly", content=TEXT)
    web_user = window()
    web_user.sign_in(painter.name)
    web_user.open(f"{page}/edit")
    web_user.page.fill("textarea[name='text.content']", "# Quite new\n")
    assert "<h1" in drawn(web_user)
    expect(web_user.page.locator("iframe[name^=preview]")).to_have_count(1)
    expect(web_user.page.locator(".state")).to_contain_text("kept in this browser")
    expect(web_user.page.locator(".preview-said")).to_contain_text("nothing is stored yet")
    assert content(painter) == TEXT
    web_user.page.on("dialog", lambda dialog: dialog.accept())
    web_user.open(f"{page}/edit")
    web_user.press("text=Restore draft")
    assert web_user.page.input_value("textarea[name='text.content']") == "# Quite new\n"
    with web_user.page.expect_navigation():
        web_user.page.press("textarea[name='text.content']", "Control+s")
    assert "Saved." in web_user.page.inner_text("main")
    assert content(painter) == "# Quite new\n"


def test_a_mail_is_written_and_asks_before_it_leaves(wire: Wire, painter: Painter) -> None:
    page = painter.make("mails/monday", content=TEXT)
    body = wire.ask("GET", f"{page}/edit").body
    assert "Send a test to me" in body and "Nobody else is named yet" in body
    token, etag, base = fields(wire, f"{page}/edit")
    sent = {"token": token, "etag.content": etag, "base.content": base, "text.content": "typed"}
    answer = wire.post(f"{page}/edit", do="send", **sent)
    assert answer.status == 400 and "tick “Yes, send it”" in answer.body
    assert content(painter, "mails/monday") == "typed"


def test_the_three_fields_of_a_mail_write_its_schedule(web_user: WebUser, painter: Painter) -> None:
    page = painter.make("mails/letter", content="# Hello\n")
    web_user.sign_in(painter.name)
    web_user.open(f"{page}/edit")
    web_user.page.get_by_text("Schedule", exact=True).click()
    web_user.page.locator("[name='when.every']").select_option("Every Monday")
    web_user.page.locator("[name='when.at']").fill("06:30")
    web_user.page.locator("[name='when.zone']").fill("Europe/Oslo")
    web_user.page.locator(".savebar button.primary").click()
    line = "TZ=Europe/Oslo 30 6 * * Mon"
    expect(web_user.page.locator("[name='text.config/schedule']")).to_have_value(line)
    assert painter.vis("GET", "mails/letter/config/schedule")["schedule"] == line
    web_user.open(page)
    assert "Scheduled: At 06:30 on Monday, Europe/Oslo." in web_user.page.inner_text(".envelope")
    web_user.page.get_by_role("link", name="Schedule").click()
    web_user.page.locator("[name='when.every']").select_option("Only by hand")
    web_user.page.locator(".savebar button.primary").click()
    expect(web_user.page.locator("[name='text.config/schedule']")).to_have_value("")
    assert painter.vis("GET", "mails/letter/config/schedule")["next"] == []


def test_a_mail_is_addressed_and_sent_from_its_own_page(web_user: WebUser, painter: Painter) -> None:
    page, tab = painter.make("mails/monday", content=TEXT), web_user.page
    server = web_user.server
    web_user.sign_in(painter.name)
    web_user.open(page)
    tab.fill("[name='text.recipients/to']", "me")
    web_user.press("text=Send a test to me")
    assert tab.get_attribute(".wrong a", "href") == "/settings/profile#emails"
    web_user.press(".wrong a")
    assert "sends no mail yet" in web_user.text() and "not verified yet" in web_user.text()
    ((_, letter),) = letters_to(server, f"{painter.name}@birds.example")
    web_user.open(link_in(letter, server))
    web_user.press("text=Verify the address")
    web_user.open(page)
    tab.fill("[name='text.recipients/to']", "nobody@")
    web_user.press("text=Send a test to me")
    assert "To: these recipients are not understood" in web_user.text()
    assert tab.input_value("[name='text.recipients/to']") == "nobody@"
    tab.fill("[name='text.recipients/to']", "me")
    tab.fill("[name='text.config/subject']", "News")
    web_user.press("text=Send a test to me")
    assert "The test is in the outbox of this server, which sends no mail yet" in web_user.text()
    assert content(painter, "mails/monday") == TEXT
    assert str(painter.vis("GET", "mails/monday/recipients/to")) == "me"
    tab.click("summary:has-text('Send to 1 line')")
    web_user.press("text=Send the mail")
    assert "tick “Yes, send it”" in web_user.text()
    tab.check("[name=sure]")
    web_user.press("text=Send the mail")
    assert "The mail is in the outbox of this server" in web_user.text()


def drawn(web_user: WebUser) -> str:
    """Return the preview of the typed text; it is requested again while no renderer is free."""
    while True:
        with web_user.page.expect_response(lambda one: "Quite new" in (one.request.post_data or "")) as reply:
            web_user.page.click("text=Show preview")
        text = str(reply.value.text())
        if "Quite new" in text:
            return text


def fields(wire: Wire, page: str) -> tuple[str, str, str]:
    found = wire_fields(wire.ask("GET", page).body)
    return found["token"], found["etag.content"], found["base.content"]


def wire_fields(body: str) -> dict[str, str]:
    """The hidden fields of the form of a page, by name."""
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', body)
    texts = re.findall(r'<textarea name="([^"]+)" hidden[^>]*>\n(.*?)</textarea>', body, re.DOTALL)
    return {name: value.replace("&#34;", '"') for name, value in (*hidden, *texts) if name[:2] != "do"}
