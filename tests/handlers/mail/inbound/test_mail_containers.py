"""A mail that starts real containers: they find its parts, and what they print is mailed back."""

from __future__ import annotations

import email
import json
import smtplib
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage

import pytest

from handlers.identity.credentials import digest, fresh
from handlers.processes.world import open_world
from handlers.settings.sources import load
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, SERVER
from tests.handlers.mail.inbound.test_inbound_processes import (
    MailWorldProcesses,
    Relay,
    letter,
    live_world,
    relay,
)
from tests.kit.command import Service
from tests.kit.processes import free_port, own, running

__all__ = ["live_world", "relay"]
pytestmark = pytest.mark.podman

NEVER = 120.0
SCRIPT = "cd /input; cat body.txt attachments/birds.csv input.json > /output/said.txt; test -s message.eml"


@pytest.fixture
def service(live_world: MailWorldProcesses) -> Iterator[Service]:
    """`curlew serve` on the data folder of the house."""
    port = free_port()
    settings = {
        "DATA": str(live_world.folder),
        "BIND": f"127.0.0.1:{port}",
        "GRACEFUL_TIMEOUT": "1",
        "NETWORK": "none",
    }
    log = live_world.folder.with_suffix(".log")
    with running("handlers", "serve", port=port, log=log, **own(settings)) as pid:
        service = Service(live_world.folder, port, pid)
        yield service
        service.close()


def test_a_mail_starts_containers_whose_output_is_mailed_back(
    live_world: MailWorldProcesses, service: Service, relay: Relay
) -> None:
    token = fresh()
    with open_world(load({}, data=str(live_world.folder))) as world, world.atomic():
        world.people.tokens.mint("alice", "hand", digest(token))
    command = json.dumps(["sh", "-c", SCRIPT])
    service.push("alice", token, "counts", f"FROM localhost/busybox:latest\nCMD {command}\n")
    service.want("POST", "/v1/code/jobs/nightly/config/chains", token, b"counts")
    made = email_with_birds()
    with live_world.listening(), smtplib.LMTP("127.0.0.1", live_world.port, timeout=NEVER) as client:
        client.ehlo()
        client.docmd("XFORWARD", f"ADDR={SERVER} HELO=mx.{DOMAIN}")
        client.sendmail(f"bounces@{DOMAIN}", [ADDRESS], made.as_bytes())
        recipients, answer = relay.taken.get(timeout=NEVER)
    assert recipients == [f"bob@{DOMAIN}"]
    (file,) = answer.iter_attachments()
    said = file.get_payload(decode=True)
    assert isinstance(said, bytes)
    body, table, rest = said.decode().replace("\r", "").split("\n", 2)
    assert (body, table) == ("Count them, please.", "curlew,11")
    assert json.loads(rest)["user"] == "bob"


def email_with_birds() -> EmailMessage:
    """A person's mail with a table."""
    made = email.message_from_bytes(letter("1"), policy=policy.SMTP)
    assert isinstance(made, EmailMessage)
    made.add_attachment("curlew,11\n", subtype="csv", filename="birds.csv")
    return made
