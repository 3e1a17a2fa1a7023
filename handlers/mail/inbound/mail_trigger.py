"""Mails as triggers of all jobs that are shared with the group and that the verified sender may run."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

from chains.files.fsync import settle_all
from handlers.mail.inbound.mail_answers import answer_run, reason_for_silence
from handlers.mail.inbound.message_parts import InboundMessage, RefusedMessage, read_message
from handlers.mail.inbound.name_records import NameRecords
from handlers.mail.inbound.sender_proof import SenderProof, envelope_of, prove_sender
from handlers.services.due_dispatch import AT_ONCE, DueDispatch
from handlers.services.mails.mail_addresses import group_at, is_set
from handlers.services.rights import shared_access
from handlers.services.runs.kept_inputs import StoredInput, bring_input
from handlers.services.runs.run_trigger import MAIL, NoChain, RunRequest, order
from handlers.services.world import World
from vfs.access import Access
from vfs.cause import DONE, caused_by
from vfs.errors import NoSpace, NotFound, Unavailable, storage_error
from vfs.ports.clock import stamp
from vfs.ports.groups import Group
from vfs.ports.inbound import InboundMail
from vfs.ports.items import Item
from vfs.ports.people import Limit

SOURCE = "mail"
HOUR = 3600
OLDEST, NEWEST = timedelta(days=7), timedelta(days=1)
"""Largest difference of a message's date to the clock: an older message may be a copy."""


class SilentMail(Exception):
    """Raised for a mail that triggers nothing, with the reason."""


class UnsureMail(Exception):
    """Raised for a mail whose sender cannot be verified yet, with the reason."""


@dataclass(frozen=True, slots=True)
class AdmittedMail:
    """A mail with a verified sender, and the jobs to run."""

    mail: InboundMail
    message: InboundMessage
    sender: str
    proof: SenderProof
    jobs: Sequence[Item]


def admit_mail(world: World, names: NameRecords, mail: InboundMail) -> AdmittedMail:
    """Return a mail with the jobs that it may run. Raises SilentMail and UnsureMail.

    Cheap checks come first: no name server is asked about a mail that no account here can have sent.
    """
    group = group_at(world, mail.address)
    if group is None:
        raise SilentMail("the address is closed")
    message = _message_of(world, mail)
    domains = _own_domains(world)
    if reason := reason_for_silence(message, envelope_of(mail).sender, domains) or _fault_of(world, message):
        raise SilentMail(reason)
    user = world.people.users.with_address(message.sender)
    jobs = jobs_for(world, group, user.name) if user is not None and not user.locked else ()
    # One reason for all cases, so that readers do not learn which addresses are known here.
    if user is None or not jobs:
        raise SilentMail("its From address is no verified one of a member who may run a job of the group")
    return AdmittedMail(mail, message, user.name, _prove(world, group, names, mail, message), jobs)


def jobs_for(world: World, group: Group, user: str) -> Sequence[Item]:
    """Return jobs that are shared with a group and that the member may run through it."""
    member = world.people.members.find(group.ref, user)
    if member is None or member.pending:
        return ()
    found = world.items.through("job", [group.ref], user)
    return [one.item for one in found if Access.EXECUTE in shared_access(world, one, group.ref, user)]


def start_runs(world: World, admitted: AdmittedMail) -> int:
    """Run the jobs and settle the mail, all or nothing; return the number of runs.

    Raises SilentMail for a repeated mail and above the sender's limit, Unavailable and NoSpace. Then nothing
    was changed.
    """
    mail, message, sender = admitted.mail, admitted.message, admitted.sender
    facts = facts_of(mail, message, sender, admitted.proof)
    with world.atomic():
        if not world.social.inbound.is_first(mail, sender, message.message_id):
            raise SilentMail("the message came before")
        most = Limit(f"mails of {sender} that run jobs", world.service.settings.mails_inbound, HOUR)
        if world.people.rates.take([most]):
            raise SilentMail(f"@{sender} has reached the limit of mails that run jobs in an hour")
        runs = list[int]()
        for job in admitted.jobs:
            runs += _run(world, job, admitted, facts)
        note = f"from @{sender}, proved by {admitted.proof.by} of {admitted.proof.words}"
        world.social.inbound.start(mail, sender, message.message_id, note, runs)
    return len(runs)


def _run(world: World, job: Item, admitted: AdmittedMail, facts: str) -> Sequence[int]:
    """Order a run of a job, unless the job has no chain."""
    stored = bring_message(world, job, admitted.message, facts)
    ask = RunRequest(MAIL, SOURCE, admitted.sender)
    try:
        return (order(world, job, ask, stored, is_awaited=False).run.key,)
    except NoChain:
        return ()


def _message_of(world: World, mail: InboundMail) -> InboundMessage:
    try:
        with world.blobs.open(mail.message) as stream:
            return read_message(stream.read())
    except NotFound:
        raise SilentMail("its message is gone") from None
    except RefusedMessage as refused:
        raise SilentMail(str(refused)) from None


def _own_domains(world: World) -> Sequence[str]:
    settings = world.service.settings
    return [settings.mail_domain, settings.mail_from.rpartition("@")[2]]


def _fault_of(world: World, message: InboundMessage) -> str:
    """Return why a later copy of a message could not be recognised, or ""."""
    if not message.message_id:
        return "it has no Message-ID"
    try:
        date: datetime = parsedate_to_datetime(message.date).astimezone()
        behind = world.clock.now() - date
    except (ValueError, TypeError, OverflowError, IndexError):
        return "its date cannot be read"
    return "" if -NEWEST <= behind <= OLDEST else "its date is too far from today's"


def _prove(
    world: World, group: Group, names: NameRecords, mail: InboundMail, message: InboundMessage
) -> SenderProof:
    """Return the proof of the sender. A signature is a proof only for the recipients that it covers."""
    recipients = {address.lower() for address in (*message.to, *message.cc)}
    proof = prove_sender(
        message,
        envelope_of(mail),
        names,
        by_signature=is_set(world, group, "mail_verify_dkim", "yes") and mail.address in recipients,
        by_envelope=is_set(world, group, "mail_verify_spf", "yes"),
    )
    if proof.by:
        return proof
    raise (UnsureMail if proof.unsure else SilentMail)(f"its sender is not proved: {proof.words}")


ATTACHMENTS = "attachments"


def bring_message(world: World, job: Item, message: InboundMessage, facts: str) -> StoredInput:
    """Return a new input folder with the parts of a message; `facts` is the content of `input.json`.

    Raises NoSpace and Unavailable, without storing anything.
    """
    return bring_input(world, job, lambda folder: _write_parts(folder, message, facts))


def facts_of(mail: InboundMail, message: InboundMessage, sender: str, proof: SenderProof) -> str:
    """Return the headers and other facts of a message for `input.json`."""
    envelope = envelope_of(mail)
    said = {
        "envelope": {"from": envelope.sender.strip("<> "), "to": mail.address, "client": envelope.peer,
                     "hello": envelope.hello},
        "group": mail.group_ref,
        "user": sender,
        "proof": proof.by,
        "received_on": mail.received_on,
        "from": message.sender,
        "to": message.to,
        "cc": message.cc,
        "subject": message.subject,
        "date": message.date,
        "message_id": message.message_id,
        "attachments": [
            {"name": file.name, "type": file.media, "size": len(file.body)} for file in message.attachments
        ],
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False, indent=1)


def _write_parts(folder: Path, message: InboundMessage, facts: str) -> None:
    """Write the parts, durable together. Raises NoSpace, Unavailable."""
    try:
        for name, content in _contents(message, facts):
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content)
        settle_all(folder, folder.rglob("*"))
    except OSError as error:
        raise storage_error(error, "the input") from error


def _contents(message: InboundMessage, facts: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a message with their paths."""
    yield "input.json", facts.encode("utf-8", "replace")
    yield "message.eml", message.raw
    yield "body.txt", message.text.encode("utf-8", "replace")
    if message.html:
        yield "body.html", message.html.encode("utf-8", "replace")
    for file in message.attachments:
        yield f"{ATTACHMENTS}/{file.name}", file.body


log, done = logging.getLogger("curlew"), logging.getLogger(DONE)


class InboundDispatch(DueDispatch[InboundMail]):
    """Handles incoming mails."""

    name = "mails that came in"

    def __init__(self, world: World, names: NameRecords) -> None:
        super().__init__(world, world.social.inbound)
        self._names = names

    def begin_round(self) -> None:
        """Answer the mails whose runs have ended."""
        inbound = self._world.social.inbound
        while not self._over.is_set() and (ended := inbound.ended_runs(AT_ONCE)):
            for mail, run in ended:
                with caused_by(mail.caused_by):
                    self._answer(mail, run)

    def _answer(self, mail: InboundMail, run: int) -> None:
        try:
            answer_run(self._world, mail, run)
        except (NoSpace, Unavailable):
            raise
        except Exception:
            log.exception("the run %d of a mail could not be answered", run)
            self._world.social.inbound.answer(mail, run)

    def end_round(self) -> None:
        """Answer mails again, and delete old ones."""
        self.begin_round()
        kept = timedelta(days=self._world.service.settings.retention_days)
        self._world.social.inbound.prune(stamp(self._world.clock.now() - kept))

    def handle(self, entry: InboundMail) -> None:
        """Finish one mail, or make it due again later."""
        try:
            count = start_runs(self._world, admit_mail(self._world, self._names, entry))
            done.info("a mail to %s started %d runs", entry.group_ref, count)
        except SilentMail as silent:
            self._world.social.inbound.keep(entry, str(silent)[:500])
            done.info("a mail to %s starts nothing: %s", entry.group_ref, str(silent)[:200])
        except UnsureMail as unsure:
            self.later(entry, str(unsure))

    def give_up(self, entry: InboundMail, reason: str) -> None:
        """Keep a mail after its last attempt."""
        self._world.social.inbound.keep(entry, reason)
