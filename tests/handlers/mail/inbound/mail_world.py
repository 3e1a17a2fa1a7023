"""A world whose organisation accepts mails, its senders with proofs, and mails to send."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cache
from typing import Any

import dkim
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from chains.runs.records import Result, Run
from chains.runs.states import Event
from handlers.mail.inbound.mail_listener import accept_all
from handlers.mail.inbound.mail_trigger import InboundDispatch
from handlers.mail.inbound.name_records import NameRecords
from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.rules.ranks import OrgPlan
from tests.handlers.service_world import ServiceWorld
from tests.kit.pinned_records import PinnedRecords
from vfs.access import Grant, Role
from vfs.ports.groups import Group, GroupKind
from vfs.ports.inbound import InboundMail
from vfs.ports.mails import DeliveryAnswer

ADDRESS, REF = "sales@acme.mail.example", "+acme~sales"
DOMAIN = "birds.example"
SERVER, STRANGER = "192.0.2.1", "192.0.2.99"
SIGNED = (b"from", b"to", b"cc", b"subject", b"date", b"message-id")


@cache
def key_pair() -> tuple[bytes, bytes]:
    """A key in PEM, and its record."""
    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


def names() -> PinnedRecords:
    """Return the DNS records of the senders' domains."""
    answers: dict[tuple[str, str], Sequence[Any]] = {
        (DOMAIN, "TXT"): [f"v=spf1 ip4:{SERVER} -all".encode()],
        (f"s1._domainkey.{DOMAIN}", "TXT"): [key_pair()[1]],
        ("s1._domainkey.evil.example", "TXT"): [key_pair()[1]],
        ("evil.example", "TXT"): [f"v=spf1 ip4:{STRANGER} -all".encode()],
    }
    return PinnedRecords(answers)


def sign(raw: bytes, domain: str = DOMAIN, headers: Sequence[bytes] = SIGNED, **more: Any) -> bytes:
    """A message under the signature of a domain."""
    present = [name for name in headers if b"\n" + name + b":" in b"\n" + raw.lower()]
    return bytes(dkim.sign(raw, b"s1", domain.encode(), key_pair()[0], include_headers=present, **more)) + raw


class MailWorld:
    """The organisation acme with a group sales, which has the members alice and bob and a job of alice."""

    def __init__(self, service_world: ServiceWorld) -> None:
        settings = replace(
            service_world.world.service.settings, mail_domain="mail.example", mail_from="curlew@mail.example",
            base_url="https://curlew.example", mails_inbound=4,
        )  # fmt: skip
        service_world.world = replace(
            service_world.world, service=replace(service_world.world.service, settings=settings)
        )
        self.service_world, self.world = service_world, service_world.world
        self.names: NameRecords = names()
        groups = self.world.people.groups
        groups.create(GroupKind.ORG, "acme", "acme", "carol", OrgPlan.ENTERPRISE)
        self.group = groups.create(GroupKind.ORG_GROUP, "acme", "sales", "carol")
        service_world.citizen("dora")
        for name in ("alice", "bob"):
            self.world.people.members.put(REF, name, Role.MEMBERS, pending=False, by=None)
        self.set(self.group, "allow_inbound_mail")
        org = groups.find("+acme", None)
        assert org is not None
        self.org = org.group
        self.set(self.org, "enable_subdomain")
        self.job = service_world.job("nightly", schedule="")
        self.share(self.job)

    def set(self, group: Group, option: str, word: str = "yes") -> None:
        self.world.leaves.put(group.item.id, f"options/{option}", word, None)

    def share(self, job: int, letters: str = "x") -> None:
        """Share a job with the group."""
        self.world.grants.give(job, Grant(REF, letters, f"{REF}~{letters}"))

    def letter(self, sender: str = "bob", id: str = "1", **headers: str) -> bytes:
        """A plain mail of a person, not signed."""
        message = EmailMessage(policy=policy.SMTP)
        said = {
            "From": f"{sender}@{DOMAIN}", "To": ADDRESS, "Subject": "Counts",
            "Date": format_datetime(self.service_world.clock.now()), "Message-ID": f"<{id}@{DOMAIN}>",
        } | {name.replace("_", "-"): value for name, value in headers.items()}  # fmt: skip
        for name, value in said.items():
            if value:
                message[name] = value
        message.set_content("Count them, please.\n")
        return message.as_bytes()

    def accept(
        self, raw: bytes, peer: str = STRANGER, sender: str = f"bounces@{DOMAIN}", *addresses: str
    ) -> None:
        """A mail as a listener takes it."""
        accept_all(self.world, MailEnvelope(peer, "mx.example", sender), addresses or (ADDRESS,), raw)

    def dispatch(self) -> float:
        """A round of a fresh runner."""
        return InboundDispatch(self.world, self.names).round()

    def mails(self) -> list[InboundMail]:
        """The mails of the group, newest first."""
        return list(self.world.social.inbound.of(self.group.item.id, 100))

    def runs(self) -> list[Run]:
        return self.service_world.runs(self.job)

    def end(self, run: Run, event: Event, output: bytes | None = None, *lines: str) -> None:
        """Let a run end, with an output or lines of errors."""
        result = None
        if output is not None:
            result = Result(self.world.blobs.add((output,), "text/plain"), "counts.txt")
        stamped = [(self.now().isoformat(), "error", line) for line in lines]
        self.world.code.runs.states.event(run.key, event, result, lines=stamped)

    def now(self) -> datetime:
        return self.service_world.clock.now()

    def answers(self) -> list[EmailMessage]:
        """The messages that wait for the relay, by address."""
        queue = self.world.social.messages
        waiting = queue.take("9", "9", 100)
        found = sorted(waiting, key=lambda one: one.address)
        made = [message_from_bytes(one.message, policy=policy.default) for one in found]
        for one in waiting:
            queue.settle(one, DeliveryAnswer("accepted"))
        return [message for message in made if isinstance(message, EmailMessage)]
