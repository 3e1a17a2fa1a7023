"""Rows u4 and u5: a mail to a group until the run that it starts, against reading and proving it alone."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from itertools import count
from pathlib import Path
from statistics import median

import dkim
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from chains.language.ast import to_data
from chains.language.chain import parse
from handlers.mail.inbound.inbound_dispatch import InboundDispatch
from handlers.mail.inbound.mail_acceptance import accept_all
from handlers.mail.inbound.sender_proof import MailEnvelope
from handlers.processes.world import LiveWorld, build
from handlers.rules.ranks import OrgPlan
from handlers.settings.sources import load
from tests.bench.figures import Figure, in_turn
from tests.kit.pinned_records import PinnedRecords
from tests.kit.suites.kernel import StillClock
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

ROWS = ("u4", "u5")
MAILS = 40
ATTACHED = 200_000
MOST = 100_000
ADDRESS, REF, DOMAIN = "sales@acme.mail.example", "+acme~sales", "birds.example"
ENVELOPE = MailEnvelope("192.0.2.1", "mx.example", f"bounces@{DOMAIN}")
SIGNED = [b"from", b"to", b"subject", b"date", b"message-id"]


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    clock, numbers = StillClock(), count()
    settings = load({}, data=str(scratch / "inbound"), mail_domain="mail.example", mails_inbound=str(MOST))
    live_world = build(settings, clock)
    job = _settle(live_world)
    taken: list[float] = []
    try:
        ours, floor = in_turn(
            rounds,
            lambda: _start_runs(
                live_world, job, [_letter(live_world, number) for number in _some(numbers)], taken
            ),
            lambda: _read([_letter(live_world, number) for number in _some(numbers)]),
        )
        yield Figure("u4", "a signed mail of 200 kB is kept, before its 250", median(taken) * 1000, bound=50)
        what = "processor time of a signed mail of 200 kB until its run : to read and prove it alone"
        yield Figure("u5", what, ours * 1000, floor * 1000, bound=4)
    finally:
        live_world.close()


def _some(numbers: Iterator[int]) -> list[int]:
    return [next(numbers) for _ in range(MAILS)]


def _settle(live_world: LiveWorld) -> int:
    """Make a group that takes mails, with a job of alice's; the job."""
    world = live_world.world
    for name in ("alice", "bob"):
        world.people.users.add(name, "digest", Account.REGULAR, f"{name}@{DOMAIN}", public=True)
        world.people.users.change(name, verified=True)
    repo, builds = world.items.create("repo", "alice", "count").id, world.code.builds
    number = builds.queue(repo, ("latest",), "refs/heads/main", "c0ffee", "alice")
    builds.take("nobody")
    builds.finish(number, "image")
    groups, members = world.people.groups, world.people.members
    org = groups.create(GroupKind.ORG, "acme", "acme", "alice", OrgPlan.ENTERPRISE)
    group = groups.create(GroupKind.ORG_GROUP, "acme", "sales", "alice")
    world.leaves.put(org.item.id, "options/enable_subdomain", "yes", None)
    world.leaves.put(group.item.id, "options/allow_inbound_mail", "yes", None)
    for name in ("alice", "bob"):
        members.put(REF, name, Role.MEMBERS, pending=False, by=None)
    job = world.items.create("job", "alice", "nightly").id
    world.leaves.put(job, "config/chains", "count", "alice")
    world.leaves.put(job, "config/plan", json.dumps(to_data(parse("count"))), "alice")
    world.grants.give(job, Grant(REF, "x", f"{REF}~x"))
    return job


@cache
def _key_pair() -> tuple[bytes, bytes]:
    """A key in PEM, and its record."""
    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


def _letter(live_world: LiveWorld, number: int) -> bytes:
    """A signed mail of bob's."""
    made = EmailMessage(policy=policy.SMTP)
    made["From"], made["To"], made["Subject"] = f"bob@{DOMAIN}", ADDRESS, "Counts"
    made["Date"], made["Message-ID"] = live_world.world.clock.now(), f"<{number}@{DOMAIN}>"
    made.set_content("Count them, please.\n")
    made.add_attachment(bytes(ATTACHED), maintype="application", subtype="octet-stream", filename="birds.bin")
    raw = made.as_bytes()
    return bytes(dkim.sign(raw, b"s1", DOMAIN.encode(), _key_pair()[0], include_headers=SIGNED)) + raw


def _start_runs(live_world: LiveWorld, job: int, letters: list[bytes], taken: list[float]) -> float:
    """Processor time of a mail, in seconds."""
    world = live_world.world
    names = PinnedRecords({(f"s1._domainkey.{DOMAIN}", "TXT"): [_key_pair()[1]]})
    before = len(list(world.code.runs.reader.newest(job, None)))
    began = time.process_time()
    for letter in letters:
        came = time.perf_counter()
        accept_all(world, ENVELOPE, (ADDRESS,), letter)
        taken.append(time.perf_counter() - came)
    InboundDispatch(world, names).round()
    spent = time.process_time() - began
    started = len(list(world.code.runs.reader.newest(job, None))) - before
    if started != len(letters):
        raise SystemExit(f"{len(letters)} mails started {started} runs")
    return spent / len(letters)


def _read(letters: list[bytes]) -> float:
    """Processor time of the libraries alone for a mail, in seconds."""
    began = time.process_time()
    for letter in letters:
        if not dkim.verify(letter, dnsfunc=lambda name, timeout=5: _key_pair()[1]):
            raise SystemExit("the signature of the bench's own mail does not hold")
        for part in message_from_bytes(letter, policy=policy.default).walk():
            part.get_payload(decode=True)
    return (time.process_time() - began) / len(letters)
