"""Documents on a phone: charts drawn for the width, and tables that scroll in their box."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import WebUser

WIDE = " | ".join(f"a column of words {number}" for number in range(9))
TEXT = f"""# Board

{{{{ vis ref: /p/sales }}}}

{{{{ vis ref: /p/sales, width: 50%, align: center }}}}

| {WIDE} |
|{"---|" * 9}
| {WIDE} |
"""
MEASURE = """(leaf) => {
    const root = leaf.shadowRoot;
    const right = (one) => one.getBoundingClientRect().right;
    const beyond = [...root.querySelectorAll(".body *")].filter((one) => right(one) > innerWidth + 1
        && !one.closest(".scroll"));
    const charts = [...root.querySelectorAll("figure.vis img")];
    const box = root.querySelector(".scroll");
    return {
        beyond: beyond.map((one) => one.outerHTML.slice(0, 60)),
        page: document.documentElement.scrollWidth - innerWidth,
        drawn: charts.map((one) => one.naturalWidth),
        shown: charts.map((one) => one.getBoundingClientRect().width / innerWidth),
        stretched: charts.map((one) => one.naturalWidth / one.naturalHeight * one.height / one.width),
        scrolls: box.scrollWidth > box.clientWidth,
    };
}"""


@pytest.mark.parametrize("kind", ["doc", "blog", "pres"])
def test_nothing_of_a_document_is_cut_on_a_phone(
    window: Callable[..., WebUser], painter: Painter, kind: str
) -> None:
    painter.make("plots/sales", data=ROWS, config__type="line")
    page = painter.make("docs/board", content=TEXT, config__type=kind)
    painter.share("docs/board", "public~r")
    painter.vis("GET", "docs/board/files/doc.html")
    for width in (320, 390):
        for scripts in (True, False):
            web_user = window(java_script_enabled=scripts, viewport={"width": width, "height": 800})
            web_user.open(page)
            web_user.page.wait_for_selector(".leaf")
            if kind == "pres" and scripts:
                web_user.page.click("[data-go=all]")
            found = web_user.page.locator(".leaf").evaluate(MEASURE)
            assert found["beyond"] == [] and found["page"] == 0
            assert found["drawn"] == [358, 358]
            assert all(0.5 < share <= 1 for share in found["shown"]), found["shown"]
            assert found["stretched"] == pytest.approx([1, 1], abs=0.02)
            assert found["scrolls"] or kind == "pres"
