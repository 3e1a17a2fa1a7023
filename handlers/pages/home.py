"""The first page: the caller's own jobs, or how to come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.desk import Desk
from handlers.pages.told import SIGNED, Command, JobPath, history
from handlers.pages.views import Page
from vfs.path import Path

MOST = 50


def shown(desk: Desk, _: Mapping[str, str]) -> Page:
    """The page."""
    name = desk.caller.name
    if name is None:
        return Page("home.html", {"jobs": [], "more": 0, "commands": _first(desk)})
    rows = desk.read(Path(("v1", "users", name, "code", "jobs")))
    return Page(
        "home.html",
        {
            "jobs": [_job(desk, JobPath(name, row.name)) for row in rows[:MOST]],
            "more": max(len(rows) - MOST, 0),
            "commands": _next(desk),
        },
    )


def _job(desk: Desk, job: JobPath) -> dict[str, Any]:
    latest = history(desk, job, 1)
    return {
        "at": job,
        "title": desk.peek(job.api / "name", "") or job.job,
        "summary": desk.peek(job.api / "summary", ""),
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
    return [
        Command("Make an account", f"curl {desk.origin}/v1/register {sent} -d '{account}'"),
        Command(
            "Make a token", f'curl -u ada {desk.origin}/v1/token {sent} -d \'{{"token_name": "laptop"}}\''
        ),
    ]
