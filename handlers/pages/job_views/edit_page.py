"""The page on which a job is edited: checked while it is written, saved with versions, all or nothing."""

from __future__ import annotations

from dataclasses import replace

from handlers.pages.acting.fields import TEXT, sentences_by_field, shown_again
from handlers.pages.editing.conflict_page import BOTH, GO_ON, MINE, THEIRS, conflict_page, settle
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT, item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_views.chain_preview import apply_fix, preview
from handlers.pages.job_views.job_fields import (
    CHAIN,
    CLAIMS,
    INPUTS,
    REMOVED,
    TITLES,
    WANTED,
    job_fields,
    save,
    secrets_of,
    sent_texts,
)
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, VfsError


def show(at: ItemPath, request: PageRequest, form: SentForm | None = None) -> Page:
    """The page, with what was typed where a form came. Raises Denied if the caller may change nothing."""
    job = at
    entry = request.entry(job.api)
    fields = job_fields(request, job)
    if not fields.open:
        raise Denied("you may not edit this job: its owner has to share it with w, and then you may")
    now = {rel: one.text for rel, one in fields.texts.items()}
    if form is not None:
        now |= {one.rel: one.text for one in sent_texts(form, fields)}
    title = str(request.peek(job.api / "name", "")) or at.name
    facts = {
        **preview(request, job, now),
        "at": at,
        "head": item_head(request, at, title=title, writes=True, entry=entry),
        "title": title,
        "fields": fields,
        "texts": fields.shown,
        "now": now,
        "inputs": INPUTS,
        "wanted": WANTED,
        "claims": CLAIMS,
        "rejected": (),
        "unsaved": form is not None,
        "retype": form is not None and secrets_of(form),
        "follow": "",
    }
    return Page("job_edit.html", facts, typed=shown_again(form.fields) if form is not None else {})


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Take a form of the page: check, fix or save."""
    job, do = at, form["do"]
    if do in ("check", GO_ON):
        return show(at, request, form)
    if do == "fix":
        text = apply_fix(request, job, lines_of(form[TEXT + CHAIN]))
        return show(at, request, replace(form, fields={**form.fields, TEXT + CHAIN: text}))
    if do not in ("", BOTH, MINE, THEIRS):
        raise Invalid("this page cannot do what the form asks for: open the page again")
    texts = settle(form, sent_texts(form, job_fields(request, job)))
    try:
        conflicts = save(request, job, texts, form)
    except (NotFound, Unauthenticated):
        raise
    except VfsError as refusal:
        page = show(at, request, form)
        facts = {**page.facts, "trouble": refusal.detail}
        return replace(page, facts=facts, error=refusal, wrong=sentences_by_field(refusal))
    if conflicts:
        removed = {name: value for name, value in form.fields.items() if name.startswith(REMOVED)}
        note = "Values of secrets do not come along: set them afterwards." if secrets_of(form) else ""
        return conflict_page(at, texts, conflicts, TITLES, more=removed, note=note)
    return Redirect(str(at.page / EDIT), done="jobsaved")
