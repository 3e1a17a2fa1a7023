"""This service in one process, and people with browsers that go to the provider and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import requests

from handlers.processes.web import application
from handlers.processes.world import build
from handlers.services.world import World
from handlers.settings.settings import Settings
from tests.handlers.oidc.company import CLIENT, SECRET, Company
from tests.kit.client import environment
from tests.kit.clocks import AheadClock
from tests.kit.world import make_tables
from vfs.ports.people import Account

PASSWORD = "correct horse battery {name}"
TITLE = re.compile(r"<div class=\"notice bad\" role=\"alert\"><p>(.*?)</p>", re.DOTALL)


@dataclass
class Page:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def said(self) -> str:
        """The sentence of a refusal."""
        found = TITLE.search(self.text)
        return found[1] if found else ""


@dataclass
class Visitor:
    """A browser with its cookies."""

    service: Service
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, form: Mapping[str, str] | None = None, **more: str) -> Page:
        headers = [("Accept", "text/html"), ("Host", "testserver"), *more.items()]
        if self.cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        body = urlencode(form or {}).encode() if form is not None else b""
        if form is not None:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        found = self.service.call(method, path, headers, body)
        for name, value in found.headers:
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
                if "Max-Age=0" in value:
                    del self.cookies[key]
        return found

    def go(self, path: str) -> Page:
        return self.ask("GET", path)

    def post(self, path: str, **form: str) -> Page:
        token = re.search(r'name="token" value="([0-9a-f]+)"', self.go(path).text)
        return self.ask("POST", path, {"token": token[1] if token else "", **form})

    def to_provider(self, path: str = "/oidc/sign-in") -> str:
        """Go to the provider and sign in there; the path that leads back here."""
        there = self.go(path)
        assert there.status == 303, there.said
        return self.service.company_answer(there.header("location"))

    def sign_in(self, path: str = "/oidc/sign-in") -> Page:
        return self.go(self.to_provider(path))

    def whoami(self) -> str:
        found = self.ask("GET", "/v1/whoami", Accept="application/json")
        return str(json.loads(found.body).get("username", "")) if found.status == 200 else ""


@dataclass
class Service:
    """The service, in this process."""

    company: Company
    application: Any
    world: World
    folder: Path
    clock: AheadClock

    def call(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes = b"") -> Page:
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, answered: list[tuple[str, str]], _error: Any = None) -> None:
            begun.append((status, answered))

        chunks = self.application(environment(method, path, headers, body), start)
        content = b"".join(chunks)
        return Page(int(begun[-1][0][:3]), begun[-1][1], content)

    def company_answer(self, address: str) -> str:
        there = requests.get(address, allow_redirects=False, timeout=20)
        assert there.status_code == 302, there.said
        parts = urlsplit(there.headers["location"])
        return f"{parts.path}?{parts.query}"

    def visitor(self) -> Visitor:
        return Visitor(self)

    def user(self, name: str, email: str | None = None) -> Visitor:
        """A person with a password, who is signed in."""
        add_user(self.world, name, email)
        visitor = self.visitor()
        visitor.ask("POST", "/login", {"username": name, "password": PASSWORD.format(name=name)})
        assert visitor.whoami() == name
        return visitor

    def log(self) -> list[dict[str, Any]]:
        """The lines of the security log."""
        return [json.loads(line) for line in (self.folder / "security.log").read_text().splitlines()]


def add_user(world: World, name: str, email: str | None = None) -> None:
    """An account with a password."""
    secret = world.people.passwords.digest(PASSWORD.format(name=name))
    world.people.users.add(name, secret, Account.REGULAR, email, public=False)
    if email:
        world.people.users.change(name, verified=True)


@contextmanager
def open_here(company: Company, folder: Path, **settings: Any) -> Iterator[Service]:
    """The service with this provider."""
    make_tables(folder)
    settings = {"oidc_client_secret": SECRET, **settings}
    chosen = Settings(
        data=str(folder),
        bind="0.0.0.0:8000",
        password_memory=8,
        password_time=1,
        oidc_issuer=company.issuer,
        oidc_client_id=CLIENT,
        oidc_name="Acme",
        oidc_scopes="openid profile email groups",
        **settings,
    )
    clock = AheadClock()
    live_world = build(chosen, clock)
    try:
        yield Service(company, application(chosen, live_world), live_world.world, folder, clock)
    finally:
        live_world.close()
