"""Forms of a hook's messages: the standard one, and those that chats take; and their signatures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import orjson
from standardwebhooks import Webhook

from handlers.events.placed_events import PlacedEvent
from handlers.services.hook_calls import payload
from handlers.services.hook_secrets import DISCORD, SLACK, HookSecrets
from vfs.ports.clock import stamp

LONGEST_TEXT = 1_900
"""Maximum signs of a text in a chat: Discord takes 2,000, with the address of the page."""


def event_payload(placed: PlacedEvent, actor: str, origin: str) -> bytes:
    """Return the message of an event in the standard form, as the account sees it to which it is sent."""
    event = placed.event(actor)
    said, at = placed.happening.event_type.replace("_", " "), event["target_fqnp"]
    text = f"{said[:1].upper()}{said[1:]}: {at}{f' (by {actor})' if actor else ''}"
    data = {"text": text, "url": f"{origin}{at}", **event}
    return payload(placed.happening.event_type, placed.happening.moment, data)


def in_form(form: str, standard: bytes) -> bytes:
    """Return a message in the form of a hook; in that of a chat it is one text, which calls nobody."""
    if form not in (SLACK, DISCORD):
        return standard
    data = orjson.loads(standard)["data"]
    said, url = str(data.get("text", "")), str(data.get("url", ""))
    # A name or a text of somebody else must not call all people of a chat, as @channel and <!here> do.
    text = said[:LONGEST_TEXT].replace("@", "@\u200b") + (f"\n{url}" if url else "")
    if form == DISCORD:
        return orjson.dumps({"content": text, "allowed_mentions": {"parse": []}})
    for sign, spelled in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, spelled)
    return orjson.dumps({"text": text})


def signed_headers(kept: HookSecrets, message_id: str, body: bytes, now: datetime) -> Mapping[str, str]:
    """Return the headers of a message, with a signature for each valid secret (Standard Webhooks)."""
    signatures = (Webhook(one).sign(message_id, now, body.decode()) for one in kept.valid(stamp(now)))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Curlew",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
