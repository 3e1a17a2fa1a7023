"""The part of a job's page on its triggers: made, seen with their last firing, and ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chains.language.trigger_lines import parse_triggers
from handlers.pages.acting.fields import at_field
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.services.runs.job_triggers import TRIGGERS
from vfs.access import Verb

ADD, END = "trigger", "untrigger"


def triggers_of(request: PageRequest, job: ItemPath) -> Mapping[str, Any]:
    """Return the lines of a job that the caller reads, and whether the caller may change them."""
    at = job.api / TRIGGERS.split("/")
    facts = request.peek(at, {"lines": [], "enabled": True})
    return {**facts, "writes": request.may(Verb.WRITE, at)}


def change_triggers(job: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Add a line, or end one. Raises Mistake at the field."""
    at = job.api / TRIGGERS.split("/")
    with at_field("trigger"), request.world.atomic():
        text = request.texts(job.api).get(TRIGGERS, "")
        if form["do"] == ADD:
            lines = [*text.splitlines(), form["trigger"].strip()]
        else:
            ended = {line.line for line in parse_triggers(text) if str(line) == form["trigger"]}
            lines = [line for number, line in enumerate(text.splitlines(), 1) if number not in ended]
        request.write(at, "\n".join(lines))
    undo = {"do": END if form["do"] == ADD else ADD, "trigger": form["trigger"]}
    return Redirect(str(job.page), done="trigger-made" if form["do"] == ADD else "trigger-ended", undo=undo)
