"""Mails as triggers: run every job shared with the group, for a verified sender who may run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from handlers.mail.inbound.mail_acceptance import envelope_of
from handlers.mail.inbound.mail_answers import reason_for_silence
from handlers.mail.inbound.message_parts import InboundMessage, RefusedMessage, read_message
from handlers.mail.inbound.name_records import NameRecords
from handlers.mail.inbound.run_input import bring_message, facts_of
from handlers.mail.inbound.sender_proof import SenderProof, prove_sender
from handlers.services.mails.mail_addresses import group_at, is_set
from handlers.services.rights import shared_access
from handlers.services.runs.run_trigger import MAIL, NoChain, RunRequest, order
from handlers.services.world import World
from vfs.access import Access
from vfs.errors import NotFound
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

    Cheap checks come first: for a mail that no account here can have sent, no name server is asked.
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
    # One reason for all, so that readers do not learn which addresses are known here.
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

    Raises SilentMail for a repeated mail or one that came too soon, Unavailable and NoSpace; then nothing was
    done.
    """
    mail, message, sender = admitted.mail, admitted.message, admitted.sender
    facts = facts_of(mail, message, sender, admitted.proof)
    with world.atomic():
        if not world.social.inbound.is_first(mail, sender, message.message_id):
            raise SilentMail("the message came before")
        most = Limit(f"mails of {sender} that run jobs", world.service.settings.mails_inbound, HOUR)
        if world.people.rates.take([most]):
            raise SilentMail(f"@{sender} sent as many mails in this hour as may run jobs")
        runs = list[int]()
        for job in admitted.jobs:
            runs += _run(world, job, admitted, facts)
        note = f"from @{sender}, proved by {admitted.proof.by} of {admitted.proof.words}"
        world.social.inbound.start(mail, sender, message.message_id, note, runs)
    return len(runs)


def _run(world: World, job: Item, admitted: AdmittedMail, facts: str) -> Sequence[int]:
    """Order one run, unless the job has no chain."""
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
    """Return why a message cannot be told apart from a copy of it, or ""."""
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
    """Return the proof of the sender. A signature proves a mail only to the recipients it names."""
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
