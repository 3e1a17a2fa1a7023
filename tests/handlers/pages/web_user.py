"""A person with a browser, and the jobs for tests of pages."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, BrowserContext, Page

from tests.kit.server import Server, environment

SECONDS = 120_000
OPERATOR = "operator"
HARMLESS = ("the server responded with a status of", "closed before the connection is established")
"""Messages of a browser about a correct page: responses of 4xx, and a page that was left at once."""

_numbers = itertools.count(1)


@dataclass
class Owner:
    """A user with a token, who prepares the content of the server before pages are opened."""

    server: Server
    scratch: Path
    library: Library | None = None
    name: str = field(default_factory=lambda: f"page-{next(_numbers)}")
    _images: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.server.add(self.name)

    def put(self, path: str) -> None:
        """Make an entry of this user's code."""
        self.server.ask("PUT", f"code/{path}", who=self.name)

    def write(self, path: str, text: str) -> None:
        """Write a file of this user's code."""
        self.server.ask("POST", f"code/{path}", text.encode(), self.name)

    def read(self, path: str) -> Any:
        """Return a file of this user's code, as JSON if it has that form."""
        return self.server.ask("GET", f"code/{path}", who=self.name)

    def image(self, name: str, *script: str) -> None:
        """Provide an image with this script; the chains of this user's jobs call it `name`."""
        assert self.library is not None
        self._images[name] = self.library.repo(script)

    def push(self, repo: str, files: Mapping[str, str]) -> None:
        """Make a repo, push files and await the image."""
        self.put(f"repos/{repo}")
        said = self.server.push(self.name, repo, files, self.scratch / f"{self.name}-{repo}")
        assert f"ready @{self.name}/{repo}:latest" in said, said

    def job(self, name: str, chain: str = "", /, **files: str) -> str:
        """Make a job; return the address of its page from the API."""
        self.put(f"jobs/{name}")
        if chain:
            self.write(f"jobs/{name}/config/chains", bound(chain, self._images))
        for path, text in files.items():
            self.write(f"jobs/{name}/{path.replace('__', '/')}", text)
        return str(self.read(f"jobs/{name}/url"))

    def trigger(self, job: str, files: Mapping[str, str] | None = None, *, wait: int = 60) -> str:
        """Run a job and wait for its end or its hold; return the id of the run."""
        request = Request(f"{self.server.root}code/jobs/{job}/data", b"{}", method="POST")
        request.add_header("Authorization", f"Bearer {self.server.tokens[self.name]}")
        request.add_header("Content-Type", "application/json")
        request.add_header("Prefer", f"wait={wait}")
        with answered(request) as answer:
            return str(answer.headers["Location"]).rsplit("/", 1)[1]

    def stats(self, job: str, run: str) -> dict[str, Any]:
        """The facts of a run."""
        facts: dict[str, Any] = self.read(f"jobs/{job}/runs/{run}/stats")
        return facts


@dataclass
class Operator(Owner):
    """The account that the settings name as an operator: nobody can register it, so a command makes it."""

    name: str = OPERATOR

    def __post_init__(self) -> None:
        command = ["user", "add", self.name, "--password-stdin", "--data", str(self.server.folder)]
        subprocess.run(
            [sys.executable, "-P", "-m", "handlers", *command],
            input=self.server.password(self.name), env=environment(CURLEW_PASSWORD_MEMORY="8"),
            capture_output=True, text=True, check=True,
        )  # fmt: skip


class Library:
    """The images that all tests share, since a push for each would take most of their time."""

    def __init__(self, server: Server, scratch: Path) -> None:
        self._owner = Owner(server, scratch)
        self._repos: dict[tuple[str, ...], str] = {}

    def repo(self, script: tuple[str, ...]) -> str:
        """Return the reference of an image with this script, open to all jobs."""
        if script not in self._repos:
            name = f"image-{len(self._repos)}"
            self._owner.push(
                name, {"Containerfile": "\n".join(["FROM scratch", *(f"ENV {one}" for one in script)])}
            )
            self._owner.put(f"repos/{name}/shared/public~x")
            self._repos[script] = f"@{self._owner.name}/{name}"
        return self._repos[script]


def bound(chain: str, images: Mapping[str, str]) -> str:
    """Return a chain with its short names replaced by images of the library."""
    bindings, edges = {}, []
    for line in chain.split("\n"):
        label, arrow, reference = line.partition(" <- ")
        if arrow:
            bindings[label] = images.get(reference, reference)
        else:
            edges.append(line)
    for word in (word.strip(" !.") for line in edges for word in line.split("->")):
        if word in images:
            bindings.setdefault(word, images[word])
    lone = [line for line in edges if "->" not in line]
    lines = [f"{label} <- {reference}" for label, reference in bindings.items()]
    return "\n".join(lines if lone and bindings else [*lines, *edges])


@contextmanager
def answered(request: Request) -> Iterator[Any]:
    """Return the response to a request, with any status."""
    try:
        with urlopen(request) as answer:
            yield answer
    except HTTPError as refused:
        with refused:
            yield refused


class WebUser:
    """A browser window of one person, which keeps the errors of its console."""

    def __init__(self, browser: Browser, server: Server, **options: Any) -> None:
        self.server = server
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(SECONDS)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error.stack}"))

    def sign_in(self, name: str, password: str = "") -> None:
        """Fill the sign-in form of the present page in, or that of /login."""
        if not self.page.locator("input[name=password]").count():
            self.open("/login")
        self.page.fill("input[name=username]", name)
        self.page.fill("input[name=password]", password or self.server.password(name))
        self.press("main button")

    def press(self, what: str) -> None:
        """Click on a button or link that leads to a page, and wait until that page is there."""
        with self.page.expect_navigation():
            self.page.click(what)

    def confirm(self, label: str) -> None:
        """Press a button that asks first, and say yes."""
        self.page.click(f".asks > summary:has-text('{label}')")
        self.press(".asks[open] button.danger")

    def open(self, path: str) -> int:
        """Go to a path or an address; return the status of the response."""
        answer = self.page.goto(path if path.startswith("http") else f"{self.server.origin}{path}")
        assert answer is not None
        return answer.status

    def text(self) -> str:
        """Return the text of the page."""
        return self.page.inner_text("main")

    def cookie(self) -> dict[str, Any]:
        """The session cookie."""
        return next(dict(one) for one in self.context.cookies() if one["name"] == "curlew_session")

    def close(self) -> None:
        """Close the window. No page may have broken its own policy or failed in its script."""
        self.context.close()
        assert self.complaints == [], self.complaints

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(harmless in text for harmless in HARMLESS):
            self.complaints.append(text)
