"""What bounds the rows of every table, of one account: a quota, or what else keeps them from growing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vfs.ports.quotas import QuotaName


class RowBound(NamedTuple):
    """The quotas that rows of a table count for, or (`why`) what else bounds those that requests make."""

    quotas: tuple[QuotaName, ...] = ()
    why: str = ""


def counted(*quotas: QuotaName) -> RowBound:
    """Rows that are counted, one by one or by their bytes."""
    return RowBound(quotas)


def few(why: str) -> RowBound:
    """Rows that hang on others, so many on each, or that are trimmed to so many."""
    return RowBound(why=why)


ROW_BOUNDS: Mapping[str, RowBound] = {
    "item": counted(QuotaName.ITEMS, QuotaName.REPOS),
    "leaf": counted(QuotaName.STORAGE, QuotaName.TAGS, QuotaName.VARIABLES),
    "share": counted(QuotaName.SHARES),
    "comment": counted(QuotaName.STORAGE, QuotaName.COMMENTS),
    "people_group": counted(QuotaName.GROUPS),
    "member": counted(QuotaName.MEMBERS, QuotaName.INVITES),
    "tie": counted(QuotaName.TIES),
    "token": counted(QuotaName.TOKENS, QuotaName.SESSIONS),
    "space_entry": counted(QuotaName.STORAGE),
    "run": counted(QuotaName.RUNS),
    "build": counted(QuotaName.BUILDS),
    "account": few("registrations are counted by address (`registrations`); a person makes one"),
    "address": few("MOST_ADDRESSES of an account"),
    "application": few("MOST_APPLICATIONS of an account"),
    "approval": few("60 of an account in an hour, kept for a day"),
    "connection": few("one for each token of an application"),
    "refresh": few("60 of a connection in an hour, until it ends after 30 days"),
    "token_use": few("the newest LOGGED of a token"),
    "challenge": few("one for each address of an account"),
    "password_reset": few("one of an account"),
    "notice": few("the newest of an account, and so many from each source"),
    "rate": few("forgotten with its span of time"),
    "item_use": few("one for each item"),
    "row_count": few("one for each quota of an account"),
    "quota": few("set by operators, one for each quota of an account"),
    "shortname": few("one for each item and run that ever was; none is given twice"),
    "space": few("one for each item"),
    "space_change": few("the newest JOURNAL of a space"),
    "schedule": few("one for each job"),
    "firing": few("made by the clock, forgotten after a while"),
    "activity": few("one for each job and month"),
    "step": few("so many as the run's plan has"),
    "run_line": few("the bytes of a run's log are bounded (`log_limit`)"),
    "hold": few("so many as the run's plan has"),
    "worker": few("one for each runner"),
    "build_line": few("the bytes of a log are bounded, and KEPT_LOGS of a repo are kept"),
    "label": few("one for each branch and tag of a repo, which its bytes bound"),
    "mail_sending": few("the newest MOST_SENDINGS of a mail"),
    "mail_delivery": few("one for each recipient of a sending that is under way"),
    "mail_line": few("the newest MOST_LINES of a mail"),
    "mail_refusal": few("one for each address that an account has mailed to"),
    "queued_message": few("counted by mailbox and by account in an hour (`mails_mailbox`, `mails_account`)"),
    "inbound_mail": few("MOST_NEW and MOST_KEPT of a group"),
    "inbound_run": few("one for each job that a kept mail starts"),
    "inbound_identity": few("one for each mail that came in, forgotten after a while"),
    "schema_migration": few("made by migrations"),
    "schema_writer": few("made by migrations"),
}
"""The bound of every table. A table is added together with its bound."""
