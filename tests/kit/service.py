"""The service as transcripts see it: the application without sockets, and a runner of scripted steps."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from pathlib import Path
from typing import Any, Protocol

from chains.engine.port import Handle
from handlers.identity.second_factors import plain_code, recovery_digest
from handlers.mail.delivery import MailDelivery
from handlers.mail.inbound.mail_listener import accept_all
from handlers.mail.inbound.mail_trigger import InboundDispatch
from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.mail.mail_dispatch import MailDispatch, OrderDispatch
from handlers.mail.outgoing import Deliver, RelayRefusal
from handlers.processes.background import background, timer_of
from handlers.processes.runner import runner_of
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.rendering.port import Renderer
from handlers.rendering.socket_service import SOCKET, RenderServer
from handlers.rules.ranks import OrgPlan
from handlers.services.runs.job_triggers import TriggerDispatch
from handlers.settings.settings import Settings
from handlers.trees.visuals.mails import RECIPE
from storage.git.repositories import GitRepositories
from storage.runs.rows import WORK
from tests.kit.client import Answer, call
from tests.kit.clocks import AheadClock
from tests.kit.fake_engine import FakeBuilder, FakeEngine, Images
from tests.kit.fake_renderer import FakeRenderer
from tests.kit.git import commit
from tests.kit.pinned_records import PinnedRecords
from tests.kit.world import make_tables
from vfs.access import Grant, Role
from vfs.ports.factors import Factor, FactorKind
from vfs.ports.groups import GroupKind
from vfs.ports.items import Item

PASSWORD = "a password of {name}"
SECONDS = 120.0
TAKEN = 250


class File(Protocol):
    """A file of a transcript."""

    @property
    def name(self) -> str: ...

    @property
    def lines(self) -> Sequence[str]: ...


class WatchedEngine(FakeEngine):
    """Scripted steps, and the environment that each was given last, by its name."""

    def __init__(self, images: Images) -> None:
        super().__init__(images)
        self.given: dict[str, Mapping[str, str]] = {}

    def start(self, handle: Handle) -> None:
        """As Engine.start."""
        self.given[handle.spec.step] = handle.spec.env
        super().start(handle)


class Application:
    """A WSGI application with its world, and the accounts that were made in it."""

    def __init__(
        self, settings: Settings, live_world: LiveWorld, clock: AheadClock, engine: WatchedEngine
    ) -> None:
        self.world = live_world.world
        self.sweep = live_world.sweep
        self.engine = engine
        self._clock = clock
        self.application = application(settings, live_world)
        self._tokens: dict[str, str] = {}

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        """The answer to one request."""
        return call(self.application, method, path, headers, body)

    def user(self, name: str, *traits: str) -> str:
        """The token of an account; traits are `organisation`, `public` and `verified`."""
        if name not in self._tokens:
            account = "organisation" if "organisation" in traits else "regular"
            wanted = {
                "username": name,
                "password": self.password(name),
                "email": f"{name}@birds.example",
                "account_type": account,
                "public": "public" in traits,
            }
            self._post("/v1/register", wanted, [])
            if "verified" in traits:
                self.world.people.users.change(name, verified=True)
            pair = base64.b64encode(f"{name}:{self.password(name)}".encode()).decode()
            made = self._post("/v1/token", {"token_name": "transcript"}, [("Authorization", f"Basic {pair}")])
            self._tokens[name] = made["token"]
        return self._tokens[name]

    def _sealed(self, name: str) -> str:
        return self.world.service.seal.close("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", f"{name}/factors/phone")

    def password(self, name: str) -> str:
        """The password of an account made by `user`."""
        return PASSWORD.format(name=name)

    def arrange(self, word: str, arguments: Sequence[str], files: Sequence[File]) -> None:
        """What the transcript says without a request (tests.wire.transcript)."""
        match word, *arguments:
            case "user", name, *traits:
                self.user(name, *traits)
            case "image", repo, *script:
                recipe = ["FROM scratch", *(f"ENV {line}" for line in script)]
                self.push(repo, {"Containerfile": "\n".join(recipe)})
            case "push", repo:
                self.push(repo, {file.name: "\n".join(file.lines) for file in files})
            case "share", kind, place, target, letters:
                name = f"{target}~{letters}"
                self.world.grants.give(self.item(kind, place).id, Grant(target, letters, name))
            case "second-factor", name, *codes:
                factors = self.world.people.factors
                factors.add(Factor(name, FactorKind.APP, "phone", self._sealed(name)))
                factors.renew_codes(name, [recovery_digest(name, plain_code(code)) for code in codes])
            case "member", group, name, role, *pending:
                self.world.people.members.put(group, name, Role(role), pending=bool(pending), by=None)
            case "group", *groups:
                for group in groups:
                    self.found(group)
            case "dispatch", code:
                MailDispatch(self.world, lambda: relay_of(int(code))).round()
            case "receive", address, sender, peer:
                self._receive(address, sender, peer)
            case "later", number, unit:
                self._clock.forward(**{unit: float(number)})
                self.world.code.schedules.signal()
                self.world.code.triggers.signal()
            case _:
                raise ValueError(f"nothing is known of: {word} {' '.join(arguments)}")

    def _receive(self, address: str, sender: str, peer: str) -> None:
        """Handle a mail to a group, from a server that the sender's domain names."""
        message = EmailMessage(policy=policy.SMTP)
        message["From"], message["To"], message["Subject"] = sender, address, "Counts"
        message["Date"], message["Message-ID"] = (
            format_datetime(self._clock.now()),
            make_msgid(domain="mx.example"),
        )
        message.set_content("Count them, please.\n")
        accept_all(self.world, MailEnvelope(peer, "mx.example", sender), (address,), message.as_bytes())
        names = PinnedRecords({(sender.partition("@")[2], "TXT"): [b"v=spf1 ip4:192.0.2.1 -all"]})
        InboundDispatch(self.world, names).round()

    def found(self, group: str) -> None:
        """A group by its reference, founded by the user or organisation that it names."""
        owner, tilde, name = group[1:].partition("~")
        kind = (
            GroupKind.USER_GROUP if group.startswith("@") else GroupKind.ORG_GROUP if tilde else GroupKind.ORG
        )
        plan = OrgPlan(self.world.service.settings.default_plan) if kind is GroupKind.ORG else None
        self.world.people.groups.create(kind, owner, name or owner, owner, plan)

    def item(self, kind: str, place: str) -> Item:
        """The item that is `owner/name`."""
        owner, _, name = place.partition("/")
        found = self.world.items.find(kind, owner, name, owner)
        assert found is not None, f"there is no {kind} {place}"
        return found.item

    def push(self, place: str, files: dict[str, str], by: str | None = None) -> None:
        """Commit files to the main branch of a repo (made when it is not there), and await the image.

        `by` is who pushes, if it is not the owner.
        """
        owner, _, name = place.partition("/")
        self.call("PUT", f"/v1/code/repos/{name}", [("Authorization", f"Bearer {self.user(owner)}")], b"")
        repo, builds = self.item("repo", place).id, self.world.code.builds
        repositories = self.world.code.repositories
        assert isinstance(repositories, GitRepositories)
        sha = commit(repositories.path(repo), files)
        number = builds.queue(repo, ("main", "latest"), "refs/heads/main", sha, by or owner)
        list(builds.follow(number, SECONDS))

    def _post(self, path: str, value: dict[str, Any], headers: list[tuple[str, str]]) -> dict[str, Any]:
        sent = [("Content-Type", "application/json"), ("Accept", "application/json"), *headers]
        answer = self.call("POST", path, sent, json.dumps(value).encode())
        assert answer.status == 201, f"POST {path}: {answer.status} {answer.body!r}"
        made: dict[str, Any] = json.loads(answer.body)
        return made


def with_fake_renderer(live_world: LiveWorld, renderer: Renderer | None = None) -> LiveWorld:
    """The same house, where the shipped fake draws, or another renderer."""
    visuals = replace(live_world.world.visuals, renderer=renderer or FakeRenderer())
    return replace(live_world, world=replace(live_world.world, visuals=visuals))


@contextmanager
def fake_renders(folder: Path) -> Iterator[None]:
    """The shipped fake where the web looks for the rendering service."""
    with RenderServer(folder / SOCKET, FakeRenderer()) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def open_service(settings: Settings, renderer: Renderer | None = None) -> Iterator[Application]:
    """The service while it is served: web and runner in this process, and a renderer (the shipped fake)."""
    clock = AheadClock()
    if not settings.database_url:
        make_tables(settings.folder)
    live_world = with_fake_renderer(build(settings, clock), renderer)
    try:
        with running(settings, live_world) as engine:
            yield Application(settings, live_world, clock, engine)
    finally:
        live_world.close()


@contextmanager
def running(settings: Settings, live_world: LiveWorld) -> Iterator[WatchedEngine]:
    """A runner at work, with scripted containers and images; the engine in which the steps run."""
    images: Images = {}
    engine, builder = WatchedEngine(images), FakeBuilder(images)
    stop, ready = threading.Event(), threading.Event()
    runner = runner_of(settings, live_world, engine, builder)
    thread = threading.Thread(target=runner.loop, args=(stop, ready.set), name="the runner")
    thread.start()
    try:
        assert ready.wait(SECONDS)
        world = live_world.world
        with (
            background(timer_of(live_world)),
            background(OrderDispatch(world, RECIPE)),
            background(MailDelivery(world)),
            background(TriggerDispatch(world)),
        ):
            yield engine
    finally:
        stop.set()
        thread.join(SECONDS)
        # Its listener waits for the next order; it would look for it in a database that is closed.
        live_world.change_signal.signal(WORK)
        for other in threading.enumerate():
            if other.name == "runner":
                other.join(SECONDS)


@contextmanager
def relay_of(code: int) -> Iterator[Deliver]:
    """A relay that answers every message with a code."""

    def deliver(address: str, message_id: str, message: bytes) -> None:
        if code != TAKEN:
            raise RelayRefusal(code, "no")

    yield deliver
