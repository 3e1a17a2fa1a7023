"""The pages of plots and grids: their content and their controls, by permission."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire


@pytest.fixture
def bob(owner: Owner) -> Owner:
    """Somebody else."""
    return Owner(owner.server, owner.scratch)


def addresses(body: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'(?:src|srcset)="(/v1/[^"]+)"', body)]


def test_a_plot_is_shown_with_its_texts_and_picture(wire: Wire, painter: Painter) -> None:
    page = painter.make(
        "plots/sales",
        data=ROWS,
        config__type="gbar",
        config__title="The south <catches> up",
        config__subtitle="Boxes sold",
        config__caption="Counted by hand.",
        name="Sales",
        summary="By region",
        description="*More*",
    )
    body = wire.ask("GET", page).body
    assert "<h1>Sales</h1>" in body
    for words in ("Boxes sold", "Counted by hand.", "By region", "<em>More</em>", "Grouped bars"):
        assert words in body
    assert 'alt="Sales: By region"' in body
    shown = addresses(body)
    assert all("h=t" in one for one in shown), "the picture has another title than the page"
    assert len(shown) == 6
    assert len({address.rpartition("&v=")[2] for address in shown}) == 1
    assert {re.search(r"mode=(\w+)&width=(\d+)", one)[0] for one in shown} == {  # type: ignore[index]
        f"mode={mode}&width={width}" for mode in ("light", "dark") for width in (390, 800, 1152)
    }


def test_a_version_is_that_of_the_content(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data=ROWS)
    before = addresses(wire.ask("GET", page).body)
    assert addresses(wire.ask("GET", page).body) == before
    painter.vis("POST", "plots/sales/data", ROWS + "Apr,1,2\n")
    assert not set(before) & set(addresses(wire.ask("GET", page).body))


def test_the_data_are_a_table(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data="<b>a</b>,n\n" + "x & y,1\n" * 120)
    body = wire.ask("GET", page).body
    assert '<th scope="col">&lt;b&gt;a&lt;/b&gt;</th><th scope="col" class="number">n</th>' in body
    assert body.count("<td>x &amp; y</td>") == 100
    assert "120 rows, 2 columns; the first 100 and 2 are shown" in body


def test_the_short_address_shows_the_same(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data=ROWS)
    url = str(painter.vis("GET", "plots/sales/url"))
    assert re.fullmatch(rf"{wire.origin}/p/\w+", url)
    short = wire.ask("GET", url.removeprefix(wire.origin))
    assert f'<link rel="canonical" href="{url}">' in short.body
    assert addresses(short.body) == addresses(wire.ask("GET", page).body)
    assert wire.ask("GET", url.removeprefix(wire.origin).replace("/p/", "/g/")).status == 404


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
@pytest.mark.parametrize("signed", [True, False])
def test_a_hidden_item_has_the_same_response_as_a_missing_one(
    painter: Painter, bob: Owner, accept: str, signed: bool
) -> None:
    painter.make("plots/secret", data=ROWS)
    painter.make("docs/secret", content="# Hush\n")
    short, wire = str(painter.vis("GET", "plots/secret/shortname")), Wire(bob)
    letter = str(painter.vis("GET", "docs/secret/shortname"))
    there = (f"/u/{painter.name}/p/secret", f"/p/{short}", f"/u/{painter.name}/d/secret", f"/d/{letter}")
    gone = (f"/u/{painter.name}/p/nobody", "/p/zzzzz", f"/u/{painter.name}/d/nobody", "/d/zzzzz")

    def response_to(path: str) -> tuple[object, ...]:
        answer = wire.ask("GET", path, cookie=wire.cookie if signed else "", Accept=accept)
        body = re.sub(r'"\w{32}"|nonce="[^"]+"|value="\w{64}"', "", answer.body)
        return answer.status, *(
            text.replace(path.rpartition("/")[2], "*") for text in (body, answer.headers.get("Location", ""))
        )

    for hidden, absent in zip(there, gone, strict=True):
        assert response_to(hidden) == response_to(absent)
        assert response_to(hidden)[0] in (303, 401, 404)
        assert painter.name not in str(response_to(f"/p/{short}"))


def test_a_user_who_may_only_look_sees_no_data(painter: Painter, bob: Owner) -> None:
    page = painter.make("plots/sales", data=ROWS, config__title="Told by the picture", name="Sales")
    painter.share("plots/sales", f"@{bob.name}~x")
    body = Wire(bob).ask("GET", page).body
    assert "<h1>Sales</h1>" in body
    assert "Told by the picture" not in body
    assert len(addresses(body)) == 6
    assert all("h=t&c=t" in address for address in addresses(body))
    assert "north" not in body
    offered = re.findall(r"<strong>([\w ]+)</strong>", body[body.index("downloads") :])
    assert offered == ["PNG", "PDF", "PPTX", "SVG", "Web page", "Text", "Text in colours"]
    assert "/data" not in body
    assert "<dt>Type</dt>" not in body


def test_a_user_who_may_only_write_sees_no_picture(painter: Painter, bob: Owner) -> None:
    page = painter.make("plots/sales", data=ROWS)
    painter.share("plots/sales", f"@{bob.name}~w")
    body = Wire(bob).ask("GET", page).body
    assert "You may not see the picture" in body
    assert addresses(body) == []
    assert "Write other data" in body


def test_a_public_plot_needs_no_sign_in(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/sales", data=ROWS)
    painter.share("plots/sales", "public~r")
    answer = wire.ask("GET", page, cookie="")
    assert answer.status == 200
    assert "Sign in" in answer.body
    assert "Bearer" not in answer.body
    assert "plot.ansi?cols=100" in answer.body


@pytest.mark.parametrize("item, line", [("plots/new", "/data"), ("grids/new", "/layout")])
def test_its_owner_sees_what_to_do_next(
    wire: Wire, painter: Painter, bob: Owner, item: str, line: str
) -> None:
    page = painter.make(item)
    painter.share(item, f"@{bob.name}~r")
    body = wire.ask("GET", page).body
    assert "yet." in body
    assert f"{wire.origin}/v1/users/{painter.name}/vis/{item}{line}" in body
    assert addresses(body) == []
    others = Wire(bob).ask("GET", page).body
    assert "Accounts with write access" in others
    assert "printf" not in others


def test_a_grid_leads_to_those_of_its_plots_that_the_caller_sees(painter: Painter, bob: Owner) -> None:
    painter.make("plots/one", data=ROWS, config__title="First of all")
    painter.make("plots/two", data=ROWS, config__title="Kept to oneself")
    mapping = "A => /p/one\nB => /p/two\nC => /p/three\n"
    page = painter.make("grids/board", layout=LAYOUT, mapping=mapping)
    for item in ("plots/one", "grids/board"):
        painter.share(item, f"@{bob.name}~r")
    own, others = Wire(painter.owner).ask("GET", page).body, Wire(bob).ask("GET", page).body
    assert f'href="/u/{painter.name}/p/one"' in own and f'href="/u/{painter.name}/p/two"' in own
    assert f'href="/u/{painter.name}/p/one"' in others
    assert "First of all" in others
    assert "Kept to oneself" not in others and "/p/two" not in others.partition("With curl")[0]


def test_a_user_s_page_shows_small_pictures_when_they_come_into_view(wire: Wire, painter: Painter) -> None:
    painter.make("plots/sales", data=ROWS)
    body = wire.ask("GET", f"/u/{painter.name}").body
    assert f'<a href="/u/{painter.name}/p/sales">' in body
    assert 'loading="lazy"' in body
    assert len(addresses(body)) == 2


def test_own_drawing_code_is_kept_in_a_box(wire: Wire, painter: Painter) -> None:
    page = painter.make("plots/own", data=ROWS, config__type="custom")
    answer = wire.ask("GET", page)
    frame = re.search(r"<iframe[^>]+>", answer.body)
    assert frame is not None
    assert 'sandbox="allow-scripts"' in frame[0]
    assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]
    page = painter.make("plots/usual", data=ROWS)
    assert "frame-src" not in wire.ask("GET", page).headers["Content-Security-Policy"]


def test_own_drawing_code_runs_and_reaches_nothing(window: Callable[..., WebUser], painter: Painter) -> None:
    script = """
    const said = [columns.join(" "), data[1].north, render.dark, width > 100];
    const tries = {fetch: () => fetch("/v1/whoami"), parent: () => parent.document.title,
                   cookie: () => document.cookie, store: () => localStorage.length};
    (async () => {
      for (const [name, attempt] of Object.entries(tries)) {
        try { await attempt(); said.push(name + " open"); } catch (error) { said.push(name + " shut"); }
      }
      node.textContent = said.join(", ");
    })();
    """
    own = {"config__type": "custom", "config__custom__custom.js": script}
    page = painter.make("plots/own_script", data=ROWS, **own)
    web_user = window()
    web_user.sign_in(painter.name)
    web_user.open(page)
    drawn = web_user.page.frame_locator("iframe.framed").frame_locator("iframe").locator("#node")
    expect(drawn).to_have_text(
        "month north south, 15, false, true, fetch shut, parent shut, cookie shut, store shut"
    )
    web_user.complaints.clear()  # reports of what the script tried


def test_a_page_works_while_nothing_is_drawn(window: Callable[..., WebUser], painter: Painter) -> None:
    page = painter.make("plots/sales", data=ROWS)
    web_user = window()
    web_user.page.route("**/files/plot.svg?*", lambda route: route.fulfill(status=503))
    web_user.sign_in(painter.name)
    web_user.open(page)
    expect(web_user.page.locator(".undrawn")).to_contain_text("cannot be drawn just now")
    web_user.page.unroute("**/files/plot.svg?*")
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"></svg>'
    web_user.page.route(
        "**/files/plot.svg?*", lambda route: route.fulfill(body=svg, content_type="image/svg+xml")
    )
    expect(web_user.page.locator(".undrawn")).to_be_hidden()
    web_user.page.click("summary")
    expect(web_user.page.locator("details.data")).to_contain_text("3 rows")


def test_marks_of_the_picture_show_their_values_to_a_pointer(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    page = painter.make("plots/tips", data=ROWS, config__title="<b>Tips</b>")
    web_user = window()
    web_user.page.route(
        "**/files/plot.svg?*",
        lambda route: route.fulfill(body=MARKED, content_type="image/svg+xml"),
    )
    web_user.sign_in(painter.name)
    web_user.open(page)
    picture = web_user.page.locator("figure.drawn img")
    expect(web_user.page.locator(".marks")).to_have_count(0)
    assert web_user.complaints == []
    picture.hover()
    expect(web_user.page.locator(".marks path title")).to_have_text(["Jan: 12"])
    box = picture.bounding_box()
    assert box is not None and box == web_user.page.locator(".marks").bounding_box()
    at = [box["x"] + box["width"] / 4, box["y"] + box["height"] / 2]
    script = "([x, y]) => document.elementFromPoint(x, y).querySelector('title')?.textContent"
    assert web_user.page.evaluate(script, at) == "Jan: 12"
    left = web_user.page.locator(".marks").evaluate("one => one.outerHTML")
    for word in ("script", "onclick", "style", "foreignObject", "javascript", "All of it"):
        assert word not in left
    assert web_user.page.evaluate("window.ran") is None
    assert all("event handler" in one for one in web_user.complaints)
    web_user.complaints.clear()  # of what the drawing tried, which none of ours does


def test_marks_show_their_values_by_touch_and_by_keys(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    page = painter.make("plots/taps", data="month,n\nJan,12.3456\nFeb,1500000\nMar,7\n", config__type="line")
    painter.share("plots/taps", "public~r")
    web_user = window(
        viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    web_user.open(page)
    web_user.page.wait_for_function("document.querySelector('figure.drawn img').naturalWidth > 0")
    figure, tip = web_user.page.locator("figure.drawn"), web_user.page.locator("figure.drawn .tip")
    figure.focus()
    tips = []
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home"):
        figure.press(key)
        expect(tip).to_be_visible()
        tips.append(tip.inner_text())
    assert tips == [f"{month}: {n}" for month, n in (
        ("Jan", "12.3456"), ("Feb", "1,500,000"), ("Mar", "7"), ("Mar", "7"), ("Feb", "1,500,000"),
        ("Jan", "12.3456"),
    )]  # fmt: skip
    figure.press("Escape")
    expect(tip).to_be_hidden()
    mark = web_user.page.locator(".marks :has(> title)", has_text="Feb").bounding_box()
    assert mark is not None
    web_user.page.touchscreen.tap(mark["x"] + mark["width"] / 2 + 12, mark["y"] + mark["height"] / 2 + 9)
    expect(tip).to_have_text("Feb: 1,500,000")
    box = tip.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 400
    web_user.page.locator("h1").tap()
    expect(tip).to_be_hidden()


MARKED = """<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 400 200"
xmlns:xlink="http://www.w3.org/1999/xlink" onload="ran = 1">
<title>All of it</title><style>* { fill: red }</style><script>window.ran = 1</script>
<foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>
<svg width="400" height="200"><title>All of it, too</title></svg>
<g><path d="M0,0h200v200h-200z" style="fill: red" onclick="ran = 1"><title>Jan: 12</title></path></g>
<a href="javascript:alert(1)" xlink:href="javascript:alert(2)"><text x="300" y="100">Name</text></a></svg>"""
