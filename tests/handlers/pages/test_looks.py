"""Every page in light and dark, on a phone and on a desktop: accessible by axe's rules, within its width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.visitor import Library, Owner, Visitor
from tests.kit.server import Server

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
PAGES = ("signin", "home", "missing", "empty", "job", "success", "failed", "waiting", "running", "unread")
PEOPLE = ("user", "group", "org")
LISTS = ("found", "nothing", "plots", "jobs", "repos", "shared")
VISUALS = ("plot", "blank", "grid", "report", "slides", "unwritten")
EDITORS = {"plot edit": "plot", "blank edit": "blank", "grid edit": "grid"}
CHART = (
    "{{ vis ref: /p/sales }}\n\n```python\nprint('as long as lines of code come, of ninety letters')\n```\n"
)
REPORT = (
    "---\ntitle: Spring\ntoc: yes\n---\n# Sums\n| a | b |\n|--|--|\n| 1 | 2 |\n\n"
    + CHART
    + "\n## One[[ftn: a]]\n"
)
SLIDES = "---\ntitle: Board\n---\n{{ page /}}\n# One\n" + CHART + "\n{{ page /}}\n## Two\n- $x$\n"
OWNING = ("settings", "share", "new", "menu")
MANUAL = ("docs", "docs/tour", "docs/settings", "docs/security")


@pytest.fixture(scope="module")
def shown(server: Server, library: Library) -> Iterator[Mapping[str, str]]:
    """The addresses of the pages, and their owner's name."""
    owner = Owner(server, Path(), library)
    owner.image("fetch", "WRITE=a.txt=a;b.csv=b", "ECHO=fetching")
    owner.image("each", "COPY=.")
    owner.image("bad", "STDERR=broken", "EXIT=3")
    owner.image("slow", "SLEEP=600")
    told = {
        "name": "The figures",
        "summary": "What it is",
        "description": "# More\n\n`code` and [a link](/docs)",
    }
    asks = {f"config__options__{name}": "optional" for name in ("input", "stdin", "argv")}
    chain = "a <- fetch\nb <- each\nc <- each\nd <- each\na -> .b -> d\na -> c -> d\na -> d"
    pages = {"job": owner.job("good", chain, config__schedule="0 8 * * *", **told, **asks)}
    pages |= {"empty": owner.job("empty"), "success": f"{pages['job']}/{owner.trigger('good')}"}
    for name, chain, wait in (("failed", "fetch -> bad -> each", 60), ("waiting", "fetch -> !each", 60),
                              ("running", "fetch -> slow -> each", 0)):  # fmt: skip
        pages[name] = f"{owner.job(name, chain)}/{owner.trigger(name, wait=wait)}"
    other = Owner(server, Path())
    owner.put(f"jobs/running/shared/@{other.name}~x")
    pages |= people(server, owner.name, other.name) | visuals(Painter(owner))
    pages |= {"signin": "/login?next=/x", "home": "/", "missing": "/u/nobody/j/nothing"}
    pages |= {name: f"/{name}" for name in (*MANUAL, "menu")}
    pages |= {"settings": f"{pages['plot']}/settings", "share": f"{pages['plot']}/share", "new": "/new/plot"}
    pages |= {name: f"/{name}" for name in MANUAL}
    pages |= {"found": "/search?q=sales", "nothing": "/search?q=nothing&kind=plot&tag=fav"}
    pages |= {name: f"/{name}" for name in ("plots", "jobs", "repos", "shared")}
    pages |= {"unread": pages["running"], "owner": owner.name, "other": other.name}
    yield pages
    owner.write(f"jobs/running/runs/{pages['running'].rsplit('/', 1)[1]}/status", "canceled")


def people(server: Server, owner: str, other: str) -> dict[str, str]:
    """The pages of a user with an invitation, of a group with another one, and of an organisation."""
    group = f"crew-{owner}-".ljust(64, "x")
    server.ask("PUT", f"admin/groups/{group}", who=owner)
    server.ask("PUT", f"admin/groups/{group}/roles/admins/{other}", who=owner)
    org = f"org-{owner}"
    server.add(org, account_type="organisation")
    server.ask("PUT", f"admin/orgs/{org}", who=org)
    server.ask("PUT", f"admin/orgs/{org}/roles/admins/{owner}", who=org)
    server.ask("POST", f"admin/orgs/{org}/profile/options/public", b"yes", org)
    return {"user": f"/u/{owner}", "group": f"/u/{owner}/grp/{group}", "org": f"/o/{org}"}


def visuals(painter: Painter) -> dict[str, str]:
    """The pages of a plot, of one without data, of a grid, and of documents."""
    words = {"summary": "Sales of a spring", "description": "# More\n\n`code`", "name": "Sales"}
    config = {"config__title": "The south catches up", "config__caption": "Counted by hand"}
    long_row = ",".join(["x" * 300, *("1" * 30)])
    return {
        "plot": painter.make("plots/sales", data=f"{ROWS}{long_row}\n", **config, **words),
        "blank": painter.make("plots/new"),
        "report": painter.make("docs/report", content=REPORT, **words),
        "slides": painter.make("docs/slides", content=SLIDES, config__type="pres"),
        "unwritten": painter.make("docs/unwritten"),
        "grid": painter.make("grids/board", layout=LAYOUT, mapping="A => /p/sales, h=t\nB => /p/new\n"),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_are_accessible_and_fit(
    window: Callable[..., Visitor], shown: Mapping[str, str], scheme: str, size: str
) -> None:
    width, height = SIZES[size]
    looks = {
        "viewport": {"width": width, "height": height},
        "color_scheme": scheme,
        "reduced_motion": "reduce",
    }
    visitors = {name: window(**looks) for name in ("nobody", "owner", "other")}
    for name in ("owner", "other"):
        visitors[name].sign_in(shown[name])
    axe, wrong = Axe(), []
    for name in (*PAGES, *PEOPLE, *VISUALS, *EDITORS, *OWNING, *MANUAL):
        visitor = visitors[{"signin": "nobody", "unread": "other"}.get(name, "owner")]
        visitor.open(f"{shown[EDITORS[name]]}/edit" if name in EDITORS else shown[name])
        if name in ("report", "slides"):
            visitor.page.wait_for_selector(".leaf")
        for closed in visitor.page.locator("details").all():
            closed.evaluate("one => { one.open = true; }")
        found = axe.run(visitor.page, options={"resultTypes": ["violations"], "preload": False})
        wrong += [f"{name}: {one['id']}: {one['nodes']}" for one in found.response["violations"]]
        over = visitor.page.evaluate("document.documentElement.scrollWidth")
        wrong += [f"{name}: {over} pixels wide"] if over > width else []
    assert wrong == []
