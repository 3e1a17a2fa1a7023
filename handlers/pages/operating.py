"""The read-only page of operators: all accounts, runs, builds and mails, health and refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path as FilePath
from typing import Any

from chains.runs.overview import AccountUse
from handlers.http.health import summary
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.security.log_lines import OK
from handlers.security.reading import Entry, last_entries
from handlers.security.security_log import NONE, STREAM, log_target
from handlers.services.accounts import is_operator
from handlers.settings.settings import Settings
from vfs.errors import NotFound
from vfs.path import NAME, Path

PAGE = Path(("operator",))
MOST_ACCOUNTS, MOST_OPEN, MOST_REFUSALS = 50, 50, 25
WORDS = {"pass": "success", "warn": "waiting", "fail": "failed"}
"""Run states whose CSS classes show the states of health."""
SHOWN_FIELDS = (
    "time",
    "event",
    "outcome",
    "why",
    "actor",
    "account",
    "address",
    "target",
    "folded",
    "request_id",
)
LONGEST = 300


def show(request: PageRequest) -> Page:
    """Return the page. Raises NotFound if the caller is not an operator, as for a missing page."""
    settings = request.world.service.settings
    if not is_operator(request.world, request.caller):
        raise NotFound(f"there is no {PAGE}")
    found = request.checks()
    refusals, silence = _refusals(settings)
    facts = {
        "version": version("curlew"),
        "operators": settings.operators.split() or [request.caller.name or ""],
        "status": summary(found, whole=False)["status"],
        "checks": found,
        "looks": WORDS,
        "refusals": refusals,
        "silence": silence,
        **_work(request),
        **_accounts(request),
    }
    return Page("operator.html", facts)


def _work(request: PageRequest) -> Mapping[str, Any]:
    """Return the template values of running and waiting work."""
    overview = request.world.code.overview
    tallies = (overview.tally_runs(), overview.tally_builds())
    runs, builds = ({state: tally.number for state, tally in found.items()} for found in tallies)
    return {
        "runs": overview.runs(MOST_OPEN),
        "builds": overview.builds(MOST_OPEN),
        "run_counts": runs,
        "build_counts": builds,
        "more_runs": sum(runs.values()) - MOST_OPEN,
        "more_builds": sum(builds.values()) - MOST_OPEN,
        "mails": overview.mails(),
    }


def _accounts(request: PageRequest) -> Mapping[str, Any]:
    """Return the template values of a page of accounts, which begins after the name in the address."""
    after = request.query.get("after", "")
    after = after if NAME.fullmatch(after) else ""
    rows = request.world.code.overview.accounts(after, MOST_ACCOUNTS + 1)
    shown = rows[:MOST_ACCOUNTS]
    return {
        "accounts": [(one, _full(one)) for one in shown],
        "later": after,
        "after": shown[-1].name if len(rows) > MOST_ACCOUNTS else "",
    }


def _full(one: AccountUse) -> bool:
    """Return whether an account has reached a quota."""
    return one.items >= one.items_limit or one.storage >= one.storage_limit


def _refusals(settings: Settings) -> tuple[Sequence[Mapping[str, str]], str]:
    """Return the last refusals in the security log, newest first, or a sentence on why there are none."""
    target = log_target(settings)
    if target in (STREAM, NONE):
        return (), f"The setting security_log is {target}: there is no file to read them from."
    try:
        found = last_entries(FilePath(target), MOST_REFUSALS, _is_refusal)
    except OSError as error:
        return (), f"The security log cannot be read ({error.strerror})."
    rows = [{name: str(entry.get(name, ""))[:LONGEST] for name in SHOWN_FIELDS} for entry in found]
    return rows, "" if rows else "The newest part of the security log has no refusals."


def _is_refusal(entry: Entry) -> bool:
    return entry.get("outcome", OK) != OK
