"""The pages of snapshots: made, shown and ended in a browser, with and without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire


@pytest.fixture
def report(painter: Painter) -> str:
    """The page of a document that shows a plot."""
    painter.make("plots/sales", data=ROWS)
    return painter.make("docs/report", content="# Sales <rose>\n\n{{ vis ref: /p/sales }}\n")


def test_one_is_made_shown_and_ended_by_forms(wire: Wire, painter: Painter, report: str) -> None:
    assert f'<a href="{report}/snapshots">Keep it as it is now</a>' in wire.ask("GET", report).body
    page = f"{report}/snapshots"
    token = wire.token(page)
    made = wire.post(page, token=token, do="make", name="2026-q1")
    assert (made.status, made.headers["Location"]) == (303, f"{page}/2026-q1?done=snapshot-made")
    refused = wire.post(page, token=token, do="make", name="2026-q1")
    assert refused.status == 409 and 'aria-invalid="true"' in refused.body
    painter.vis("POST", "docs/report/content", "# Sales fell\n")
    body = wire.ask("GET", f"{page}/2026-q1").body
    assert "Sales &lt;rose&gt;" in body and f'<a href="{report}">Present version</a>' in body
    assert re.search(r"as of <time [^>]*>\d+ \w+ \d{4}</time>", body)
    assert '<li class="minus" dir="auto"># Sales &lt;rose&gt;</li>' in body
    assert "2 pictures and 1 data file" in body
    assert f'<a href="{page}/2026-q1"><strong>2026-q1</strong>' in wire.ask("GET", report).body
    assert wire.post(page, token=token, do="end", name="2026-q1").status == 303
    assert wire.ask("GET", f"{page}/2026-q1").status == 404


def test_the_owner_alone_has_the_schedule_and_readers_have_no_forms(
    wire: Wire, owner: Owner, painter: Painter, report: str
) -> None:
    page = f"{report}/snapshots"
    token = wire.token(page)
    wrong = wire.post(page, token=token, do="plan", plan="each day")
    assert wrong.status == 400 and 'aria-invalid="true"' in wrong.body
    assert wire.post(page, token=token, do="plan", plan="0 6 1 * *").status == 303
    assert "At 06:00 on the first day of every month" in wire.ask("GET", page).body
    painter.vis("PUT", "docs/report/snapshots/may")
    other = Owner(owner.server, owner.scratch)
    reader = Wire(other)
    assert reader.ask("GET", page).status == 404
    owner.server.ask("POST", "admin/profile/public", b"yes", other.name)
    painter.share("docs/report", f"@{other.name}~r")
    body = reader.ask("GET", page).body
    assert "may</a>" in body and 'name="name"' not in body and 'name="plan"' not in body


def test_in_a_browser_a_grid_is_kept_as_its_picture(web_user: WebUser, painter: Painter) -> None:
    painter.make("plots/sales", data=ROWS)
    grid = painter.make("grids/board", layout=LAYOUT, mapping="A => /p/sales\nB => /p/sales\n")
    page = web_user.page
    web_user.open("/login")
    web_user.sign_in(painter.name)
    web_user.open(f"{grid}/snapshots")
    page.fill("input[name=name]", "2026-q1")
    page.get_by_role("button", name="Create a snapshot").click()
    expect(page.get_by_text("The snapshot is created")).to_be_visible()
    picture = page.locator("figure img")
    expect(picture).to_be_visible()
    assert picture.evaluate("one => one.naturalWidth") > 600
    page.get_by_text("Delete…").click()
    page.get_by_role("button", name="Yes, delete").click()
    expect(page.get_by_text("The snapshot 2026-q1 is deleted")).to_be_visible()
