"""Rotation of the keys that encrypt secrets, while servers run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from storage.bytes.seal import KEY_BYTES, FileSeal, read_keys, write_keys
from storage.database.database import Database
from vfs.errors import Conflict, Unavailable
from vfs.ports.leaves import digest_of


class SealedTexts(NamedTuple):
    """The statements for the encrypted texts of a table: to read the next ones, and to write one.

    Each text is sealed for `item` and `rel`. `first` sorts before all items.
    """

    next: str
    renew: str
    first: int | str


# Secrets of jobs are the values below config/env, and those of their hooks.
# A file that was created and never written is an empty text, which is not a secret.
LEAVES = SealedTexts(
    """
SELECT item, rel, text FROM leaf
WHERE (rel >= 'config/env/' AND rel < 'config/env0' OR rel LIKE 'hooks/%/secret') AND text <> ''
    AND (item > :item OR (item = :item AND rel > :rel)) ORDER BY item, rel LIMIT 200""",
    "UPDATE leaf SET text = :new, text_digest = :digest WHERE item = :item AND rel = :rel AND text = :old",
    0,
)
HOOKS = SealedTexts(
    """
SELECT owner, 'hooks/' || name AS rel, sealed FROM hook
WHERE owner > :item OR (owner = :item AND 'hooks/' || name > :rel) ORDER BY owner, rel LIMIT 200""",
    "UPDATE hook SET sealed = :new WHERE owner = :item AND 'hooks/' || name = :rel AND sealed = :old",
    "",
)
# Secrets of apps that show codes.
FACTORS = SealedTexts(
    """
SELECT account, 'factors/' || name AS rel, sealed FROM factor
WHERE sealed <> '' AND (account > :item OR (account = :item AND 'factors/' || name > :rel))
ORDER BY account, rel LIMIT 200""",
    "UPDATE factor SET sealed = :new WHERE account = :item AND 'factors/' || name = :rel AND sealed = :old",
    "",
)


@dataclass(frozen=True, slots=True)
class Resealed:
    """The number of secrets that were encrypted again, and the (item, path) of those that no key decrypts.

    The secrets of hooks and second factors have the name of their account in place of an item.
    """

    renewed: int
    unreadable: tuple[tuple[int | str, str], ...]


def add_key(path: Path) -> None:
    """Add a new key, with which secrets are sealed from now on."""
    write_keys(path, [os.urandom(KEY_BYTES), *read_keys(path)])


def reseal(database: Database, seal: FileSeal, report: Callable[[str, int], object]) -> Resealed:
    """Seal every secret with the newest key, except those written meanwhile; `report` the numbers."""
    renewed, unreadable = 0, []
    for table, item, rel, text in _secrets(database):
        if seal.is_newest(text):
            continue
        try:
            plain = seal.open(text, f"{item}/{rel}")
        except Unavailable:
            unreadable.append((item, rel))
            continue
        new = seal.close(plain, f"{item}/{rel}")
        words = {"digest": digest_of(new)} if table is LEAVES else {}
        renewed += database.run(table.renew, item=item, rel=rel, old=text, new=new, **words)
        report("secrets", renewed)
    return Resealed(renewed, tuple(unreadable))


def drop_old_keys(path: Path, database: Database, seal: FileSeal) -> int:
    """Remove all keys but the newest from the file; return the number of removed keys.

    Raises Conflict if a secret is sealed with an older key. If one was written during the removal, the keys
    are restored.
    """
    before = read_keys(path)
    _require_newest(database, seal)
    write_keys(path, before[:1])
    try:
        _require_newest(database, seal)
    except Conflict:
        write_keys(path, before)
        raise
    return len(before) - 1


def _require_newest(database: Database, seal: FileSeal) -> None:
    for _, item, rel, text in _secrets(database):
        if not seal.is_newest(text):
            raise Conflict(
                f"{rel} of the item {item} is sealed under an older key: the keys stay. Rotate again, or "
                "have it written again if no key of the file opens it"
            )


def _secrets(database: Database) -> Iterator[tuple[SealedTexts, int | str, str, str]]:
    for table in (LEAVES, HOOKS, FACTORS):
        item, rel = table.first, ""
        while rows := database.rows(table.next, item=item, rel=rel):
            for item, rel, text in rows:
                yield table, item, rel, text
