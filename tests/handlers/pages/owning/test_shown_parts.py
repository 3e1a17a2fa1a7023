"""Parts of a shared text that stay private or that a copy will lack: listed before, with a way to ask."""

from __future__ import annotations

import pytest

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire


@pytest.fixture
def bob(owner: Owner) -> Painter:
    """Somebody else."""
    return Painter(Owner(owner.server, owner.scratch))


def text_of(painter: Painter) -> str:
    """Return a text with two charts and a value."""
    painter.make("plots/margins", data=ROWS, name="Margins of <all>")
    painter.make("plots/open", data=ROWS)
    painter.make("plots/figures", data=ROWS)
    painter.vis("PUT", "plots/figures/vars/total")
    painter.vis("POST", "plots/figures/vars/total/value", "9")
    total = f"{{/u/{painter.name}/p/figures/v/total}}"
    return f"# Board\n\n{{{{ vis ref: /p/margins }}}}\n\n{{{{ vis ref: /p/open }}}}\n\nIn all {total}.\n"


@pytest.mark.parametrize("kind", ["docs", "mails"])
def test_sharing_lists_the_parts_that_stay_private(
    wire: Wire, painter: Painter, bob: Painter, kind: str
) -> None:
    page = painter.make(f"{kind}/board", content=text_of(painter))
    painter.share("plots/open", "public~r")
    before = wire.ask("GET", f"{page}/share").body
    assert "Parts that readers cannot open" in before and "Margins of &lt;all&gt;" in before
    assert "not shared with everybody" in before and f"{painter.name}/p/open" not in before
    assert f'href="/u/{painter.name}/p/margins/share"' in before
    response = wire.post(f"{page}/share", token=wire.token(page), do="share", to=f"@{bob.name}", may="r")
    after = wire.ask("GET", response.headers["Location"]).body
    assert after.count(f"not shared with @{bob.name}") == 2, "the chart and the value"
    seen = bob.owner.server.ask("GET", f"users/{painter.name}/vis/{kind}/board/files/{kind[:-1]}.html",
                                who=bob.name)  # fmt: skip
    assert "is not shown" not in seen and "9" in seen, "readers see what the owner sees"
    for plot in ("margins", "figures"):
        painter.share(f"plots/{plot}", f"@{bob.name}~r")
    assert "Parts that readers cannot open" not in wire.ask("GET", f"{page}/share").body


def test_a_grid_lists_its_private_parts_and_the_parts_that_a_copy_lacks(
    wire: Wire, painter: Painter, bob: Painter
) -> None:
    painter.make("plots/margins", data=ROWS, name="Margins")
    page = painter.make("grids/board", layout=LAYOUT, mapping="A => /p/margins\nB => /p/nothing\n")
    body = wire.ask("GET", f"{page}/share").body
    assert "Parts that readers cannot open" in body and "Margins" in body and "nothing" not in body
    painter.share("grids/board", f"@{bob.name}~r")
    lacks = Wire(bob.owner).ask("GET", f"{page}/settings/address").body
    assert "The copy will lack" in lacks and f"/u/{painter.name}/p/margins" in lacks


def test_the_parts_that_a_copy_will_lack_are_listed_and_can_be_requested(
    web_user: WebUser, painter: Painter, bob: Painter
) -> None:
    page = painter.make("docs/board", content=text_of(painter))
    painter.share("docs/board", f"@{bob.name}~r")
    painter.share("plots/open", f"@{bob.name}~r")
    web_user.sign_in(bob.name)
    web_user.open(f"{page}/settings/address")
    text = web_user.text()
    assert "The copy will lack" in text and f"/u/{painter.name}/p/margins" in text
    assert f"/u/{painter.name}/p/figures" in text and "/p/open" not in text
    for _ in range(2):
        web_user.open(f"{page}/settings/address")
        web_user.press(f"text=Ask @{painter.name} to share it with you")
    assert web_user.text().count("would lack") == 1, "the same is asked once"
    assert web_user.page.locator(f"main a[href='/u/{painter.name}/p/margins/share']").count() == 1
    notices = painter.owner.server.ask("GET", "admin/notifications", who=painter.name)
    assert bob.name in str(notices)
    for plot in ("margins", "figures"):
        painter.share(f"plots/{plot}", f"@{bob.name}~r")
    web_user.open(f"{page}/settings/address")
    assert "will lack" not in web_user.text()


@pytest.mark.parametrize("kind", ["docs", "grids"])
def test_a_user_who_may_not_copy_learns_no_names(
    wire: Wire, painter: Painter, bob: Painter, kind: str
) -> None:
    painter.make("plots/margins", data=ROWS)
    texts = {
        "docs": {"content": "{{ vis ref: /p/margins }}"},
        "grids": {"layout": LAYOUT, "mapping": "A => /p/margins"},
    }
    page = painter.make(f"{kind}/board", **texts[kind])
    painter.share(f"{kind}/board", f"@{bob.name}~x")
    asking = Wire(bob.owner)
    refused = asking.post(f"{page}/settings", token=asking.token(page), do="ask for parts")
    assert refused.status == 400 and "lacks nothing" in refused.body


def test_ones_own_text_lacks_nothing(wire: Wire, painter: Painter) -> None:
    page = painter.make("docs/board", content="{{ vis ref: /p/nothing }}")
    assert "will lack" not in wire.ask("GET", f"{page}/settings/address").body
    refused = wire.post(f"{page}/settings", token=wire.token(page), do="ask for parts")
    assert refused.status == 400 and "lacks nothing" in refused.body
