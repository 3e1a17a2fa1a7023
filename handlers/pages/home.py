"""The first page: the caller's own jobs, or how to come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.groups import INVITES
from handlers.pages.inbox.notice_groups import waiting_runs
from handlers.pages.job_parts import SIGNED, Command, JobPath, history
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.addresses import API
from vfs.access import Verb

MOST = 50
REGISTER = API / "register"


def show(request: PageRequest) -> Page:
    """The page."""
    name = request.caller.name
    if name is None:
        none = {"jobs": [], "more": 0, "invitations": 0, "waiting": 0}
        return Page("home.html", {**none, "commands": _first(request)})
    # This listing tells names and summaries too, so that each job costs one call more: for its latest run.
    rows = request.read(API / ("u", name, "j"))
    facts = {
        "jobs": [_job(request, JobPath(name, row["id"]), row) for row in rows[:MOST]],
        "more": max(len(rows) - MOST, 0),
        "waiting": waiting_runs(request),
        "invitations": len(request.peek(INVITES, ())),
    }
    return Page("home.html", {**facts, "commands": _next(request)})


def _job(request: PageRequest, job: JobPath, row: Mapping[str, Any]) -> dict[str, Any]:
    latest = history(request, job, 1)
    return {
        "at": job,
        "title": row["name"],
        "summary": row["summary"],
        "latest": latest[0] if latest else None,
    }


def _next(request: PageRequest) -> list[Command]:
    at = f"{request.origin}/v1/code/jobs"
    text = "-H 'Content-Type: text/plain'"
    return [
        Command("Make a job", f"{SIGNED} -X PUT {at}/hello"),
        Command("Give it a chain", f"{SIGNED} {text} -d 'first -> second' {at}/hello/config/chains"),
    ]


def _first(request: PageRequest) -> list[Command]:
    sent = "-H 'Content-Type: application/json'"
    account = '{"username": "ada", "password": "a long one", "email": "ada@example.org"}'
    token = f'curl -u ada {request.origin}/v1/token {sent} -d \'{{"token_name": "laptop"}}\''
    commands = [Command("Make a token", token)]
    if request.may(Verb.WRITE, REGISTER):
        commands.insert(
            0, Command("Make an account", f"curl {request.origin}/v1/register {sent} -d '{account}'")
        )
    return commands
