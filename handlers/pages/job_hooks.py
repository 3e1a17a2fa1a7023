"""The page of a job's hooks: creating and deleting them, how calls are checked, and their last calls."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from handlers.pages.acting.fields import address_name, at_field
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.hook_files import FOLDER, GITHUB, STANDARD, STRIPE, UNSIGNED
from vfs.access import Verb
from vfs.path import Path

SCHEMES: Mapping[str, str] = {
    UNSIGNED: "Not signed: anybody who has the address may call it",
    GITHUB: "GitHub: X-Hub-Signature-256",
    STRIPE: "Stripe: Stripe-Signature",
    STANDARD: "Standard Webhooks: webhook-signature",
}


def show(at: ItemPath, request: PageRequest, made: Mapping[str, Any] | None = None) -> Page:
    """Return the page; `made` is a new hook, whose address is shown once. Raises as a read of the hooks."""
    rows, texts = request.read(at.api / FOLDER), request.texts(at.api)
    hooks = [_hook(request, at.api / (FOLDER, row.name), row.name, row.extra) for row in rows]
    taken = {row.name for row in rows}
    free = next(name for name in map(str, count()) if name not in taken)
    facts = {
        "job": at,
        "head": item_head(request, at, writes=request.may(Verb.WRITE, at.api / ("config", "chains"))),
        "hooks": hooks,
        "made": made,
        "makes": request.may(Verb.CREATE, at.api / (FOLDER, free)),
        "paused": texts.get("config/enabled") == "false",
        "schemes": SCHEMES,
    }
    return Page("job_hooks.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Page | Redirect:
    """Handle a form of the page; a new hook is shown at once, so there is no redirect."""
    here = str(at.page / FOLDER)
    match form["do"]:
        case "make":
            with at_field("hook"):
                name = address_name(form, "hook")
                return show(at, request, request.answer(Verb.CREATE, at.api / (FOLDER, name)))
        case "check" if form["name"]:
            _write_files(request, at.api / (FOLDER, form["name"]), form)
            return Redirect(here, done="hook-checked")
        case "end" if form["name"]:
            request.remove(at.api / (FOLDER, form["name"]))
            return Redirect(here, done="hook-ended")
    raise unknown_form()


def _write_files(request: PageRequest, hook: Path, form: SentForm) -> None:
    """Write the fields of a hook, all or none; an empty secret does not change the stored one."""
    files = ["signature", "secret", "headers"]
    if form["signature"] == STANDARD:  # Standard Webhooks accepts only some secrets: write the secret first
        files[:2] = "secret", "signature"
    with request.world.atomic():
        for file in files:
            if file != "secret" or form[file]:
                with at_field(f"{file} {form['name']}"):
                    request.write(hook / file, form[file])


def _hook(request: PageRequest, hook: Path, name: str, extra: Mapping[str, Any]) -> dict[str, Any]:
    texts = request.texts(hook)
    return {
        "name": name,
        **extra,
        "signature": texts.get("signature", UNSIGNED),
        "headers": texts.get("headers", ""),
        "log": list(reversed(request.read(hook / "log"))),
        "writes": request.may(Verb.WRITE, hook / "signature"),
    }
