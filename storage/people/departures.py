"""Deletion of the rows of an account that leaves, except those of its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from storage.database.store import Store
from storage.tree.item_rows import IS_LIVE
from vfs.ports.clock import Clock, stamp

COMMENTS = f"""
SELECT c.id, i.kind, i.owner, i.name, c.created_on, c.last_modified, c.text
FROM comment c JOIN item i ON i.id = c.item
WHERE c.author = :name AND NOT c.deleted AND c.id > :after AND {IS_LIVE} ORDER BY c.id LIMIT 500"""
HEADS = ("id", "kind", "owner", "name", "created_on", "last_modified", "text")

FOUNDED = "SELECT ref FROM people_group WHERE owner = :name AND parent IS NULL ORDER BY ref"
BLANK = (
    "UPDATE comment SET deleted = TRUE, text = '', last_modified = :now WHERE author = :name AND NOT deleted"
)
SHUT = """
UPDATE account SET password = '', email = NULL, verified = FALSE, public = FALSE, locked = TRUE
WHERE name = :name"""
PROFILE = tuple(
    f"DELETE FROM {table} WHERE item = (SELECT item FROM account WHERE name = :name)"
    for table in ("leaf", "leaf_version")
)
# Tags and notification levels that an account set on items of any owner.
MARKS = """
DELETE FROM leaf WHERE
    (rel >= 'tags/@' || CAST(:name AS TEXT) || '/' AND rel < 'tags/@' || CAST(:name AS TEXT) || '0')
    OR rel = 'notifications/@' || CAST(:name AS TEXT)"""
FORGET = (
    "DELETE FROM share WHERE target = '@' || CAST(:name AS TEXT)",
    "DELETE FROM member WHERE name = :name",
    # Requests of others to the name stay with them, as if it had never been the name of an account.
    "DELETE FROM tie WHERE name = :name OR other = :name AND NOT pending AND kind <> 'ignore'",
    "DELETE FROM invitation_link WHERE account = :name",
    "DELETE FROM token_use WHERE token IN (SELECT id FROM token WHERE account = :name)",
    "DELETE FROM connection WHERE account = :name",
    "DELETE FROM approval WHERE account = :name",
    "DELETE FROM application WHERE owner = :name",
    "DELETE FROM token WHERE account = :name",
    "DELETE FROM ssh_key WHERE account = :name",
    "DELETE FROM factor WHERE account = :name",
    "DELETE FROM recovery_code WHERE account = :name",
    "DELETE FROM provider_link WHERE account = :name",
    "DELETE FROM challenge WHERE account = :name",
    "DELETE FROM password_reset WHERE account = :name",
    "DELETE FROM address WHERE account = :name",
    "DELETE FROM notice WHERE account = :name",
    "DELETE FROM deed WHERE actor = :name",
    "DELETE FROM quota WHERE account = :name",
    "DELETE FROM hook WHERE owner = :name",
    "DELETE FROM mail_refusal WHERE owner = :name",
)


class StoredDepartures(Store):
    """The rows of an account in all tables."""

    def comments(self, name: str) -> Iterator[Mapping[str, object]]:
        """Yield all comments of an account, with the items they are about."""
        after = 0
        while rows := self._database.rows(COMMENTS, name=name, after=after):
            yield from (dict(zip(HEADS, row, strict=True)) for row in rows)
            after = rows[-1][0]

    def list_founded(self, name: str) -> list[str]:
        """Return the references of groups and organisations that an account founded, not their subgroups."""
        return [ref for (ref,) in self._database.rows(FOUNDED, name=name)]

    def forget(self, name: str, clock: Clock) -> None:
        """Delete all data of an account except its name, which no other account can get.

        Its comments are emptied, its memberships, shares and actions are deleted, and it cannot sign in.
        """
        with self._database.atomic():
            self._database.run(BLANK, name=name, now=stamp(clock.now()))
            for sql in (MARKS, *FORGET, *PROFILE, SHUT):
                self._database.run(sql, name=name)
