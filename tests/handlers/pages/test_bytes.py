"""Content of users in the browser of another signed-in user: no script runs, nothing is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Error, Response, Route

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Library, Owner, WebUser
from tests.handlers.pictures import drawn
from tests.kit.server import Server

BIO = "/v1/admin/profile/bio"
SEND = f"fetch('{BIO}', {{method: 'POST', headers: {{'Content-Type': 'text/plain'}}, body: 'acted'}})"
ACTION = f"document.title = 'acted'; {SEND}"
HTML = f"""<!doctype html><title>quiet</title><body onload="{ACTION}"><script>{ACTION}</script>
<img src="/static/none" onerror="{ACTION}"><script src="evil.js"></script><iframe src="evil.svg"></iframe>
<form id="f" method="post" action="/logout"><input name="token"></form><script>f.submit()</script>
<object data="evil.svg"></object><embed src="evil.svg"><style>@import "evil.css";</style>"""
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{ACTION}"><script>{ACTION}</script></svg>'
XHTML = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><script>{ACTION}</script></body></html>'
FILES = {"evil.html": HTML, "evil.svg": SVG, "evil.xhtml": XHTML, "evil.js": ACTION, "evil.xml": XHTML}
TYPES = {
    "evil.html": "text/html",
    "evil.svg": "image/svg+xml",
    "evil.xhtml": "application/xhtml+xml",
    "evil.js": "text/javascript",
    "evil.xml": "text/xml",
}


@pytest.fixture(scope="module")
def traps(server: Server, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The addresses of hostile bytes in every place that takes files, open to every signed-in user."""
    mallory = Owner(server, tmp_path_factory.mktemp("mallory"), library)
    home = f"/v1/users/{mallory.name}"

    def send(method: str, path: str, body: str | bytes, media: str) -> str:
        raw = body.encode() if isinstance(body, str) else body
        request = Request(f"{server.origin}/v1/{path}", raw, method=method)
        request.add_header("Authorization", f"Bearer {server.tokens[mallory.name]}")
        request.add_header("Content-Type", media)
        with urlopen(request):
            return f"/v1/users/{mallory.name}/{path}"

    mallory.push("web", {"Containerfile": "FROM scratch", **FILES})
    sha = mallory.read("repos/web/commits")[0]["name"]
    found = {f"code {name}": f"{home}/code/repos/web/commits/{sha}/files/{name}" for name in FILES}
    mallory.put("spaces/web")
    for name, text in FILES.items():
        found[f"space {name}"] = send("PUT", f"code/spaces/web/content/{name}", text, TYPES[name])
    server.ask("PUT", "vis/docs/web", who=mallory.name)
    found["asset"] = send("POST", "vis/docs/web/assets/evil.svg", SVG, "image/svg+xml")
    picture = drawn("png") + HTML.encode()
    send("POST", "admin/profile/picture/image", picture, "image/png")
    found["avatar"] = f"/v1/u/{mallory.name}/img"
    mallory.image("evil", f"WRITE=evil.html={HTML.replace(';', '')}".replace("\n", " "), f"ECHO={SVG}")
    mallory.job("web", "evil", description=HTML)
    run = f"{home}/code/jobs/web/runs/{mallory.trigger('web')}"
    found |= {"output": f"{run}/output", "log": f"{run}/log", "followed log": f"{run}/log?follow=1"}
    found["description"] = f"{home}/code/jobs/web/description"
    found["page"] = str(mallory.read("jobs/web/url"))
    visual = Painter(mallory)
    own = {"config__type": "custom", "config__custom__custom.js": ACTION, "config__custom__custom.css": HTML}
    words = {"config__title": SVG, "config__caption": HTML.replace("\n", " "), "summary": SVG, "name": "evil"}
    found["plot page"] = visual.make("plots/web", data=f"{HTML},n\n{SVG},1\n", **words, description=HTML)
    found["own plot page"] = visual.make("plots/own", data="a,n\nx,1\n", **own)
    for name, files in {"web": ("svg", "html", "txt"), "own": ("html",)}.items():
        found |= {f"{name} {form}": f"{home}/vis/plots/{name}/files/plot.{form}" for form in files}
    for path in (
        "code/repos/web",
        "code/spaces/web",
        "vis/docs/web",
        "code/jobs/web",
        "vis/plots/web",
        "vis/plots/own",
    ):
        server.ask("PUT", f"{path}/shared/public~r", who=mallory.name)
    return found


@pytest.fixture
def victim(window: Callable[..., WebUser], owner: Owner) -> WebUser:
    """A user's window, signed in."""
    web_user = window()
    web_user.sign_in(owner.name)
    return web_user


def opened(web_user: WebUser, path: str) -> Response | None:
    """Open an address as a link does; a download begins no page."""
    try:
        answer = web_user.page.goto(web_user.server.origin + path if path.startswith("/") else path)
    except Error:
        return None
    web_user.page.wait_for_timeout(200)
    web_user.complaints.clear()  # that a script was not run
    return answer


def bio(web_user: WebUser, owner: Owner) -> str:
    """Return the text that a hostile script would have written."""
    return str(web_user.server.ask("GET", "admin/profile/bio", who=owner.name))


def test_no_bytes_of_a_user_act_in_the_browser_of_another(
    victim: WebUser, owner: Owner, traps: Mapping[str, str]
) -> None:
    assert len(traps) >= 2 * len(FILES) + 6
    for name, path in traps.items():
        answer = opened(victim, path)
        assert (answer.status if answer else "a download") == (200 if name != "output" else "a download"), (
            name
        )
        assert victim.page.title() != "acted", name
        assert bio(victim, owner) == "", name
    victim.open("/")
    assert f"@{owner.name}" in victim.page.inner_text("header")


def test_the_same_bytes_would_act_without_their_headers(
    victim: WebUser, owner: Owner, traps: Mapping[str, str]
) -> None:
    def bare(route: Route) -> None:
        answer = route.fetch()
        headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
        route.fulfill(response=answer, headers=headers)

    path = traps["space evil.html"]
    victim.page.route(f"**{path}", bare)
    opened(victim, path)
    assert bio(victim, owner) == "acted"


@pytest.mark.parametrize("place", ["space evil.js", "code evil.js"])
def test_a_page_runs_no_file_of_a_user_even_if_it_named_one(
    victim: WebUser, owner: Owner, traps: Mapping[str, str], place: str
) -> None:
    def injected(route: Route) -> None:
        answer = route.fetch()
        script = f'<script src="{traps[place]}"></script><script>{ACTION}</script></body>'
        route.fulfill(response=answer, body=answer.text().replace("</body>", script))

    victim.page.route(f"**/u/{owner.name}", injected)
    answer = opened(victim, f"/u/{owner.name}")
    assert answer is not None
    assert traps[place] in answer.text()
    assert victim.page.title() != "acted"
    assert bio(victim, owner) == ""


def test_pages_and_docs_keep_to_their_policies(victim: WebUser, owner: Owner) -> None:
    job = owner.job("quiet")
    for path in (
        "/",
        f"/u/{owner.name}",
        job,
        "/docs",
        "/docs/api",
        "/docs/errors",
        "/openapi.json",
        "/static/mark.svg",
    ):
        assert victim.open(path) == 200
        victim.page.wait_for_timeout(100)
    assert victim.complaints == []
    victim.open(job)
    sheets = victim.page.locator("link[rel=stylesheet]")
    assert min(sheets.evaluate_all("all => all.map(one => one.sheet.cssRules.length)")) > 10
    assert victim.page.evaluate("document.querySelector('.brand img').naturalWidth") > 0
