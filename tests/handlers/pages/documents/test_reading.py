"""Documents in a browser: the outline, slides and their keys, printing, and a hostile theme."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from pypdfium2 import PdfDocument

from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import WebUser

SOON = 2.0
LINES = "\n\n".join(["Words of a paragraph."] * 30)
REPORT = "\n\n".join(
    ("---\ntitle: Spring\n---\n# Summary", LINES, "# Method\nHow[[ftn: So.]]", LINES, "## Last", LINES)
)
SLIDES = "---\ntitle: Board\n---\n" + "".join(
    f"{{{{ page /}}}}\n# {word}\nText of {word}\n" for word in ("One", "Two", "Three")
)
HARM = """
html, :root { position: relative !important; z-index: 999999; background: red }
:host { position: var(--p); --p: fixed !important; inset: 0; width: 400vw; height: 9999px; margin: -99vw }
body { transform: scale(9); position: var(--p); inset: -2000px; z-index: 99999; background: red }
h1, .top, .crumbs, a { display: none !important; color: red !important }
"""


def opened(web_user: WebUser, page: str) -> WebUser:
    """Return the window with a page whose document is loaded."""
    web_user.open(page)
    web_user.page.wait_for_selector(".leaf")
    return web_user


@pytest.fixture
def public(painter: Painter) -> Callable[..., str]:
    """A function that makes and renders documents that everybody may read."""

    def make(name: str, text: str, **files: str) -> str:
        page = painter.make(f"docs/{name}", content=text, **files)
        painter.share(f"docs/{name}", "public~r")
        painter.vis("GET", f"docs/{name}/files/doc.html")
        return page

    return make


def test_the_outline_leads_into_the_document(
    window: Callable[..., WebUser], public: Callable[..., str]
) -> None:
    page = public("report", REPORT)
    for scripts in (True, False):
        web_user = opened(window(java_script_enabled=scripts), page)
        web_user.page.click("nav.outline >> text=Method")
        assert web_user.page.url.endswith("#s-method")
        box = web_user.page.locator("span#s-method").bounding_box()
        assert box is not None and 0 <= box["y"] < 100
        heading = web_user.page.locator(".leaf h1:has-text('Method')").bounding_box()
        assert heading is not None and -5 < heading["y"] - box["y"] < 60
        if scripts:
            expect(web_user.page.locator("nav.outline [aria-current]")).to_have_text("Method")
            web_user.page.keyboard.press("End")
            expect(web_user.page.locator("nav.outline [aria-current]")).to_have_text("Last")
        web_user.page.click(".leaf sup.call a")
        assert web_user.page.url.endswith("#s-note-1")


def test_a_write_shows_where_one_reads(window: Callable[..., WebUser], painter: Painter) -> None:
    painter.make("plots/sales", data=ROWS, config__title="Before")
    page = painter.make("docs/live", content=REPORT.replace("How", "{{ vis ref: /p/sales }}\n\nHow"))
    painter.share("docs/live", "public~r")
    web_user = opened(window(color_scheme="dark"), page)
    web_user.page.evaluate("window.same = true")
    web_user.page.click("nav.outline >> text=Method")
    for path, text, shown in (
        ("docs/live/content", "# Method\nWholly new", "p:has-text('Wholly new')"),
        ("docs/live/config/type", "pres", ".alone .sheet:not([data-away])"),
    ):
        painter.vis("POST", path, text)
        written = time.monotonic()
        web_user.page.wait_for_selector(f".leaf {shown}")
        assert time.monotonic() - written < SOON
    expect(web_user.page.locator(".slide-bar")).to_be_visible()
    assert web_user.page.evaluate("window.same") is True
    faces = web_user.page.evaluate("[...document.fonts].filter(one => one.status === 'loaded').length")
    assert faces > 0


def test_slides_are_shown_one_by_one(window: Callable[..., WebUser], public: Callable[..., str]) -> None:
    web_user = opened(window(), public("board", SLIDES, config__type="pres") + "#3")
    slide, number = web_user.page.locator(".leaf .sheet:visible"), web_user.page.locator("[data-number]")
    expect(slide).to_have_count(1)
    expect(slide).to_contain_text("Text of Two")
    for key, shown in (("ArrowRight", "4"), (" ", "4"), ("ArrowLeft", "3"), ("Shift+ ", "2"), ("Home", "1"),
                       ("ArrowDown", "2"), ("End", "4"), ("PageUp", "3")):  # fmt: skip
        web_user.page.keyboard.press(key.replace(" ", "Space"))
        expect(number).to_have_text(shown)
        assert web_user.page.url.endswith(f"#{shown}") or key == " "
    expect(web_user.page.get_by_role("status")).to_have_text("Slide 3 / 4")
    web_user.page.keyboard.press("f")
    web_user.page.wait_for_function("document.fullscreenElement?.className === 'stage'")
    web_user.page.keyboard.press("ArrowLeft")
    expect(number).to_have_text("2")
    web_user.page.keyboard.press("f")
    web_user.page.wait_for_function("!document.fullscreenElement")
    web_user.page.click("text=All slides")
    expect(slide).to_have_count(4)
    web_user.page.click("text=All slides")
    web_user.page.click("[data-go=next]")
    web_user.page.click(".slide-list summary")
    web_user.page.click(".slide-list >> text=One")
    expect(slide).to_contain_text("Text of One")
    # A key is a link's or a button's own while that has the focus.
    web_user.page.focus(".offers a")
    web_user.page.keyboard.press("End")
    expect(number).to_have_text("2")


def test_slides_flow_where_no_script_runs(window: Callable[..., WebUser], public: Callable[..., str]) -> None:
    page = public("board", SLIDES, config__type="pres")
    web_user = opened(window(java_script_enabled=False), f"{page}#4")
    expect(web_user.page.locator(".leaf .sheet:visible")).to_have_count(4)
    assert not web_user.page.locator(".slide-bar").is_visible()
    box = web_user.page.locator(".leaf .sheet").nth(3).bounding_box()
    assert box is not None and -30 < box["y"] < 400
    assert box["width"] / box["height"] == pytest.approx(16 / 9, abs=0.02)


def test_all_of_a_document_is_printed_and_nothing_else(
    window: Callable[..., WebUser], public: Callable[..., str]
) -> None:
    report, board = public("report", REPORT), public("board", SLIDES, config__type="pres")
    web_user = opened(window(color_scheme="dark"), report)
    text = printed(web_user)
    assert "Spring" in text[0] and "So." in text[-1] and len(text) > 2
    assert "curl" not in "".join(text) and "Download" not in "".join(text)
    text = printed(opened(web_user, f"{board}#2"))
    assert [next(iter(page.split()), "") for page in text] == ["Board", "One", "Two", "Three"]


def printed(web_user: WebUser) -> list[str]:
    """The text of each page, when the window's page is printed."""
    paper = PdfDocument(io.BytesIO(web_user.page.pdf(prefer_css_page_size=True)))
    return [page.get_textpage().get_text_range() for page in paper]


def test_a_theme_stays_in_its_box(window: Callable[..., WebUser], public: Callable[..., str]) -> None:
    harm = {"config__theme": "custom", "config__custom__custom.css": HARM}
    page = public("harm", REPORT.replace("Spring", "Harm"), **harm)
    for scripts in (True, False):
        web_user = opened(window(java_script_enabled=scripts), page)
        hit = """() => ['.top .brand', '.crumbs a', '.offers a', 'nav.outline a'].filter(one => {
            const element = document.querySelector(one), box = element.getBoundingClientRect();
            const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return there !== element && !element.contains(there);
        })"""
        assert web_user.page.evaluate(hit) == []
        assert web_user.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        color = "getComputedStyle(document.querySelector('.crumbs a')).color"
        assert web_user.page.evaluate(color) != "rgb(255, 0, 0)"
        assert (
            web_user.page.locator(".leaf p").first.evaluate(
                "one => getComputedStyle(one.closest('.body')).backgroundColor"
            )
            == "rgb(255, 0, 0)"
        )
