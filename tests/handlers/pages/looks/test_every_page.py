"""Every page for every caller: the right response, accessible by axe's rules, within the screen.

Axe checks elements: a page without elements beyond those of a checked page is not checked again.
Widths depend on the place of a text: each place is checked with short and with long texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.handlers.pages.looks.sample_site import KINDS, PEOPLE, SampleSite, pages_of
from tests.handlers.pages.looks.stretching import broken, leaving, places, stretch
from tests.handlers.pages.web_user import Library, WebUser
from tests.kit.server import Server

SEES, READS, WRITES, OWNS = PEOPLE[:4], PEOPLE[:3], PEOPLE[:2], PEOPLE[:1]
OPENS = {
    "/edit": WRITES,
    "/edit/main/FILE": WRITES,
    "/share": OWNS,
    **dict.fromkeys(("/snapshots", "/snapshots/2026-q1"), READS),
    **dict.fromkeys(("/activity", "/hooks", "/commits", "/commits/SHA", "/builds"), READS),
}
"""The account that opens each page; the other pages are open to all who see the item."""
STATES = (
    *("success", "failed", "waiting", "running", "empty", "blank"),
    *("slides", "unwritten", "embed", "assets"),
)
SETTINGS = ("profile", "signin", "tokens", "notices", "hooks")
NEW = ("plot", "space", "group", "job", "job?from=repo", "job?from=approval", "job?from=nothing")
OWN = ("/notices", *(f"/new/{one}" for one in NEW), *(f"/settings/{name}" for name in SETTINGS))
OPEN = (
    *("/", "/menu", "/search?q=figures", "/search?q=nothing&kind=plot&tag=fav", "/plots", "/jobs?whose=mine"),
    *("/repos", "/shared", "/docs", "/docs/tour", "/docs/settings", "/docs?q=token", "/docs?q=qqq"),
    *("/forgotten", "/verify", "/reset", "/nothing", f"/u/{'o' * 39}/p/{'p' * 200}"),
)
ENTRANCES = ("/login?next=/x", "/register")
AXE, OPTIONS = Axe().axe_script, "{resultTypes: ['violations'], preload: false, iframes: false}"
NARROW, WIDE = {"width": 320, "height": 800}, {"width": 1280, "height": 900}
ELEMENT = re.compile(r"<([a-z][a-z0-9]*)([^>]*)>")
ATTRIBUTE = re.compile(r'([a-z-]+)(?:="([^"]*)")?')


@pytest.fixture(scope="module")
def sample_site(
    server: Server, library: Library, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SampleSite]:
    """The site."""
    sample_site = SampleSite(server, library, tmp_path_factory.mktemp("site"))
    yield sample_site
    sample_site.end()


@pytest.fixture(scope="module")
def looker(browser: Browser, server: Server, sample_site: SampleSite) -> Iterator[Looker]:
    """Windows of all callers."""
    looker = Looker(sample_site, lambda: WebUser(browser, server, viewport=NARROW, reduced_motion="reduce"))
    yield looker
    looker.close()


class Looker:
    """Checks of pages in windows of all callers, for each kind of page and each place of a text once."""

    def __init__(self, sample_site: SampleSite, window: Callable[[], WebUser]) -> None:
        self._site = sample_site
        self._windows = {who: window() for who in (*PEOPLE, "operator")}
        self._seen: list[frozenset[tuple[str, ...]]] = []
        self._measured: set[tuple[str, ...]] = set()
        for who, wire in sample_site.wires.items():
            name, _, value = wire.cookie.partition("=")
            cookie = {"name": name, "value": value, "url": sample_site.server.origin}
            self._windows[who].context.add_cookies([cookie])  # type: ignore[list-item]

    def close(self) -> None:
        """Close the windows; none may have complained."""
        for one in self._windows.values():
            one.close()

    def faults(self, who: str, path: str, answer: str = "") -> list[str]:
        """Return the faults of a page for a caller; none if its elements were checked before.

        `answer` is the body of the server's response to a form of that path.
        """
        status, body = (200, answer) if answer else self._site.ask(who, path)
        shape, where = elements(body), places(body)
        for_axe = not any(shape <= one for one in self._seen)
        if status == 303 or (not for_axe and where <= self._measured):
            return []
        self._seen += [shape] if for_axe else []
        self._measured |= where
        page, schemes = self._windows[who].page, ("light", "dark")[:: 1 if len(self._seen) % 2 else -1]
        if answer:
            page.route(f"**{path}", lambda route: route.fulfill(body=answer, content_type="text/html"))
        self._open(who, path)
        page.unroute_all()
        wrong = []
        for size, scheme in zip((NARROW, WIDE), schemes, strict=True):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            wrong += [*leaving(page), *broken(page), *(look(page) if for_axe else ())]
        stretch(page)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            wrong += [f"with long texts, {one}" for one in leaving(page)]
        return [f"{path} as {who}: {one}" for one in wrong]

    def _open(self, who: str, path: str) -> None:
        page = self._windows[who].page
        page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        self._windows[who].open(path)
        if page.locator("[data-leaves]").count():
            page.wait_for_selector(".leaf")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def page(self, who: str, path: str) -> WebUser:
        """Return the window of a caller with a page."""
        self._windows[who].open(path)
        return self._windows[who]


def look(page: Page) -> list[str]:
    """Return the violations that axe finds in a page."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE)
    found = page.evaluate(f"axe.run({OPTIONS}).then((result) => result.violations)")
    return [f"{one['id']}: {[node['html'] for node in one['nodes']]}" for one in found]


def elements(body: str) -> frozenset[tuple[str, ...]]:
    """Return the elements of a page with their classes and the names of their attributes."""
    found = set()
    for tag, rest in ELEMENT.findall(body):
        attributes = dict(ATTRIBUTE.findall(rest))
        found.add((tag, attributes.get("class", ""), *sorted(attributes)))
    return frozenset(found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_of_a_thing(sample_site: SampleSite, looker: Looker, kind: str) -> None:
    wrong = []
    for word, path in pages_of(sample_site, kind).items():
        for who in PEOPLE:
            status = sample_site.ask(who, path)[0]
            if status != expected(kind, word, who):
                wrong.append(f"{path} as {who}: {status}")
            wrong += looker.faults(who, path)
    assert wrong == []


def test_a_user_of_the_image_of_a_repo_reads_none_of_its_files(sample_site: SampleSite) -> None:
    path, text = pages_of(sample_site, "repo")["/at/main/FILE"], "x" * 1_000
    assert [text in sample_site.ask(who, path)[1] for who in PEOPLE] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def expected(kind: str, word: str, who: str) -> int:
    """Return the expected status of a page of an item."""
    if who == "nobody":
        return 303
    if who not in SEES or (kind, who) == ("space", "user"):
        return 404
    return 200 if who in OPENS.get(word, SEES) else 403


def test_other_states_of_things(sample_site: SampleSite, looker: Looker) -> None:
    wrong = [one for name in STATES for one in looker.faults("owner", sample_site.pages[name])]
    wrong += looker.faults("user", sample_site.pages["running"])
    assert [sample_site.ask(who, sample_site.pages["embed"])[0] for who in PEOPLE] == [200] * len(PEOPLE)
    assert wrong == []


def test_answers_to_forms(sample_site: SampleSite, looker: Looker) -> None:
    wire, path = sample_site.wires["owner"], f"{sample_site.pages['document']}/edit"
    texts = {"text.content": "# Mine\n", "base.content": "# Old\n", "etag.content": '"an older one"'}
    form = {"token": wire.token(path), "do": "save", **texts}
    conflict = wire.post(path, **form)
    kept = wire.ask("POST", path, urlencode(form), cookie="", Origin=wire.origin)
    refused = wire.post("/new/plot", token=form["token"], title="x" * 300, name="x" * 300, begin="nothing")
    assert [one.status for one in (conflict, kept, refused)] == [412, 403, 400]
    answers = (("owner", path, conflict), ("nobody", path, kept), ("owner", "/new/plot", refused))
    assert [one for who, at, said in answers for one in looker.faults(who, at, said.body)] == []


def test_pages_of_people_and_groups(sample_site: SampleSite, looker: Looker) -> None:
    group, org = sample_site.pages["group"], sample_site.pages["org"]
    answers = {
        sample_site.pages["person"]: (200, 200, 200, 200, 200, 303),
        group: (200, 404, 200, 404, 404, 303),
        f"{group}/settings": (200, 404, 403, 404, 404, 303),
        org: (200, 200, 200, 200, 200, 303),
        f"{org}/settings": (403, 403, 403, 403, 403, 303),
    }
    assert {path: tuple(sample_site.ask(who, path)[0] for who in PEOPLE) for path in answers} == answers
    assert [one for path in answers for who in PEOPLE for one in looker.faults(who, path)] == []


def test_pages_of_the_account_and_pages_for_everybody(sample_site: SampleSite, looker: Looker) -> None:
    for path in OWN:
        assert [sample_site.ask(who, path)[0] for who in ("owner", "stranger", "nobody")] == [
            200,
            200,
            303,
        ], path
    for path in ENTRANCES:
        assert [sample_site.ask(who, path)[0] for who in ("owner", "nobody")] == [303, 200], path
    absent = [f"/u/{sample_site.owner.name}/{path}" for path in ("r/absent", "s/absent", "j/absent/edit")]
    assert [sample_site.ask("owner", path)[0] for path in absent] == [404] * len(absent)
    pages = (*OWN, *OPEN, *ENTRANCES)
    assert [
        one for path in pages for who in ("owner", "stranger", "nobody") for one in looker.faults(who, path)
    ] == []


def test_the_page_of_operators_is_there_for_them_alone(sample_site: SampleSite, looker: Looker) -> None:
    assert [sample_site.ask(who, "/operator")[0] for who in PEOPLE] == [404] * len(PEOPLE)
    assert ["/operator" in sample_site.ask(who, "/menu")[1] for who in ("owner", "operator")] == [False, True]
    sent = {"username": "operator", "password": sample_site.server.password("operator")}
    bearer = f"Bearer {sample_site.server.ask('POST', 'token', sent)['token']}"
    owner, wire = sample_site.owner.name, sample_site.wires["owner"]
    assert wire.ask("GET", "/operator", cookie="", Authorization=bearer).status == 404
    wrong = f"username={owner}&password=wrong"
    assert wire.ask("POST", "/login", wrong, cookie="", Origin=wire.origin).status == 401
    status, body = sample_site.ask("operator", "/operator?after=%00")
    assert status == 200
    run = sample_site.pages["waiting"].rsplit("/", 1)[1]
    about = re.compile(rf"<strong>sign-in</strong> refused.*about @{owner} ")
    shown = (
        f"<code>@{owner}/waiting/{run}</code>",
        f"<strong>@{owner}</strong>",
        "<strong>Database</strong>",
    )
    assert [one for one in shown if one not in body] == []
    assert about.search(body)
    assert "None come after @zzz" in sample_site.ask("operator", "/operator?after=zzz")[1]
    assert looker.faults("operator", "/operator") == []


def test_what_opens_on_a_page(sample_site: SampleSite, looker: Looker) -> None:
    page = looker.page("owner", sample_site.pages["plot"]).page
    wrong = []
    for menu in ("new", "me"):
        page.click(f"[popovertarget={menu}]")
        wrong += look(page)
    page.keyboard.press("Escape")
    page.click(".title a[data-dialog]")
    page.wait_for_selector("dialog[open] h1")
    assert wrong + look(page) == []
