"""The page on which a job is edited: checked while it is written, saved with versions, all or nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from handlers.pages.acting.fields import shown_again
from handlers.pages.acting.view import PagePart, View
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.job_parts import SIGNED, Command, JobPath
from handlers.pages.job_views.chain_preview import apply_fix, preview
from handlers.pages.job_views.job_fields import CLAIMS, INPUTS, WANTED, as_facts, job_fields, save
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.rules.kinds import Kinds
from handlers.trees.code.jobs import KIND
from vfs.errors import Denied, Invalid, Outdated, VfsError
from vfs.path import Path

EDIT = "edit"


def show(at: ItemPath, request: PageRequest, form: SentForm | None = None) -> Page:
    """The page, with what was typed where a form came. Raises Denied for whoever may change nothing."""
    job = JobPath(at.user, at.name)
    entry = request.entry(job.api)
    fields = job_fields(request, job)
    if not fields.open:
        raise Denied("you may not edit this job: its owner has to share it with w, and then you may")
    facts = as_facts(fields, form)
    title = str(request.peek(job.api / "name", "")) or at.name
    return Page(
        "job_edit.html",
        {
            **facts,
            **preview(request, job, facts["texts"]),
            "head": item_head(request, at, title=title, writes=True, entry=entry),
            "job": job,
            "title": title,
            "inputs": INPUTS,
            "wanted": WANTED,
            "claims": CLAIMS,
            "theirs": None,
            "unsaved": form is not None,
            "commands": _commands(request, job),
        },
        typed=shown_again(form.fields) if form is not None else {},
    )


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Take a form of the page: check, fix or save."""
    job, do = JobPath(at.user, at.name), form["do"] or "save"
    if do == "check":
        return show(at, request, form)
    if do == "fix":
        text = apply_fix(request, job, form["chains"].replace("\r\n", "\n"))
        return show(at, request, replace(form, fields={**form.fields, "chains": text}))
    if do != "save":
        raise Invalid("this page cannot do what the form asks for: open the page again")
    try:
        save(request, job, job_fields(request, job), form)
    except VfsError as refusal:
        return _refusal_page(at, request, form, refusal)
    return Redirect(str(at.page / EDIT), done="jobsaved")


def _refusal_page(at: ItemPath, request: PageRequest, form: SentForm, refusal: VfsError) -> Page:
    """The page with all that was typed, the trouble on top and at its field, and what somebody else saved."""
    name = str(refusal.members.get("field", ""))
    stored = job_fields(request, JobPath(at.user, at.name))
    is_older = isinstance(refusal, Outdated)
    if is_older:
        # The next save knows what is there now: it replaces what its sender was shown, and nothing newer.
        form = replace(form, fields={**form.fields, f"was {name}": stored.versions[f"was {name}"]})
    page = show(at, request, form)
    facts: dict[str, Any] = {
        **page.facts,
        "trouble": refusal.detail,
        "theirs": (name, stored.texts[name]) if is_older else None,
    }
    return replace(page, facts=facts, error=refusal, wrong={name: refusal.detail} if name else {})


def _commands(request: PageRequest, job: JobPath) -> list[Command]:
    api, text = f"{request.origin}{job.api}/config", "-H 'Content-Type: text/plain'"
    return [
        Command("Check a chain", f"{SIGNED} {text} --data-binary @chain.txt '{api}/chains?check'"),
        Command("Write it", f"{SIGNED} {text} --data-binary @chain.txt {api}/chains"),
        Command("Set the schedule", f"{SIGNED} {text} -d '30 6 * * Mon-Fri' {api}/schedule"),
    ]


def find(path: Path, kinds: Kinds) -> View | None:
    """The view at a path; None where the editor has no page there."""
    found = item_at(path, kinds)
    if found is None or found[0].kind is not KIND or found[1] != (EDIT,):
        return None
    return View(partial(show, found[0]), partial(act, found[0]))


JOB_EDITOR = PagePart(find, {"jobsaved": "Saved."})
