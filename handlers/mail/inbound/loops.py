"""Loops of mail: messages that no answer may follow, as programs wrote them."""

from __future__ import annotations

from collections.abc import Collection

from handlers.mail.inbound.message_parts import InboundMessage

BULK = frozenset({"bulk", "junk", "list"})
LISTS = frozenset({"list-id", "list-unsubscribe", "x-loop", "feedback-id"})


def reason_for_silence(message: InboundMessage, envelope_sender: str, own: Collection[str]) -> str:
    """The reason why a message starts nothing and is not answered, "" if it may (RFC 3834, 2).

    `own` are the domains of this service: identities of its own messages end with them.
    """
    if not envelope_sender.strip("<> "):
        return "it has no sender on its envelope, as only tellings of failure have"
    values = [(name, value.partition(";")[0].strip().lower()) for name, value in message.headers]
    if any(name == "auto-submitted" and value != "no" for name, value in values):
        return "a program sent it"
    if any(name in LISTS or (name == "precedence" and value in BULK) for name, value in values):
        return "it came by a list"
    origin = f".{message.message_id.strip('<> ').rpartition('@')[2].lower()}"
    if any(domain and origin.endswith(f".{domain.lower()}") for domain in own):
        return "this service sent it"
    return ""
