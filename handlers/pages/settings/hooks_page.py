"""The page of the account's hooks: create, list, test, pause, change and delete them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.profile_page import PURPOSE
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid
from vfs.path import NAME
from vfs.ports.hooks import ACTIVE, PAUSED

HERE = "/settings/hooks"
HOOKS = API / ("admin", "hooks")
FORMATS: Mapping[str, str] = {
    "slack": "Slack, Mattermost, Rocket.Chat, Google Chat",
    "discord": "Discord",
    "standard": "JSON with a signature, for programs and incident tools",
}
EVENTS: Mapping[str, str] = {
    "/u/{me}/e/run_failed": "a run of a job of mine fails",
    "/u/{me}/e/run": "runs of my jobs begin and end",
    "/u/{me}/e/comment": "somebody comments on an item of mine",
    "/u/{me}": "all events of my items",
    "": "the patterns below",
}
STATES: Mapping[str, tuple[str, str]] = {"pause": (PAUSED, "hookpaused"), "resume": (ACTIVE, "hookresumed")}
FIELDS = ("events", "format", "url")


def show(request: PageRequest, made: Mapping[str, Any] | None = None) -> Page:
    """Return the page; `made` is a new hook or secret, shown once. Raises Unauthenticated."""
    me = request.me(PURPOSE)
    hooks = []
    for row in request.rows(HOOKS):
        at = HOOKS / row["name"]
        one = {field: request.read(at / field) for field in FIELDS}
        log = list(request.read(at / "log"))[::-1]
        host = urlsplit(one["url"]).netloc
        which = next((some for some in EVENTS if some.format(me=me) == one["events"].strip()), "")
        one["events"] = "" if which else one["events"]
        hooks.append({**row, **one, "host": host, "log": log, "which": which})
    facts = {"made": made, "hooks": hooks, "formats": FORMATS, "events": EVENTS, "me": me}
    return Page("settings_hooks.html", facts)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Handle a form of the page; a new secret is shown only once, so there is no redirect."""
    request.me(PURPOSE)
    at = HOOKS / (form["name"] or "-")
    match form["do"]:
        case "make":
            return show(request, _make(request, form))
        case "save":
            with request.world.atomic():
                _write(request, form, at)
            return Redirect(HERE, done="set")
        case "secret":
            made = request.answer(Verb.WRITE, at / "secret", TextBody("new"))
            return show(request, {"name": form["name"], **made})
        case "test":
            call = request.answer(Verb.WRITE, at / "test", TextBody(""))
            said = f"{call['outcome']}: {call['answer']}"
            return Redirect(HERE, done="hooktested", values={"hook": form["name"], "said": said})
        case "pause" | "resume" as word:
            state, done = STATES[word]
            request.write(at / "state", state)
            return Redirect(HERE, done=done)
        case "end":
            request.remove(at)
            return Redirect(HERE, done="hookended")
    raise unknown_form()


def _make(request: PageRequest, form: SentForm) -> dict[str, Any]:
    """Make a hook and return its name and secret. Raises VfsError at its field."""
    name = form["name"].strip()
    with request.world.atomic():
        with at_field("name"):
            if NAME.fullmatch(name) is None:
                raise Invalid("no hook was created: a name is 1 to 64 of a-z, 0-9, _ and -")
            made = request.answer(Verb.CREATE, HOOKS / name)
        _write(request, form, HOOKS / name)
    return dict(made)


def _write(request: PageRequest, form: SentForm, at: Any) -> None:
    """Write the fields of a hook; the address last, since a new hook sends as soon as it has one."""
    which = form["which"].format(me=request.me(PURPOSE)) if form["which"] in EVENTS else ""
    sent = {
        "events": form["events"] if form["events"].strip() else which,
        "format": form["format"],
        "url": form["url"].strip(),
    }
    for field in FIELDS:
        with at_field(field):
            request.write(at / field, sent[field])
