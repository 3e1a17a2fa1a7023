"""Processes that send mails and die at any moment of it, and a relay that answers by address."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email import message_from_bytes
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller

from handlers.mail.mail_dispatch import MailDispatch, OrderDispatch
from handlers.mail.outgoing import Deliver, RelaySession, relay_session
from handlers.processes.background import timer_of
from handlers.processes.world import LiveWorld, build
from handlers.services.viewer import Hints
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from handlers.trees import ADVICE, ROOT
from handlers.trees.visuals.mails import RECIPE
from tests.kit.clocks import AheadClock
from tests.kit.fake_renderer import FakeRenderer
from tests.kit.processes import free_port
from vfs.access import Caller, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call, Data, Form
from vfs.path import Path as TreePath
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)
MAIL = "/v1/vis/mails/letter"
CALLS = ("order", "take_orders", "settle_order", "start", "take", "settle", "note")
NEVER = 120.0


@dataclass(frozen=True)
class MailSite:
    """The place of a service, and the port of its relay."""

    folder: Path
    url: str
    port: int

    def settings(self) -> Settings:
        more = {"synchronous": "normal", "smtp": f"smtp://127.0.0.1:{self.port}", "mails_sendings": 100_000}
        return replace(load({}, data=str(self.folder), database_url=self.url), **more)

    @property
    def epitaph(self) -> Path:
        """The file that names the moment of a death."""
        return self.folder / "epitaph"

    def live_world(self, clock: AheadClock) -> LiveWorld:
        """The service, whose pictures are not drawn."""
        live_world = build(self.settings(), clock)
        visuals = replace(live_world.world.visuals, renderer=FakeRenderer())
        return replace(live_world, world=replace(live_world.world, visuals=visuals))


class NamedMoments:
    """Kills the process at its `death`-th moment, having written down which it is."""

    def __init__(self, site: MailSite, death: int | None) -> None:
        self._site, self._death, self._count = site, death, itertools.count(1)

    def pass_one(self, name: str) -> None:
        if next(self._count) == self._death:
            self._site.epitaph.write_text(name)
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        """The call, between two moments."""

        def call(*given: Any, **named: Any) -> Any:
            self.pass_one(f"before {name}")
            answer = act(*given, **named)
            self.pass_one(f"after {name}")
            return answer

        return call

    def port(self, whole: object, *names: str) -> Any:
        """A port with some calls between two moments."""
        return MortalPort(whole, {name: self.around(name, getattr(whole, name)) for name in names})

    @contextmanager
    def transaction(self, live_world: LiveWorld) -> Iterator[None]:
        with live_world.database.atomic():
            yield
            self.pass_one("before commit")
        self.pass_one("after commit")

    def world(self, live_world: LiveWorld) -> World:
        """The world in a process that dies at a moment of its work."""
        social = live_world.world.social
        mortal = replace(
            social,
            mails=self.port(social.mails, *CALLS),
            messages=self.port(social.messages, "take", "settle"),
        )
        return replace(live_world.world, social=mortal, atomic=lambda: self.transaction(live_world))

    def session(self, session: RelaySession) -> RelaySession:
        """Sessions in which each message is handed over between two moments."""

        @contextmanager
        def mortal() -> Iterator[Deliver]:
            with session() as deliver:
                yield self.around("deliver", deliver)

        return mortal


class MortalPort:
    """A port with some of its calls replaced."""

    def __init__(self, whole: object, calls: dict[str, Callable[..., Any]]) -> None:
        self._whole, self._calls = whole, calls

    def __getattr__(self, name: str) -> Any:
        return self._calls.get(name) or getattr(self._whole, name)


def ask(world: World, verb: Verb, path: str, body: str | None = None) -> Any:
    """What the service answers to alice."""
    sent = NoBody() if body is None else TextBody(body)
    caller = Caller("alice", Via.TOKEN)
    hints = Hints(origin="http://127.0.0.1:1")
    value = serve(
        TREE, Call(verb, TreePath.parse(path), caller, world, sent, want=Form.DATA, hints=hints)
    ).value
    return value.value if isinstance(value, Data) else value


def send_mail(site: MailSite, death: int | None, said: Any) -> None:
    """Be a web worker that is asked to send, and says what it answered."""
    live_world = site.live_world(AheadClock())
    said.put(str(ask(NamedMoments(site, death).world(live_world), Verb.WRITE, f"{MAIL}/status", "sending")))
    live_world.close()


def dispatch_mails(site: MailSite, death: int | None, ahead: int) -> None:
    """Be a runner, some minutes ahead, that sends what is due once."""
    clock = AheadClock()
    clock.forward(minutes=ahead)
    live_world = site.live_world(clock)
    moments = NamedMoments(site, death)
    world = moments.world(live_world)
    MailDispatch(world, moments.session(relay_session(site.settings()))).round()
    live_world.close()


def run_schedule(site: MailSite, death: int | None, ahead: int) -> None:
    """Be a runner, some minutes ahead, that orders, draws and sends what its schedules say, once."""
    clock = AheadClock()
    clock.forward(minutes=ahead)
    live_world = site.live_world(clock)
    moments = NamedMoments(site, death)
    world = moments.world(live_world)
    timer_of(replace(live_world, world=world)).turn()
    OrderDispatch(world, RECIPE).round()
    MailDispatch(world, moments.session(relay_session(site.settings()))).round()
    live_world.close()


class AnsweringRelay:
    """A relay that answers by address: `never` 550, `later` 451 and `drop` nothing the first time.

    At `wait` it sets `reached` and answers when it is let go; whatever it takes is counted by identity.
    """

    def __init__(self) -> None:
        self.taken: Counter[tuple[str, str]] = Counter()
        self.reached, self.go = threading.Event(), threading.Event()
        self._known: set[tuple[str, str]] = set()
        self._controller = Controller(self, hostname="127.0.0.1", port=free_port())
        self.port: int = self._controller.port

    def __enter__(self) -> AnsweringRelay:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.go.set()
        self._controller.stop()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address.startswith("never"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        (address,) = envelope.rcpt_tos
        key = (address, str(message_from_bytes(envelope.content)["Message-ID"]))
        first = key not in self._known
        self._known.add(key)
        if first and address.startswith("drop"):
            server.transport.abort()
            return "421 gone"
        if first and address.startswith("later"):
            return "451 not just now"
        if first and address.startswith("wait"):
            self.reached.set()
            await asyncio.get_running_loop().run_in_executor(None, self.go.wait, NEVER)
        self.taken[key] += 1
        return "250 taken"
