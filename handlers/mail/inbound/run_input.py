"""The input of runs that a mail triggers: the parts of its message as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from chains.files.fsync import settle_all
from handlers.mail.inbound.mail_acceptance import envelope_of
from handlers.mail.inbound.message_parts import InboundMessage
from handlers.mail.inbound.sender_proof import SenderProof
from handlers.services.runs.kept_inputs import StoredInput, bring_input
from handlers.services.world import World
from vfs.errors import storage_error
from vfs.ports.inbound import InboundMail
from vfs.ports.items import Item

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
