"""The trash and links: deleted items are named as they were shown, and a link keeps its pin."""

from __future__ import annotations

from typing import Any, cast

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.wire import Wire


def links(painter: Painter, name: str) -> dict[str, dict[str, Any]]:
    rows = cast("list[dict[str, Any]]", painter.vis("GET", f"docs/{name}/shared"))
    return {row["name"].removeprefix("link~"): row for row in rows}


def test_a_deleted_document_is_named_by_its_title_and_found_from_its_address(
    wire: Wire, painter: Painter
) -> None:
    page = painter.make("docs/ramble", name="Sunday ramble", content="Long work.\n")
    assert (
        wire.post(f"{page}/settings/delete", token=wire.token(page), do="delete", sure="ramble").status == 303
    )
    trash = wire.ask("GET", "/trash").body
    assert '<strong dir="auto">Sunday ramble</strong> <span class="quiet">document ramble</span>' in trash
    gone = wire.ask("GET", page)
    assert gone.status == 404 and "You deleted it." in gone.body
    number = gone.body.partition('href="/trash#e-')[2].partition('"')[0]
    assert f'id="e-{number}"' in trash
    assert "You deleted it." not in wire.ask("GET", f"{page}-2").body
    back = wire.post("/trash", token=wire.token("/trash"), do="restore", entry=number)
    assert back.headers["Location"].startswith(page)
    assert wire.ask("GET", page).status == 200


def test_a_link_is_pinned_and_released_on_the_page_and_by_nothing_else(wire: Wire, painter: Painter) -> None:
    share = painter.make("docs/report", content="Sales rose.\n") + "/share"
    assert " pinned" not in wire.ask("GET", share).body
    token = wire.token(share)
    painter.vis("PUT", "docs/report/snapshots/q1")
    wire.post(share, token=token, do="make link", link="press", **{"link pinned": "q1"})
    wire.post(share, token=token, do="make link", link="open", **{"link pinned": "-"})
    assert {name: one["pinned"] for name, one in links(painter, "report").items()} == {
        "press": "q1",
        "open": None,
    }
    body = wire.ask("GET", share).body
    assert "shows the snapshot q1" in body and '<option value="q1" selected>the snapshot q1</option>' in body
    wire.post(share, token=token, do="change link", name="press", **{"link~press uses": "5"})
    assert (
        links(painter, "report")["press"] | {"pinned": "q1", "uses": 5} == links(painter, "report")["press"]
    )
    painter.vis("DELETE", "docs/report/snapshots/q1")
    assert "shows nothing, as its snapshot is removed" in wire.ask("GET", share).body
    wire.post(share, token=token, do="change link", name="press", **{"link~press pinned": ""})
    assert links(painter, "report")["press"]["pinned"] == ""
    wire.post(share, token=token, do="change link", name="press", **{"link~press pinned": "-"})
    assert links(painter, "report")["press"]["pinned"] is None


def test_a_space_says_that_its_files_go_to_the_trash(wire: Wire, painter: Painter) -> None:
    painter.owner.server.ask("PUT", "code/spaces/field", None, painter.name)
    painter.owner.server.ask("PUT", "code/spaces/field/content/a.txt", b"a", painter.name)
    body = wire.ask("GET", f"/u/{painter.name}/s/field").body
    assert "They stay in your trash for 30 days, folders with their content." in body
    assert "deleted permanently" not in body


def test_obstacles_to_a_sending_are_shown_before_the_recipients(wire: Wire, painter: Painter) -> None:
    pages = [
        painter.make("docs/report", content="Sales rose.\n"),
        painter.make("mails/counts", content="11\n"),
    ]
    for page in [*(f"{one}/edit" for one in pages), pages[1]]:
        body = wire.ask("GET", page).body
        assert body.index("verify your own e-mail address</a>") < body.index("Addresses, @people")
