"""The caller's quotas: the limits of what it may store and do at once, and the present use of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from handlers.services.world import World
from handlers.settings.quantities import rounded_size
from handlers.words.tables import table
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir
from vfs.parts import value
from vfs.ports.quotas import BYTES, Quota, QuotaName
from vfs.rules import IN_PERSON, SIGNED_IN

COLUMNS = ("quota", "use", "limit")
ABOUT = {
    QuotaName.STORAGE: "bytes of all that the account keeps",
    QuotaName.ITEMS: "resources and groups that the account has",
    QuotaName.REPOS: "repos that the account has",
    QuotaName.RUNS: "runs of the account's jobs that are under way or wait",
    QuotaName.BUILDS: "builds of the account's repos that are queued or at work",
    QuotaName.PUSH: "bytes that one push may bring",
    QuotaName.GROUPS: "groups that the account founded",
    QuotaName.MEMBERS: "members and invited users of the account's groups together",
    QuotaName.INVITES: "invitations that the account sent and that wait for an answer",
    QuotaName.SHARES: "shares of the account's resources",
    QuotaName.TIES: "users whom the account asked to connect, follows or ignores",
    QuotaName.TOKENS: "tokens that the account has, those of applications included",
    QuotaName.SESSIONS: "sessions of the account; beyond the limit a sign-in ends the oldest",
    QuotaName.KEYS: "public keys for SSH that the account has",
    QuotaName.TAGS: "tags and levels of notifications that the account put on resources",
    QuotaName.VARIABLES: "variables of the account's resources, with the files of each",
    QuotaName.COMMENTS: "comments that the account wrote",
}


def overview(context: Context[World]) -> Data:
    """Return all quotas of the caller."""
    return Data([facts_of(quota) for quota in context.world.service.quotas.of(context.me)], _table)


def one(name: QuotaName, context: Context[World]) -> Data:
    """Return one quota of the caller."""
    said = facts_of(context.world.service.quotas.one(context.me, name))
    return Data(said, lambda quota: f"{quota['use'] or 0} of {quota['limit']}\n")


def facts_of(quota: Quota) -> dict[str, str | int | bool | None]:
    """Return the fields of a quota in answers; the quota of a push has no use between pushes."""
    use = None if quota.name is QuotaName.PUSH else quota.use
    return {"quota": quota.name.value, "use": use, "limit": quota.limit, "own": quota.own}


def _table(quotas: Sequence[dict[str, object]]) -> str:
    return table(COLUMNS, [[_cell(quota, column) for column in COLUMNS] for quota in quotas])


def _cell(quota: dict[str, object], column: str) -> object:
    """Return a field as text tables show it; numbers of bytes are rounded."""
    fact = quota[column]
    return rounded_size(fact) if quota["quota"] in BYTES and isinstance(fact, int) else fact


QUOTA = Dir(
    {
        "overview": value(overview, about="all quotas, with use and limit"),
        **{name.value: value(partial(one, name), about=ABOUT[name]) for name in QuotaName},
    },
    rules={Verb.READ: SIGNED_IN & IN_PERSON},
    about="the account's quotas: use and limits",
)
