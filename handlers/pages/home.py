"""The first page: the caller's own jobs, or how to come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.client import Desk
from handlers.pages.groups import INVITES
from handlers.pages.job_parts import SIGNED, Command, JobPath, history
from handlers.pages.result import Page
from handlers.rules.addresses import API
from vfs.access import Verb

MOST = 50
REGISTER = API / "register"


def show(desk: Desk) -> Page:
    """The page."""
    name = desk.caller.name
    if name is None:
        return Page("home.html", {"jobs": [], "more": 0, "invitations": 0, "commands": _first(desk)})
    # This listing tells names and summaries too, so that each job costs one call more: for its latest run.
    rows = desk.read(API / ("u", name, "j"))
    facts = {
        "jobs": [_job(desk, JobPath(name, row["id"]), row) for row in rows[:MOST]],
        "more": max(len(rows) - MOST, 0),
        "invitations": len(desk.peek(INVITES, ())),
    }
    return Page("home.html", {**facts, "commands": _next(desk)})


def _job(desk: Desk, job: JobPath, row: Mapping[str, Any]) -> dict[str, Any]:
    latest = history(desk, job, 1)
    return {
        "at": job,
        "title": row["name"],
        "summary": row["summary"],
        "latest": latest[0] if latest else None,
    }


def _next(desk: Desk) -> list[Command]:
    at = f"{desk.origin}/v1/code/jobs"
    text = "-H 'Content-Type: text/plain'"
    return [
        Command("Make a job", f"{SIGNED} -X PUT {at}/hello"),
        Command("Give it a chain", f"{SIGNED} {text} -d 'first -> second' {at}/hello/config/chains"),
    ]


def _first(desk: Desk) -> list[Command]:
    sent = "-H 'Content-Type: application/json'"
    account = '{"username": "ada", "password": "a long one", "email": "ada@example.org"}'
    token = f'curl -u ada {desk.origin}/v1/token {sent} -d \'{{"token_name": "laptop"}}\''
    commands = [Command("Make a token", token)]
    if desk.may(Verb.WRITE, REGISTER):
        commands.insert(
            0, Command("Make an account", f"curl {desk.origin}/v1/register {sent} -d '{account}'")
        )
    return commands
