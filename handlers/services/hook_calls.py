"""Calls of hooks: how a service sends a message to an address that an account has set up.

    if not call_hook(world, owner, "chat", "alert_started", {"text": "Orders are below 10.", "url": page}):
        ...  # the account has no active hook of that name

The message is stored in the present transaction, and sent once it is committed. It is tried again for three
days; then the hook is paused, and its owner notified. `payload` says what the receiver gets.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping

import orjson

from handlers.services.accounts import account_of
from handlers.services.posting import Message, post
from handlers.services.world import World
from vfs.ports.clock import stamp
from vfs.ports.hooks import ACTIVE, MOST_EVENTS, MOST_WAITING, Hook
from vfs.ports.notices import NoticeSubject

LARGEST = 32 << 10
"""Bytes of a message, at most."""
EVENT = re.compile(r"[a-z0-9]+(?:[_.][a-z0-9]+)*")
FORMATS = STANDARD, SLACK, DISCORD = ("standard", "slack", "discord")
LONGEST_TEXT = 1_900
"""Maximum signs of a text in a chat: Discord takes 2,000, with the address of the page."""
HOOK = "hook"
"""The kind of notices about hooks that were paused."""


def call_hook(world: World, owner: str, name: str, event: str, data: Mapping[str, object]) -> bool:
    """Store a message for a hook; return False if the account has no active hook of that name.

    `event` is a kind such as alert_started, `data` has JSON values: `text`, the sentence for chats, `url`,
    the page that it is about, and others. The caller has checked that the owner may see all of it. Raises
    ValueError for another event, and for more than LARGEST bytes.
    """
    hook = world.social.hooks.find(owner, name)
    if hook is None or hook.state != ACTIVE or not world.service.settings.hooks_out:
        return False
    return send_to(world, hook, event, payload(event, stamp(world.clock.now()), data)) is not None


def payload(event: str, moment: str, data: Mapping[str, object]) -> bytes:
    """Return a message in the standard form. Raises ValueError as call_hook does."""
    if not EVENT.fullmatch(event):
        raise ValueError(f"{event!r} is no kind of event: write words in lower case with _ between them")
    body = orjson.dumps({"type": event, "timestamp": moment, "data": dict(data)})
    if len(body) > LARGEST:
        raise ValueError(f"a hook gets at most {LARGEST} bytes, not {len(body)}")
    return body


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


def new_message_id() -> str:
    """Return the id of a new message."""
    return f"msg_{secrets.token_urlsafe(18)}"


def send_to(world: World, hook: Hook, event: str, message: bytes) -> str | None:
    """Store a message for a hook and return its id; if too many wait, pause the hook and return None."""
    id = new_message_id()
    if world.social.hooks.enqueue(hook.id, event, id, message):
        return id
    pause(world, hook, f"{MOST_WAITING:,} messages wait for it already")
    return None


def pause(world: World, hook: Hook, why: str) -> None:
    """Pause an active hook and notify its owner. Call it in a transaction."""
    if world.social.hooks.pause(hook.id, why):
        about = NoticeSubject(account_of(world, hook.owner).item)
        text = f"Your hook {hook.name} was paused: {why}. Resume it when its receiver takes messages again."
        post(world, Message(HOOK, about, text, f"hook {hook.name}", hook.name), hook.owner)


def notify_loss(world: World, owners: Collection[str]) -> None:
    """Notify owners of active hooks that events were dropped. Call it in a transaction."""
    text = (
        f"Events did not reach your hooks: more than {MOST_EVENTS:,} of this server waited while it sent "
        "none, and the oldest were dropped."
    )
    for owner in sorted(owners):
        post(
            world, Message(HOOK, NoticeSubject(account_of(world, owner).item), text, "events of hooks"), owner
        )
