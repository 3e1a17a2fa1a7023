"""Bounds of the rows of every table for one account: a quota, or what else keeps them from growing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vfs.ports.quotas import QuotaName


class RowBound(NamedTuple):
    """The quotas that rows of a table count for, or (`why`) what else bounds those that requests make."""

    quotas: tuple[QuotaName, ...] = ()
    why: str = ""


def by_quota(*quotas: QuotaName) -> RowBound:
    """Rows that are counted, one by one or by their bytes."""
    return RowBound(quotas)


def by_nature(why: str) -> RowBound:
    """Rows that belong to others, a limited number to each, or that are trimmed to a limit."""
    return RowBound(why=why)


ROW_BOUNDS: Mapping[str, RowBound] = {
    "item": by_quota(QuotaName.ITEMS, QuotaName.REPOS),
    "leaf": by_quota(QuotaName.STORAGE, QuotaName.TAGS, QuotaName.VARIABLES),
    "leaf_version": by_quota(QuotaName.STORAGE),
    "version_text": by_nature("one for each text that a version names"),
    "share": by_quota(QuotaName.SHARES),
    "pending_share": by_quota(QuotaName.SHARES),
    "invitation_link": by_nature("MOST_OPEN of an account, each for a week"),
    "item_link": by_nature("MOST_LINKS of an item"),
    "job_hook": by_nature("MOST_HOOKS of a job"),
    "job_hook_call": by_nature("the newest KEPT_CALLS of a hook"),
    "comment": by_quota(QuotaName.STORAGE, QuotaName.COMMENTS),
    "people_group": by_quota(QuotaName.GROUPS),
    "member": by_quota(QuotaName.MEMBERS, QuotaName.INVITES),
    "tie": by_quota(QuotaName.TIES),
    "token": by_quota(QuotaName.TOKENS, QuotaName.SESSIONS),
    "provider_link": by_nature("one for each provider of an account"),
    "ssh_key": by_quota(QuotaName.KEYS),
    "factor": by_nature("MOST_FACTORS of an account"),
    "recovery_code": by_nature("CODES of an account, which replace its former ones"),
    "space_entry": by_quota(QuotaName.STORAGE),
    "space_lock": by_nature("MOST_LOCKS of an account, each for an hour"),
    "trash": by_quota(QuotaName.ITEMS, QuotaName.STORAGE),
    "trash_file": by_quota(QuotaName.STORAGE),
    "run": by_quota(QuotaName.RUNS),
    "build": by_quota(QuotaName.BUILDS),
    "account": by_nature("registrations are counted by address (`registrations`); a person makes one"),
    "address": by_nature("MOST_ADDRESSES of an account"),
    "application": by_nature("MOST_APPLICATIONS of an account"),
    "approval": by_nature("60 of an account in an hour, kept for a day"),
    "connection": by_nature("one for each token of an application"),
    "refresh": by_nature("60 of a connection in an hour, until it ends after 30 days"),
    "token_use": by_nature("the newest LOGGED of a token"),
    "challenge": by_nature("one for each address of an account"),
    "password_reset": by_nature("the newest HELD that one address asked for, each for half an hour"),
    "setup_key": by_nature("one for the whole service, while it has no account"),
    "deed": by_nature("the newest MOST_ACTIONS of an item"),
    "alert": by_nature("MOST_RULES of a variable, one of a job and one of each run that has not ended"),
    "notice": by_nature("the newest of an account, and a limited number from each source"),
    "rate": by_nature("forgotten with its span of time"),
    "item_use": by_nature("one for each item"),
    "row_count": by_nature("one for each quota of an account"),
    "quota": by_nature("set by operators, one for each quota of an account"),
    "shortname": by_nature("one for each item and run that ever was; none is given twice"),
    "space": by_nature("one for each item"),
    "space_change": by_nature("the newest JOURNAL of a space"),
    "space_past": by_nature("one for each name that a space ever had, as a shortname is for each space"),
    "schedule": by_nature("one for each job or mail"),
    "firing": by_nature("made by the clock, forgotten after a while"),
    "job_day": by_nature("one for each job and day on which it ran"),
    "step": by_nature("as many as the run's plan has"),
    "run_line": by_nature("the bytes of a run's log are bounded (`log_limit`)"),
    "hold": by_nature("as many as the run's plan has"),
    "worker": by_nature("one for each runner"),
    "build_line": by_nature("the bytes of a log are bounded, and KEPT_LOGS of a repo are kept"),
    "label": by_nature("one for each branch and tag of a repo, which its bytes bound"),
    "mail_sending": by_nature("the newest MOST_SENDINGS of a mail"),
    "mail_delivery": by_nature("one for each recipient of a sending that is under way"),
    "mail_order": by_nature("MOST_SENDINGS of a mail, and one for each run of its owner that waits"),
    "mail_line": by_nature("the newest MOST_LINES of a mail"),
    "mail_refusal": by_nature("one for each address that an account has mailed to"),
    "queued_message": by_nature(
        "counted by mailbox and by account in an hour (`mails_mailbox`, `mails_account`)"
    ),
    "hook": by_nature("MOST_HOOKS of an account"),
    "hook_call": by_nature("the newest MOST_CALLS of a hook"),
    "hook_message": by_nature("MOST_WAITING of a hook"),
    "hook_event": by_nature("handed on to hooks within a moment"),
    "inbound_mail": by_nature("MOST_NEW and MOST_KEPT of a group"),
    "trigger_event": by_nature(
        "MOST_LINES of a job once settled; what waits is taken at once, or `trigger_runs`"
    ),
    "inbound_run": by_nature("one for each job that a kept mail starts"),
    "inbound_identity": by_nature("one for each mail that came in, forgotten after a while"),
    "item_reference": by_nature("MOST_NAMED items of each text"),
    "search_word": by_nature("a limited number of words of each text of an item"),
    "installation": by_nature("one for the whole service"),
    "schema_migration": by_nature("made by migrations"),
    "schema_writer": by_nature("made by migrations"),
}
"""The bound of every table. A table is added together with its bound."""
