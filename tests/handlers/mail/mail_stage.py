"""A service world where alice has a mail that can be sent, and relays with scripted answers."""

from __future__ import annotations

import socketserver
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

from handlers.mail.mail_dispatch import MailDispatch
from handlers.mail.outgoing import Deliver
from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb

MAIL = "/v1/vis/mails/letter"


class InProcessRenderer:
    """A renderer that renders in this process; `forms` lists the forms of its orders."""

    def __init__(self) -> None:
        self.forms: list[str] = []

    def render(self, order: RenderOrder) -> Rendering:
        self.forms.append(order.form)
        return render_order(order)


class TakenMessages:
    """A relay in this process, which keeps its messages; `before` and `after` may raise."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str]] = []
        self.raw: list[bytes] = []
        self.before: Callable[[str], None] = lambda address: None
        self.after: Callable[[str], None] = lambda address: None

    @contextmanager
    def session(self) -> Iterator[Deliver]:
        def deliver(address: str, message_id: str, message: bytes) -> None:
            self.before(address)
            self.taken.append((address, message_id))
            self.raw.append(message)
            self.after(address)

        yield deliver


class MailStage:
    """The service world, its relay, and the words by which tests send."""

    def __init__(self, service_world: ServiceWorld, folder: Path) -> None:
        self.renderer = InProcessRenderer()
        visuals = replace(
            service_world.world.visuals, renderer=self.renderer, kept=RenderStore(folder / "kept", 64 << 20)
        )
        service = service_world.world.service
        settings = replace(service.settings, base_url="https://mail.example", mail_from="post@mail.example")
        service_world.world = replace(
            service_world.world, visuals=visuals, service=replace(service, settings=settings)
        )
        self.service_world = service_world
        self.relay = TakenMessages()
        service_world.call("alice", Verb.CREATE, MAIL)
        service_world.write("alice", f"{MAIL}/content", "# News\n\nMore *birds*.\n")
        service_world.write("alice", f"{MAIL}/config/subject", "Counts")

    def address(self, *lines: str) -> None:
        """Set the recipients."""
        self.service_world.write("alice", f"{MAIL}/recipients/to", "\n".join(lines))

    def send(self, word: str = "sending", user: str = "alice") -> Any:
        """Ask for a sending."""
        return self.service_world.call(user, Verb.WRITE, f"{MAIL}/status", word)

    def dispatch(self) -> float | None:
        """A round of a fresh process."""
        return MailDispatch(self.service_world.world, self.relay.session).round()

    def read(self, rel: str) -> Any:
        """A file of the mail, as its owner reads it."""
        return self.service_world.read("alice", f"{MAIL}/{rel}")

    def log(self) -> str:
        """The log's lines."""
        return "\n".join(str(line["message"]) for line in self.read("log"))

    def message(self, number: int = -1) -> Message:
        """A message that the relay took."""
        return message_from_bytes(self.relay.raw[number])


class ScriptedRelay(socketserver.StreamRequestHandler):
    """The part of RFC 5321 that accepts mails; `later@…` gets 451, `never@…` gets 550."""

    server: ScriptedRelays

    def handle(self) -> None:
        self._say("220 relay ready")
        while line := self.rfile.readline().decode().strip():
            verb = line.split(" ")[0].split(":")[0].upper()
            if verb == "DATA":
                self._say("354 go on")
                self.server.mails.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                self._say("250 taken")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self.server.lines.append(line)
                self._say(self._answer(line))

    def _answer(self, line: str) -> str:
        if "later@" in line:
            return "451 not just now"
        return "550 no such user" if "never@" in line else "250 fine"

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class ScriptedRelays(socketserver.TCPServer):
    """A relay on a free port, which keeps the lines and messages that it got."""

    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedRelay)
        self.mails: list[bytes] = []
        self.lines: list[str] = []
