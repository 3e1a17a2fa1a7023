"""The caller's public SSH keys: add, name, list and remove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from handlers.identity.public_keys import public_key
from handlers.rules.accounts import display_name
from handlers.services.world import World
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import NotFound
from vfs.nodes import KIB, Dir, Each, File, Named
from vfs.param import Param
from vfs.parts import value
from vfs.ports.keys import Key
from vfs.rules import FIRST_HAND, SIGNED_IN, hide_unless

KEY: Param[Key] = Param("key")
KEY_NAME = re.compile(r"[a-z0-9_-]{1,128}")
"""Any name that the published client makes from the comment of a key."""
OWN = SIGNED_IN & FIRST_HAND
NEVER = "never"


def list_keys(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's keys."""
    for key in context.world.people.keys.of(context.me):
        extra = {
            "fingerprint": key.public.fingerprint if key.public else None,
            "title": key.title,
            "summary": key.summary,
            "last_used_on": key.last_used_on,
        }
        yield Named(key.name, key.created_on, key.last_modified, key, extra=extra)


def find_key(context: Context[World], name: str) -> Key | None:
    """Return the caller's key of that name."""
    return context.world.people.keys.find(context.me, name) if context.me else None


def add(context: Context[World]) -> None:
    """Make an entry, which has no key until one is written to it."""
    context.world.people.keys.add(context.me, context.name)


def remove(context: Context[World]) -> str:
    """Remove a key; it grants no access from now on."""
    key = context[KEY]
    if not context.world.people.keys.remove(key.id):
        raise NotFound(f"the key {key.name} was removed before")
    return f"removed {key.name}\n"


def put_key(context: Context[World], sent: str) -> None:
    """Store the key in its entry.

    The answer is empty: a published client reads an answer that contains "Duplicate" and "Failure" as a
    refusal, and the comment of a key may contain both.
    """
    context.world.people.keys.put(context[KEY].id, public_key(sent))


def _words(field: str, kept: Callable[[Key], str], about: str) -> File:
    def write(context: Context[World], text: str) -> None:
        context.world.people.keys.change(context[KEY].id, **{field: display_name(text)})

    return File(
        lambda context: kept(context[KEY]),
        write,
        clear=False,
        largest=8 * KIB,
        rules={Verb.WRITE: OWN},
        about=about,
    )


def _fact(shown: Callable[[Key], str], about: str) -> File:
    return value(lambda context: shown(context[KEY]), about=about)


KEYS = Each(
    KEY,
    Dir(
        {
            "key": File(
                lambda context: key.line if (key := context[KEY].public) else "",
                put_key,
                clear=False,
                largest=16 * KIB,
                rules={Verb.WRITE: OWN},
                about="the public key, one line as in ~/.ssh/id_ed25519.pub",
            ),
            "name": _words("title", lambda key: key.title, "the name that its owner reads"),
            "summary": _words("summary", lambda key: key.summary, "one line about it"),
            "fingerprint": _fact(
                lambda key: key.public.fingerprint if key.public else "",
                "SHA-256 of the key, as ssh-keygen -l prints it",
            ),
            "created_on": _fact(lambda key: key.created_on, "when its entry was made"),
            "last_use": _fact(lambda key: key.last_used_on or NEVER, "when git last came with it, or never"),
        },
        about="a key; DELETE removes it",
    ),
    names=list_keys,
    has=hide_unless(OWN, find_key),
    create=add,
    remove=remove,
    name=KEY_NAME,
    name_rule="1 to 128 of a-z, 0-9, _ and -",
    rules={Verb.READ: OWN, Verb.CREATE: OWN, Verb.REMOVE: OWN},
    about="the caller's public keys, with which git may come over SSH",
)
