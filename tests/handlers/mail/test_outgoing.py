"""Outgoing mail, into the outbox and through a relay."""

from __future__ import annotations

import email
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.mail.outgoing import Outbox, Relay, post_of
from handlers.settings import Settings, SettingsError
from vfs.errors import Unavailable
from vfs.testing import StillClock


class Relaying(socketserver.StreamRequestHandler):
    """As much of RFC 5321 as takes one mail; a recipient `refused@…` is refused."""

    server: Relays

    def handle(self) -> None:
        self._say("220 relay ready")
        while line := self.rfile.readline().decode().strip():
            verb = line.split(" ")[0].split(":")[0].upper()
            if verb == "DATA":
                self._say("354 go on")
                self.server.mails.append(self._mail())
                self._say("250 taken")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("550 nobody here" if "refused@" in line else "250 fine")

    def _mail(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line)
        return b"".join(lines)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Relays(socketserver.TCPServer):
    """A relay on a free port, with the mails that it took."""

    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Relaying)
        self.mails: list[bytes] = []


@pytest.fixture
def relay() -> Iterator[Relays]:
    with Relays() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_outbox_keeps_a_file_for_each_mail(tmp_path: Path) -> None:
    post = Outbox(tmp_path / "outbox", "curlew@birds.example", StillClock())
    for subject in ("first", "zweite: über Vögel"):
        post.send("ann@example.org", subject, "Grüße\n")
    files = sorted((tmp_path / "outbox").iterdir())
    assert [file.suffix for file in files] == [".eml", ".eml"]
    mails = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
    assert {mail["Subject"] for mail in mails} == {"first", "zweite: über Vögel"}
    assert {mail["To"] for mail in mails} == {"ann@example.org"}
    assert {mail.get_content() for mail in mails} == {"Grüße\r\n"}
    assert all(mail["Message-ID"].endswith("@birds.example>") for mail in mails)
    assert all(mail["Date"] == "Fri, 02 Jan 2026 03:04:05 +0000" for mail in mails)


def test_an_outbox_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file where the folder should be")
    with pytest.raises(Unavailable, match="outbox"):
        Outbox(tmp_path / "outbox", "curlew@localhost", StillClock()).send("ann@example.org", "s", "t")


def test_a_relay_takes_a_mail(relay: Relays) -> None:
    post = Relay(f"smtp://127.0.0.1:{relay.server_address[1]}", "curlew@localhost", StillClock())
    post.send("ann@example.org", "hello", "text\n")
    (mail,) = relay.mails
    assert b"Subject: hello\r\n" in mail
    assert mail.endswith(b"\r\n\r\ntext\r\n")


def test_a_relay_may_refuse_or_be_away(relay: Relays) -> None:
    port = relay.server_address[1]
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1"):
        Relay(f"smtp://127.0.0.1:{port}", "curlew@localhost", StillClock()).send("refused@b.c", "s", "t")
    with pytest.raises(Unavailable):
        Relay(f"smtp://ann:pw@127.0.0.1:{port}", "curlew@localhost", StillClock()).send("a@b.c", "s", "t")
    relay.shutdown()
    relay.server_close()
    with pytest.raises(Unavailable):
        Relay(f"smtps://127.0.0.1:{port}", "curlew@localhost", StillClock()).send("a@b.c", "s", "t")


def test_the_setting_chooses(tmp_path: Path) -> None:
    clock = StillClock()
    assert isinstance(post_of(Settings(data=str(tmp_path)), clock), Outbox)
    assert isinstance(post_of(Settings(smtp="smtp://relay.example:25"), clock), Relay)


@pytest.mark.parametrize(
    "url", ["relay.example", "http://relay.example", "smtp://", "smtp://a:b:c", "smtp://a:0"]
)
def test_a_malformed_relay_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(SettingsError, match="smtp://HOST:PORT"):
        post_of(Settings(smtp=url), StillClock())
