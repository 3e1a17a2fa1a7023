"""Mails to groups over real processes: a listener killed after its 250, the pipe, the answer at a relay."""

from __future__ import annotations

import email
import os
import queue
import signal
import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from handlers.settings.sources import load
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, SERVER, MailWorld, key_pair, sign
from tests.handlers.mail.inbound.name_server import name_server
from tests.handlers.service_world import ServiceWorld
from tests.kit.processes import free_port, running
from tests.kit.server import RUNNER, program

NEVER = 60.0


class Relay:
    """A relay that collects the messages sent to it."""

    def __init__(self) -> None:
        self.taken: queue.Queue[tuple[list[str], EmailMessage]] = queue.Queue()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        made = email.message_from_bytes(envelope.original_content or b"", policy=policy.default)
        assert isinstance(made, EmailMessage)
        self.taken.put((envelope.rcpt_tos, made))
        return "250 taken"


class MailWorldProcesses:
    """A data folder with an open group, and the settings of its processes."""

    def __init__(self, folder: Path, relay: int, names: int) -> None:
        self.folder, self.port = folder / "data", free_port()
        service_world = ServiceWorld(load({}, data=str(self.folder)))
        MailWorld(service_world)
        service_world.live_world.lead.release()
        service_world.live_world.close()
        (self.folder / "curlew.toml").write_text(
            f'mail_domain = "mail.example"\nmail_from = "curlew@mail.example"\nsmtp = "smtp://127.0.0.1:{relay}"\n'
            f'mail_in = "127.0.0.1:{self.port}"\nname_server = "127.0.0.1:{names}"\n'
        )

    @contextmanager
    def listening(self) -> Iterator[int]:
        """Run the listener without standard input, until the context ends."""
        with running(
            "handlers", "mail-in", "--data", str(self.folder), port=self.port, log=self.folder / "mail-in.log"
        ) as pid:
            yield pid

    @contextmanager
    def working(self) -> Iterator[None]:
        """Run the runner until the context ends."""
        with program(["-P", str(RUNNER), str(self.folder)]):
            yield

    def pipe(self, raw: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
        """A mail as a mail server gives it to a program."""
        command = [sys.executable, "-m", "handlers", "mail-in", "--data", str(self.folder), *options]
        return subprocess.run(command, input=raw, capture_output=True, check=False, timeout=NEVER)


@pytest.fixture
def relay() -> Relay:
    return Relay()


@pytest.fixture
def live_world(tmp_path: Path, relay: Relay) -> Iterator[MailWorldProcesses]:
    record = key_pair()[1].decode()
    pieces = " ".join(f'"{record[start : start + 200]}"' for start in range(0, len(record), 200))
    zone = {
        (DOMAIN, "TXT"): [f'"v=spf1 ip4:{SERVER} -all"'],
        (f"s1._domainkey.{DOMAIN}", "TXT"): [pieces],
    }
    controller = Controller(relay, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        with name_server(zone) as names:
            yield MailWorldProcesses(tmp_path, controller.port, names.port)
    finally:
        controller.stop()


def letter(id: str) -> bytes:
    made = EmailMessage(policy=policy.SMTP)
    made["From"], made["To"], made["Subject"] = f"Bob <bob@{DOMAIN}>", ADDRESS, f"Counts {id}"
    made["Date"], made["Message-ID"] = format_datetime(datetime.now(UTC)), f"<{id}@{DOMAIN}>"
    made.set_content("Count them, please.\n")
    return made.as_bytes()


def test_an_accepted_mail_is_answered_though_the_listener_is_killed(
    live_world: MailWorldProcesses, relay: Relay
) -> None:
    with live_world.listening() as pid, smtplib.LMTP("127.0.0.1", live_world.port, timeout=NEVER) as client:
        client.ehlo()
        client.docmd("XFORWARD", f"ADDR={SERVER} HELO=mx.{DOMAIN}")
        client.sendmail(f"bounces@{DOMAIN}", [ADDRESS], letter("1"))
        os.kill(pid, signal.SIGKILL)
        client.close()
    signed = live_world.pipe(sign(letter("2")))
    assert (signed.returncode, signed.stderr) == (0, b"")
    found = set()
    with live_world.working():
        for _ in range(2):
            recipients, made = relay.taken.get(timeout=NEVER)
            assert recipients == [f"bob@{DOMAIN}"] and made["Auto-Submitted"] == "auto-replied"
            (file,) = made.iter_attachments()
            assert file.get_payload(decode=True) == b"3 birds"
            found.add(made["In-Reply-To"])
    assert found == {f"<1@{DOMAIN}>", f"<2@{DOMAIN}>"} and relay.taken.empty()


def test_the_pipe_reports_by_its_exit_code(live_world: MailWorldProcesses) -> None:
    assert live_world.pipe(letter("1"), "--recipient", "absent@acme.mail.example").returncode == 67
    (live_world.folder / "curlew.toml").write_text("nonsense = 1\n")
    broken = live_world.pipe(letter("1"))
    assert broken.returncode == 75
    assert b"nonsense" in broken.stderr
