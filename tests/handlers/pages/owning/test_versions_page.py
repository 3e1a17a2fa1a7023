"""Former contents on pages: listed, compared, restored and removed, by forms that need no scripts."""

from __future__ import annotations

from urllib.request import Request, urlopen

from tests.handlers.pages.owning.test_owning_pages import follow, read, send, undo
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire


def test_a_text_is_compared_and_restored_and_the_restoring_is_undone(
    wire: Wire, owner: Owner, painter: Painter
) -> None:
    page = painter.make("plots/sales", data="a,b\nx,1\n", name="Sales")
    painter.vis("POST", "plots/sales/data", "a,b\nx,<2>\n")
    assert f'href="{page}/versions"' in wire.ask("GET", page).body
    listed = wire.ask("GET", f"{page}/versions").body
    assert "file=data" in listed and "file=name" not in listed
    shown = wire.ask("GET", f"{page}/versions?file=data").body
    assert '<li class="minus" dir="auto">' in shown and "x,&lt;2&gt;" in shown and "x,<2>" not in shown
    (version,) = {one.split('"')[0] for one in shown.split('name="version" value="')[1:]}
    restored = follow(wire, send(wire, f"{page}/versions", do="restore", file="data", version=version))
    assert "data is restored. What it replaced is kept as a version." in restored.body
    assert read(owner, "vis/plots/sales/data") == "a,b\nx,1\n"
    undo(wire, restored)
    assert read(owner, "vis/plots/sales/data") == "a,b\nx,<2>\n"
    assert follow(wire, send(wire, f"{page}/versions", do="forget", file="data")).status == 200
    assert "This file has no versions" in wire.ask("GET", f"{page}/versions?file=data").body
    assert read(owner, "vis/plots/sales/data") == "a,b\nx,<2>\n"


def test_a_deleted_picture_comes_back(wire: Wire, owner: Owner, painter: Painter) -> None:
    page = painter.make("docs/report", content="words")
    asset = "vis/docs/report/assets/bird.png"
    picture = b"\x89PNG\r\n\x1a\n" + bytes(40)
    sent = Request(owner.server.root + asset, picture, method="POST")
    sent.add_header("Content-Type", "image/png")
    sent.add_header("Authorization", f"Bearer {owner.server.tokens[owner.name]}")
    urlopen(sent).close()
    owner.server.ask("DELETE", asset, who=owner.name)
    shown = wire.ask("GET", f"{page}/versions?file=assets/bird.png").body
    assert "<img src=" in shown
    (version,) = {one.split('"')[0] for one in shown.split('name="version" value="')[1:]}
    send(wire, f"{page}/versions", do="restore", file="assets/bird.png", version=version)
    names = read(owner, "vis/docs/report/assets")
    assert [row["name"] for row in names] == ["bird.png"]  # type: ignore[attr-defined]


def test_nothing_is_shown_of_a_missing_file(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data="a,b\nx,1\n")
    assert "No versions yet" in wire.ask("GET", f"{page}/versions").body
    for word in ("nowhere", "../data", "config/env/KEY", "shared/public"):
        assert wire.ask("GET", f"{page}/versions?file={word}").status in (200, 404)
    assert send(wire, f"{page}/versions", do="restore", file="data", version="0" * 32).status == 404
    assert send(wire, f"{page}/versions", do="other", file="data").status == 400


def test_a_folder_with_former_contents_is_not_a_file(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data="a,b\nx,1\n")
    painter.vis("POST", "plots/sales/config/title", "One")
    painter.vis("POST", "plots/sales/config/title", "Two")
    assert wire.ask("GET", f"{page}/versions?file=config").status == 404
    for version in ("0" * 32, "2026-11-30"):
        assert send(wire, f"{page}/versions", do="restore", file="config", version=version).status == 400
    assert send(wire, f"{page}/versions", do="forget", file="config").status == 405
