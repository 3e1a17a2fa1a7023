"""The pages of documents without a browser: their content by permission."""

from __future__ import annotations

import re

import pytest

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Answer, Wire

TEXT = "---\ntitle: Curlews & co\n---\n# Summary\nMore[[ftn: a]] *birds*.\n\n## Counts\n{{ nothing }}\n"
SET = "?mode=both"


@pytest.fixture
def bob(owner: Owner) -> Owner:
    """Somebody else."""
    return Owner(owner.server, owner.scratch)


def written(painter: Painter, name: str, text: str = TEXT, **files: str) -> str:
    """A document that was set; the path of its page."""
    page = painter.make(f"docs/{name}", content=text, **files)
    painter.vis("GET", f"docs/{name}/files/doc.html")
    return page


def test_a_document_is_shown_on_its_page(wire: Wire, painter: Painter) -> None:
    page = written(painter, "report", summary="What we saw", description="*More*")
    answer = wire.ask("GET", page)
    body = answer.body
    assert "<title>Curlews &amp; co · @" in body
    assert '<template shadowrootmode="open">' in body and "<em>birds</em>" in body
    assert '<a href="#s-summary">Summary</a>' in body and '<span id="s-counts" slot="s-counts">' in body
    assert "<em>More</em>" in body and f"{painter.name}/vis/docs/report/content" in body
    assert re.findall(r"<strong>([A-Z]+|Web page)</strong>", body) == ["PDF", "PPTX", "Web page", "MD"]
    assert re.search(r'<strong>Web page</strong> <span class="quiet">[\d.]+ kB', body)
    policy = answer.headers["Content-Security-Policy"]
    assert "img-src 'self' data:; font-src 'self'" in policy and "unsafe" not in policy
    assert body.count("<h1") == 2  # its title, and its first heading


def test_writers_see_notes_on_what_was_left_out(wire: Wire, painter: Painter, bob: Owner) -> None:
    page = written(painter, "report")
    painter.share("docs/report", f"@{bob.name}~r")
    own, other = wire.ask("GET", page).body, Wire(bob).ask("GET", page).body
    assert "Notes for writers" in own and "line 8, column 1: there is no section" in own
    assert "Notes for" not in other and "Edit it" not in other
    assert "Source text" in other


def test_a_user_who_may_only_look_reads_it_without_its_source(painter: Painter, bob: Owner) -> None:
    page = written(painter, "report")
    painter.share("docs/report", f"@{bob.name}~x")
    body = Wire(bob).ask("GET", page).body
    assert "<em>birds</em>" in body
    assert "/content" not in body and "<dt>Type</dt>" not in body


def test_a_user_who_may_only_write_reads_nothing(painter: Painter, bob: Owner) -> None:
    page = written(painter, "report")
    painter.share("docs/report", f"@{bob.name}~w")
    body = Wire(bob).ask("GET", page).body
    assert "You may not read the document" in body and "birds" not in body


def test_a_document_that_was_never_rendered_is_loaded_by_its_file(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/fresh", content=TEXT)
    body = wire.ask("GET", page).body
    assert f'data-unset="/v1/users/{painter.name}/vis/docs/fresh/files/doc.html?mode=both"' in body
    assert "<template" not in body and "is being prepared" in body and "<h1>fresh</h1>" in body
    assert wire.ask("GET", f"/v1/users/{painter.name}/vis/docs/fresh/files/doc.html?mode=both").status == 200
    assert "<template" in wire.ask("GET", page).body


def test_an_empty_document_says_how_to_write_it(wire: Wire, painter: Painter) -> None:
    body = wire.ask("GET", painter.make("docs/blank")).body
    assert "This document is empty" in body and "printf -- " in body and "data-unset" not in body


def test_the_address_that_a_document_calls_its_own(wire: Wire, painter: Painter) -> None:
    page = written(painter, "report")
    url = str(painter.vis("GET", "docs/report/url"))
    assert url.startswith(f"{wire.origin}/d/")
    assert '<template shadowrootmode="open">' in wire.ask("GET", url.removeprefix(wire.origin)).body
    assert f'href="{page}"' in wire.ask("GET", f"/u/{painter.name}").body


def test_typefaces_are_those_of_paper(wire: Wire) -> None:
    sheet = wire.ask("GET", "/static/document.css").body
    faces = re.findall(r'url\("(/static/[^"]+\.ttf\?v=\w+)"\)', sheet)
    assert len(faces) == 11
    assert wire.ask("HEAD", faces[0]).headers["Content-Type"] == "font/ttf"


PIXEL = b"\x89PNG\r\n\x1a\n"


def add_asset(wire: Wire, page: str, name: str, raw: bytes) -> Answer:
    """Return the response of the form for pictures and fonts."""
    return wire.post_file(f"{page}/assets", {name: raw}, "asset", token=wire.token(page), do="add")


def test_pictures_are_added_beside_a_document_and_deleted(wire: Wire, painter: Painter, bob: Owner) -> None:
    page = written(painter, "report")
    assert "None yet" in wire.ask("GET", f"{page}/edit").body
    response = add_asset(wire, page, "Logo 2.PNG", PIXEL)
    assert (response.status, response.headers["Location"].partition("?")[0]) == (303, f"{page}/edit")
    assert "download>logo-2.png</a>" in wire.ask("GET", f"{page}/edit").body
    wrong = add_asset(wire, page, "notes.txt", b"text")
    assert wrong.status == 400 and "is not a picture or a font" in wrong.body
    assert add_asset(wire, page, "large.png", PIXEL + bytes(5 << 20)).status == 413
    assert wire.post(f"{page}/assets", token=wire.token(page), do="delete", name="logo-2.png").status == 303
    assert "None yet" in wire.ask("GET", f"{page}/edit").body
    painter.share("docs/report", f"@{bob.name}~r")
    theirs = Wire(bob)
    assert "Pictures and fonts" not in theirs.ask("GET", page).body
    assert theirs.ask("GET", f"{page}/assets").status == 403
    assert add_asset(theirs, page, "logo.png", PIXEL).status == 403
