"""The published Python client and program send mails, which lie in the outbox where there is no relay."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path

import novem

from tests.clients.conftest import Person
from tests.kit.clocks import until


def messages(folder: Path, to: str) -> list[str]:
    """The subjects of the messages to an address."""
    found = [
        message_from_bytes(file.read_bytes(), policy=policy.default) for file in folder.glob("mail-*.eml")
    ]
    return [str(one["Subject"]) for one in found if one["To"] == to]


def test_a_composed_mail_is_tested_and_sent(verified: Person) -> None:
    outside = f"{verified.name}@side.example"
    mail = novem.Mail("counts", to=[outside], subject="Counted", **verified.connection)
    mail.content = "# Hei"
    mail.test()
    status = f"vis/mails/{mail.id}/status"
    assert until(lambda: verified.ask("GET", status), lambda word: word == "draft") == "draft"
    mail.send()
    assert until(lambda: verified.ask("GET", status), lambda word: word == "sent") == "sent"
    outbox = verified.server.folder / "outbox"
    assert messages(outbox, outside) == ["Counted"]
    assert messages(outbox, f"{verified.name}@birds.example") == ["Test: Counted"]
