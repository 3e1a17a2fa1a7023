"""The tables of credentials, found by the digest of their value, and of their uses."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.columns import TableColumns
from storage.database.store import QuotaStore
from vfs.access import Via
from vfs.errors import Conflict
from vfs.ports.people import KEPT_REVOKED, LOGGED, Token
from vfs.ports.quotas import QuotaName

TOKEN = TableColumns(
    Token,
    "id account name description via claim created_on expires_on revoked_on last_used_on locked run",
    via={via.value: via for via in Via}.__getitem__,
    locked=bool,
)
SELECT = """
SELECT t.id, t.account, t.name, t.description, t.via, t.claim, t.created_on, t.expires_on, t.revoked_on,
    t.last_used_on, a.locked, t.run
FROM token t JOIN account a ON a.name = t.account"""

AT = f"{SELECT} WHERE t.id = :id"
BY_DIGEST = f"{SELECT} WHERE t.digest = :digest"
OF = f"{SELECT} WHERE t.account = :user AND t.revoked_on IS NULL AND t.run IS NULL ORDER BY t.id"
BY_NAME = f"{SELECT} WHERE t.account = :user AND t.name = :name ORDER BY t.id DESC LIMIT 1"
MINT = """
INSERT INTO token (account, name, digest, description, via, claim, run, created_on, expires_on)
VALUES (:user, :name, :digest, :description, :via, :claim, :run, :now, :expires_on)
ON CONFLICT (account, name) WHERE revoked_on IS NULL DO NOTHING RETURNING id"""
GIVE_WAY = "DELETE FROM token WHERE account = :user AND name = :name AND revoked_on IS NOT NULL"
FORGET = """
DELETE FROM token_use WHERE token IN (
    SELECT id FROM token WHERE account = :user AND name = :name AND revoked_on IS NOT NULL)"""
# Sessions are never refused: the oldest one is revoked instead.
END_SESSIONS = """
UPDATE token SET revoked_on = :now
WHERE account = :user AND via = 'session' AND revoked_on IS NULL AND run IS NULL AND id <= (
    SELECT id FROM token WHERE account = :user AND via = 'session' AND revoked_on IS NULL AND run IS NULL
    ORDER BY id DESC LIMIT 1 OFFSET :most)"""
PAST = """
SELECT id FROM token WHERE account = :user AND revoked_on IS NOT NULL AND run IS NULL
ORDER BY id DESC LIMIT 1 OFFSET :most"""
FORGET_PAST = (
    """DELETE FROM token_use WHERE token IN (
        SELECT id FROM token
        WHERE account = :user AND revoked_on IS NOT NULL AND run IS NULL AND id <= :past)""",
    "DELETE FROM token WHERE account = :user AND revoked_on IS NOT NULL AND run IS NULL AND id <= :past",
)
REVOKE = "UPDATE token SET revoked_on = :now WHERE id = :id AND revoked_on IS NULL"
REVOKE_RUN = "UPDATE token SET revoked_on = :now WHERE run = :run AND revoked_on IS NULL"
USE = "INSERT INTO token_use (token, used_on, what) SELECT id, :used_on, :what FROM token WHERE id = :token"
LAST_USE = """
UPDATE token SET last_used_on = :used_on
WHERE id = :token AND (last_used_on IS NULL OR last_used_on < :used_on)"""
LOG = f"""
SELECT used_on, what FROM (
    SELECT id, used_on, what FROM token_use WHERE token = :token ORDER BY id DESC LIMIT {LOGGED}) newest
ORDER BY id"""
PRUNE_USES = f"""
DELETE FROM token_use WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY token ORDER BY id DESC) AS place FROM token_use) placed
    WHERE place > {LOGGED})"""
PRUNE_USES_OF_RUNS = """
DELETE FROM token_use WHERE token IN (
    SELECT id FROM token WHERE run IS NOT NULL AND revoked_on < :before)"""
PRUNE_RUNS = "DELETE FROM token WHERE run IS NOT NULL AND revoked_on < :before"


class StoredTokens(QuotaStore):
    """The store of credentials in the database (vfs.ports.people.Tokens), without their values."""

    def mint(
        self, user: str, name: str, digest: str, *, description: str = "", via: Via = Via.TOKEN,
        claim: str | None = None, expires_on: str | None = None, run: int | None = None,
    ) -> Token:  # fmt: skip
        """Add a credential. Revoke the oldest sessions beyond the quota; delete the oldest revoked ones.

        Raises Conflict when the user has an unrevoked one of that name, QuotaReached when its token quota is
        full.
        """
        now = self._now()
        key = {"user": user, "name": name}
        values = {"digest": digest, "description": description, "via": via.value, "claim": claim, "run": run}
        with self._database.atomic():
            self._database.run(FORGET, **key)
            self._database.run(GIVE_WAY, **key)
            id = self._database.value(MINT, **key, **values, now=now, expires_on=expires_on)
            if id is None:
                raise Conflict(f"You have a token named {name}; revoke it first or choose another name.")
            if run is None:
                self._make_room(user, via, now)
        return Token(id, user, name, description, via, claim, now, expires_on, None, None, run=run)

    def at(self, token: int) -> Token | None:
        return self._database.one(TOKEN, AT, id=token)

    def by_digest(self, digest: str) -> Token | None:
        return self._database.one(TOKEN, BY_DIGEST, digest=digest)

    def of(self, user: str) -> Sequence[Token]:
        return self._database.all(TOKEN, OF, user=user)

    def by_name(self, user: str, name: str) -> Token | None:
        return self._database.one(TOKEN, BY_NAME, user=user, name=name)

    def revoke(self, token: int) -> bool:
        return self._database.run(REVOKE, now=self._now(), id=token) > 0

    def revoke_run(self, run: int) -> None:
        self._database.run(REVOKE_RUN, now=self._now(), run=run)

    def record_uses(self, uses: Sequence[tuple[int, str, str]]) -> None:
        last: dict[int, str] = {}
        for token, used_on, _ in uses:
            last[token] = max(used_on, last.get(token, ""))
        with self._database.atomic():
            self._database.many(
                USE, [{"token": token, "used_on": on, "what": what} for token, on, what in uses]
            )
            # sorted by id, so that two processes cannot deadlock
            stamps = [{"token": token, "used_on": used_on} for token, used_on in sorted(last.items())]
            self._database.many(LAST_USE, stamps)

    def log(self, token: int) -> Sequence[tuple[str, str]]:
        return [(used_on, what) for used_on, what in self._database.rows(LOG, token=token)]

    def prune(self, before: str) -> None:
        """Delete uses that no log shows, and credentials of runs that were revoked before a time stamp."""
        with self._database.atomic():
            self._database.run(PRUNE_USES)
            self._database.run(PRUNE_USES_OF_RUNS, before=before)
            self._database.run(PRUNE_RUNS, before=before)

    def _make_room(self, user: str, via: Via, now: str) -> None:
        """Enforce the user's quotas, and delete credentials that were revoked long ago."""
        if self._quotas is not None and via is not Via.SESSION:
            self._quotas.admit_made(user, QuotaName.TOKENS)
        elif self._quotas is not None:
            sessions = self._quotas.one(user, QuotaName.SESSIONS)
            if sessions.use > sessions.limit:
                self._database.run(END_SESSIONS, user=user, now=now, most=max(sessions.limit, 1))
        past = self._database.value(PAST, user=user, most=KEPT_REVOKED)
        if past is not None:
            for statement in FORGET_PAST:
                self._database.run(statement, user=user, past=past)
