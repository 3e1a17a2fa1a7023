"""The address and the secrets of a hook, which are stored encrypted, and the signatures of its messages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

import orjson
from standardwebhooks import Webhook

from handlers.rules.hook_files import PREFIX, fresh_secret
from handlers.services.world import World
from vfs.errors import Invalid
from vfs.ports.clock import stamp
from vfs.ports.hooks import Hook

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
