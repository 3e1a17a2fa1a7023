"""Lines of keys, which OpenSSH requests for each key offered (sshd_config(5), AuthorizedKeysCommand)."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence

from handlers.identity.public_keys import public_key
from handlers.processes.database import open_database
from handlers.settings.settings import Settings
from storage.people.keys import StoredKeys
from storage.upkeep.clocks import WallClock
from vfs.errors import Invalid
from vfs.ports.keys import Key, PublicKey

FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
SERVE = (sys.executable, "-P", "-m", "handlers.commands.ssh", "ssh-serve")
"""The program that serves the holder of a key; its working folder is not searched for modules."""


def authorized_line(settings: Settings, words: Sequence[str]) -> str:
    """Return the authorized_keys line for a key or its fingerprint; "" for an unknown or locked one."""
    fingerprint = _fingerprint(words)
    if not settings.ssh_host or fingerprint is None:
        return ""
    database = open_database(settings)
    try:
        with database.session():
            keys = StoredKeys(database, WallClock()).with_fingerprint(fingerprint)
    finally:
        database.close()
    return next((line_of(settings, key) for key in keys if not key.locked), "")


def line_of(settings: Settings, key: Key) -> str:
    """Return the line with which OpenSSH allows the holder of a key only one program."""
    public = key.public
    assert isinstance(public, PublicKey)  # the key was found by its fingerprint
    where = ["--data", str(settings.folder)]
    where += ["--config", settings.config] if settings.config else []
    command = shlex.join([*SERVE, *where, public.fingerprint])
    quoted = command.replace("\\", "\\\\").replace('"', '\\"')
    return f'restrict,command="{quoted}" {public.kind} {public.body}'


def _fingerprint(words: Sequence[str]) -> str | None:
    text = " ".join(words)
    if FINGERPRINT.fullmatch(text):
        return text
    try:
        return public_key(text).fingerprint
    except Invalid:
        return None
