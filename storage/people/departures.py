"""StoredDepartures: rows of an account that leaves, beside those of its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from storage.database.database import Database
from vfs.ports.clock import Clock, stamp

COMMENTS = """
SELECT c.id, i.kind, i.owner, i.name, c.created_on, c.last_modified, c.text
FROM comment c JOIN item i ON i.id = c.item
WHERE c.author = :name AND NOT c.deleted AND c.id > :after ORDER BY c.id LIMIT 500"""
HEADS = ("id", "kind", "owner", "name", "created_on", "last_modified", "text")

FOUNDED = "SELECT ref FROM people_group WHERE owner = :name AND parent IS NULL ORDER BY ref"
BLANK = (
    "UPDATE comment SET deleted = TRUE, text = '', last_modified = :now WHERE author = :name AND NOT deleted"
)
SHUT = """
UPDATE account SET password = '', email = NULL, verified = FALSE, public = FALSE, locked = TRUE
WHERE name = :name"""
PROFILE = "DELETE FROM leaf WHERE item = (SELECT item FROM account WHERE name = :name)"
# Tags and levels of notifications that an account put on things, no matter whose they are.
MARKS = """
DELETE FROM leaf WHERE
    (rel >= 'tags/@' || CAST(:name AS TEXT) || '/' AND rel < 'tags/@' || CAST(:name AS TEXT) || '0')
    OR rel = 'notifications/@' || CAST(:name AS TEXT)"""
FORGET = (
    "DELETE FROM share WHERE target = '@' || CAST(:name AS TEXT)",
    "DELETE FROM member WHERE name = :name",
    "DELETE FROM tie WHERE name = :name OR other = :name",
    "DELETE FROM token_use WHERE token IN (SELECT id FROM token WHERE account = :name)",
    "DELETE FROM connection WHERE account = :name",
    "DELETE FROM approval WHERE account = :name",
    "DELETE FROM application WHERE owner = :name",
    "DELETE FROM token WHERE account = :name",
    "DELETE FROM ssh_key WHERE account = :name",
    "DELETE FROM challenge WHERE account = :name",
    "DELETE FROM password_reset WHERE account = :name",
    "DELETE FROM address WHERE account = :name",
    "DELETE FROM notice WHERE account = :name",
    "DELETE FROM deed WHERE actor = :name",
    "DELETE FROM quota WHERE account = :name",
    "DELETE FROM mail_refusal WHERE owner = :name",
)


class StoredDepartures:
    """Rows of accounts in a database, whichever table has them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def comments(self, name: str) -> Iterator[Mapping[str, object]]:
        """All that an account said about things, and about which."""
        after = 0
        while rows := self._database.rows(COMMENTS, name=name, after=after):
            yield from (dict(zip(HEADS, row, strict=True)) for row in rows)
            after = rows[-1][0]

    def list_founded(self, name: str) -> list[str]:
        """The references of groups and organisations that an account founded, without what is below one."""
        return [ref for (ref,) in self._database.rows(FOUNDED, name=name)]

    def forget(self, name: str, clock: Clock) -> None:
        """Leave of an account its name alone, which nobody is given again.

        What it said is blank, what it did among others has no name any more, and nobody signs in with it.
        """
        with self._database.atomic():
            self._database.run(BLANK, name=name, now=stamp(clock.now()))
            for sql in (MARKS, *FORGET, PROFILE, SHUT):
                self._database.run(sql, name=name)
