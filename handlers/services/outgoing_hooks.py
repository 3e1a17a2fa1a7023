"""Hooks that send: calls of them, their messages and secrets, and the sending itself."""

from __future__ import annotations

import base64
import binascii
import http.client
import re
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import orjson
from standardwebhooks import Webhook

from chains.public_hosts import connect_public
from handlers.rules.hook_addresses import HookAddress, HookReach
from handlers.rules.hook_files import PREFIX, fresh_secret
from handlers.services.accounts import account_of
from handlers.services.posting import Message, post
from handlers.services.world import World
from handlers.words.terminal_signs import safe_words
from vfs.errors import Invalid
from vfs.ports.clock import stamp
from vfs.ports.hooks import ACTIVE, MOST_EVENTS, MOST_WAITING, Hook
from vfs.ports.notices import NoticeSubject

FEWEST_BYTES, MOST_BYTES = 24, 64
BOTH_VALID = timedelta(days=1)
"""Time for which messages are also signed with the former secret."""


@dataclass(frozen=True, slots=True)
class HookSecrets:
    """The content of a hook's encrypted text: address, secret, and the former secret until a time stamp."""

    url: str = ""
    secret: str = ""
    former: str = ""
    until: str = ""

    @classmethod
    def open(cls, world: World, hook: Hook) -> HookSecrets:
        """Return those of a hook. Raises Unavailable when the key is missing."""
        return cls(**orjson.loads(world.service.seal.open(hook.sealed, _context(hook.owner, hook.name))))

    def seal(self, world: World, owner: str, name: str) -> str:
        """Return them encrypted."""
        return world.service.seal.close(orjson.dumps(asdict(self)).decode(), _context(owner, name))

    def rotate(self, world: World, secret: str) -> HookSecrets:
        """Return the same with a new secret; the present one signs messages for a day, too."""
        until = stamp(world.clock.now() + BOTH_VALID)
        return replace(self, secret=secret, former=self.secret, until=until)

    def valid(self, now: str) -> tuple[str, ...]:
        """Return the secrets that sign messages now."""
        return (self.secret, self.former) if self.former and now < self.until else (self.secret,)

    def headers(self, message_id: str, body: bytes, now: datetime) -> Mapping[str, str]:
        """Return the headers of a message, with a signature for each valid secret (Standard Webhooks)."""
        signatures = (Webhook(one).sign(message_id, now, body.decode()) for one in self.valid(stamp(now)))
        return {
            "Content-Type": "application/json",
            "User-Agent": "Curlew",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


def _context(owner: str, name: str) -> str:
    return f"{owner}/hooks/{name}"


def secret(sent: str) -> str:
    """Return the secret that was sent, a new one for `new`. Raises Invalid."""
    word = sent.strip()
    if word == "new":
        return fresh_secret()
    try:
        size = len(base64.b64decode(word.removeprefix(PREFIX), validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if not word.startswith(PREFIX) or not FEWEST_BYTES <= size <= MOST_BYTES:
        raise Invalid(
            f"send new for a new secret, or {PREFIX} and {FEWEST_BYTES} to {MOST_BYTES} bytes in base64"
        )
    return word


CONNECT_SECONDS, ANSWER_SECONDS = 4.0, 10.0
LONGEST_WORDS = 200
GONE = 410


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """The status with which a receiver answered, or None and what went wrong, and how long it took."""

    status: int | None
    said: str
    milliseconds: int

    @property
    def is_taken(self) -> bool:
        """Whether the receiver took the message."""
        return self.status is not None and 200 <= self.status < 300


def send_hook(
    to: HookAddress,
    reach: HookReach,
    headers: Mapping[str, str],
    body: bytes,
    seconds: float = ANSWER_SECONDS,
) -> HookAnswer:
    """POST a body to an address that the reach permits, and return what became of it.

    The host is resolved once, and connected to at the addresses that were checked. Nothing of the answer but
    its status is read, and redirects are not followed.
    """
    start = time.monotonic()
    try:
        permits = partial(reach.permits, to)
        with connect_public(to.host, to.port, CONNECT_SECONDS, permits) as connected:
            status = _post(connected, to, headers, body, seconds)
        said = str(status)
        if 300 <= status < 400:
            said += ": redirects are not followed, write the new address"
    except ssl.SSLCertVerificationError as error:
        status, said = None, f"its certificate is not valid: {error.verify_message}"
    except TimeoutError:
        status, said = None, "it did not answer in time"
    except (OSError, http.client.HTTPException, ValueError) as error:
        status, said = None, f"no answer: {getattr(error, 'strerror', None) or error}"
    # A receiver that speaks no HTTP is quoted: its words are shown to people, and stored.
    words = safe_words(" ".join(said.split()))[:LONGEST_WORDS]
    return HookAnswer(status, words, round((time.monotonic() - start) * 1000))


def _post(
    plain: socket.socket, to: HookAddress, headers: Mapping[str, str], body: bytes, seconds: float
) -> int:
    """Return the status. Raises OSError, HTTPException and ValueError."""
    plain.settimeout(seconds)
    held, over = [plain], threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError):
            socket.socket.shutdown(held[0], socket.SHUT_RDWR)

    # Each part of an answer may come in time, and the whole of it never, so there is a limit for the whole.
    limit = threading.Timer(seconds, end)
    limit.daemon = True
    limit.start()
    try:
        if to.scheme == "https":
            context = ssl.create_default_context()
            secure = context.wrap_socket(plain, server_hostname=to.host, do_handshake_on_connect=False)
            held[0] = secure
            secure.do_handshake()
        return _talk(held[0], to, headers, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise (TimeoutError() if over.is_set() else error) from None
    finally:
        limit.cancel()
        held[0].close()


def _talk(connected: socket.socket, to: HookAddress, headers: Mapping[str, str], body: bytes) -> int:
    connection = http.client.HTTPConnection(to.host, to.port)
    connection.sock = connected
    connection.request("POST", to.target, body, {"Host": to.authority, "Connection": "close", **headers})
    response = connection.getresponse()
    return response.status


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
