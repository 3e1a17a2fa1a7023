"""Answers to mails that ran jobs, and the messages that must not be answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from chains.runs.records import COMMAND, Run
from chains.runs.states import Status
from handlers.mail.inbound.message_parts import InboundMessage, RefusedMessage, read_message
from handlers.rules.run_failures import failure_of
from handlers.services.mailboxes import public_origin
from handlers.services.mails.service_message import MessageAttachment, ServiceMessage, enqueue_message
from handlers.services.rights import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.errors import NotFound
from vfs.ports.inbound import InboundMail
from vfs.ports.items import Item

BULK = frozenset({"bulk", "junk", "list"})
LISTS = frozenset({"list-id", "list-unsubscribe", "x-loop", "feedback-id"})


def reason_for_silence(message: InboundMessage, envelope_sender: str, own: Collection[str]) -> str:
    """Return why a message is ignored and not answered, or "" (RFC 3834, 2).

    `own` are the domains of this service, with which the Message-IDs of its messages end.
    """
    if not envelope_sender.strip("<> "):
        return "its envelope has no sender, as in reports of failed delivery"
    values = [(name, value.partition(";")[0].strip().lower()) for name, value in message.headers]
    if any(name == "auto-submitted" and value != "no" for name, value in values):
        return "a program sent it"
    if any(name in LISTS or (name == "precedence" and value in BULK) for name, value in values):
        return "it came by a list"
    origin = f".{message.message_id.strip('<> ').rpartition('@')[2].lower()}"
    if any(domain and origin.endswith(f".{domain.lower()}") for domain in own):
        return "this service sent it"
    return ""


LARGEST = 10 * 1024 * 1024
"""Largest result in bytes that is attached to an answer; larger ones are linked."""
MOST_COPIES, LONGEST_TEXT = 50, 64 * 1024
TEXTS = frozenset({"text/plain", "text/markdown", "text/csv", "application/json"})
GONE = "The run was canceled, as its job was removed."


def answer_run(world: World, mail: InboundMail, key: int) -> None:
    """Queue the answers of a run that ended, once, in the transaction that marks it as answered."""
    run = world.code.runs.reader.by_key(key)
    found = world.items.at(run.job, None) if run is not None else None
    with world.atomic():
        if not world.social.inbound.answer(mail, key):
            return
        try:
            with world.blobs.open(mail.message) as stream:
                message = read_message(stream.read())
        except (NotFound, RefusedMessage):
            return
        for one in _answers(world, mail, message, run, found.item if found is not None else None):
            enqueue_message(world, one)


def _answers(
    world: World, mail: InboundMail, message: InboundMessage, run: Run | None, job: Item | None
) -> Iterator[ServiceMessage]:
    """Yield the messages of an answer. The sender gets one only while the address belongs to the account."""
    user = world.people.users.with_address(message.sender)
    if user is None or user.locked or user.name != mail.sender:
        return
    if run is None or job is None:
        yield _reply(mail, message, message.sender, GONE)
        return
    access = person_access(world, job, mail.sender)
    if run.status is not Status.SUCCESS or Access.EXECUTE not in access:
        reads = Access.READ in access
        yield _reply(mail, message, message.sender, f"{_sentence(world, run, reads)}\n\n{_link(world, run)}")
        return
    text, files = _result(world, run)
    for address in (message.sender, *_copies(world, mail, message, job)):
        yield _reply(mail, message, address, f"{text}\n\n{_link(world, run)}", files)


def _copies(world: World, mail: InboundMail, message: InboundMessage, job: Item) -> Iterator[str]:
    """Yield verified addresses in To and Cc whose accounts may run the job."""
    names = {mail.sender}
    for address in dict.fromkeys((*message.to, *message.cc)[:MOST_COPIES]):
        user = world.people.users.with_address(address)
        if user is None or user.locked or user.email is None or user.name in names:
            continue
        if Access.EXECUTE in person_access(world, job, user.name):
            names.add(user.name)
            yield address


def _reply(
    mail: InboundMail, message: InboundMessage, to: str, text: str, files: Sequence[MessageAttachment] = ()
) -> ServiceMessage:
    subject = message.subject or "your mail"
    return ServiceMessage(
        to=to,
        subject=subject if subject.lower().startswith("re:") else f"Re: {subject}",
        text=text + "\n",
        sender=mail.address,
        sender_name=mail.group_ref,
        in_reply_to=message.message_id,
        references=(*message.header("references").split(), message.message_id),
        automatic="auto-replied",
        attachments=files,
    )


def _sentence(world: World, run: Run, reads: bool) -> str:
    """Return the text about a run without a result for the sender; `reads` is access to its log."""
    name = f"The run {run.id} of {run.origin}"
    if run.status is Status.CANCELED:
        return f"{name} was canceled."
    if run.status is Status.SUCCESS:
        return f"{name} ended, but you have no access to its result: you may not run the job any more."
    said = "was rejected" if run.status is Status.REJECTED else "failed"
    if not reads:
        return f"{name} {said}: the reason is in its log, for everyone who may read the job."
    lines = world.code.runs.reader.lines(run.top or run.key)
    found = failure_of([(one.severity, one.message) for one in lines if one.severity != COMMAND])
    return "\n".join((f"{name} {said}: {found.reason}", *(f"  {line}" for line in found.printed)))


def _result(world: World, run: Run) -> tuple[str, Sequence[MessageAttachment]]:
    """Return the text of an answer with a result, and its attachments."""
    name = f"The run {run.id} of {run.origin} ended well"
    if run.output is None:
        return f"{name}, without a result.", ()
    if run.output.size > LARGEST:
        return f"{name}. Its result is too large for a mail.", ()
    try:
        with world.blobs.open(run.output) as stream:
            body = stream.read()
    except NotFound:
        return f"{name}. Its result is gone.", ()
    file = MessageAttachment(run.output_name or "result", run.output.media.partition(";")[0], body)
    if file.media not in TEXTS or len(body) > LONGEST_TEXT:
        return f"{name}. Its result is attached.", (file,)
    return f"{body.decode('utf-8', 'replace').strip()}\n\n--\n{name}.", (file,)


def _link(world: World, run: Run) -> str:
    settings = world.service.settings
    return f"{public_origin(settings, f'http://{settings.bind}')}{run.origin}/{run.id}"
