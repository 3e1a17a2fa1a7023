"""The page of a new job, made from a program, a repository or a template."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.pages.acting.fields import TEXT, at_field
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.examples import PYTHON, JobTemplate, job_templates
from handlers.pages.forms import Json, SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.jobs import BEGUN
from handlers.pages.owning import new_page
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.pages.schedule_fields import read_schedule, sent_schedule
from handlers.trees.code import repos
from handlers.trees.code.jobs import KIND
from vfs.access import Verb
from vfs.errors import Invalid, VfsError
from vfs.path import Path

FROM_REPO, PLAIN = "repo", ("nothing", "file")
FIRST_COMMIT = "Begin"


def show(request: PageRequest) -> Page:
    """Return the page for the source in `?from=`. Raises Unauthenticated without an account."""
    begin = request.query.get("from", PYTHON)
    if begin in PLAIN:
        return new_page.show(KIND, request)
    own = ItemPath(repos.KIND, request.me("create a job"), "")
    template = job_templates().get(begin, job_templates()[PYTHON])
    zone = read_schedule(request, "").zone
    line = template.schedule if begin != FROM_REPO else ""
    line = f"TZ={zone} {line}" if line and zone != "UTC" else line
    facts = {
        "kind": KIND,
        "title": "New job",
        "begin": begin if begin == FROM_REPO else "",
        "templates": job_templates(),
        "template": template,
        "line": line,
        "schedule": read_schedule(request, line),
        "repos": [row.name for row in request.peek(Path(own.api[:-1]), ())] if begin == FROM_REPO else (),
    }
    return Page("new_job.html", facts)


def make(request: PageRequest, form: SentForm) -> Answered:
    """Create the job, and the repository with its program; redirect to its page, where its run begins."""
    begin = form["from"]
    if begin not in job_templates() and begin != FROM_REPO:
        return new_page.make(KIND, request, form)
    job, title = new_page.requested_item(KIND, request, form)
    if begin == FROM_REPO:
        with request.world.atomic():
            _make_job(request, job, title, form["repo"].strip(), form)
    else:
        _make_from(job_templates()[begin], request, job, title, form)
    return Redirect(str(job.page), done=BEGUN, values={"name": title or job.name})


def _make_from(
    template: JobTemplate, request: PageRequest, job: ItemPath, title: str, form: SentForm
) -> None:
    """Create a repository and a job of the same name, then the first commit; all or none."""
    repo = ItemPath(repos.KIND, job.user, job.name)
    with request.world.atomic():
        _make_job(request, job, title, template.chain_of(repo.name), form)
        with at_field("name"):
            new_page.create(repo, request)
        if title:
            request.write(repo.api / "name", title)
        if template.input:
            options = job.api / ("config", "options")
            request.write(options / "input", "optional")
            request.write(options / "input_description", template.input)
        if template.mails:
            request.write(job.api / "notifications", "important")
    try:
        # Git's hook queues the build, and sees only what is committed.
        sent = {"message": FIRST_COMMIT, "changes": _changes(template, form)}
        request.call(Verb.WRITE, repo.api / "commit", Json(sent))
    except VfsError:
        for made in (job, repo):
            request.remove(made.api)
        raise


def _make_job(request: PageRequest, job: ItemPath, title: str, chain: str, form: SentForm) -> None:
    with at_field("name"):
        new_page.create(job, request)
    if title:
        with at_field("title"):
            request.write(job.api / "name", title)
    with at_field("repo"):
        if not chain:
            raise Invalid("name a repo, such as report, or @ann/report for one of somebody else")
        request.write(job.api / ("config", "chains"), chain)
    if schedule := sent_schedule(form, form["schedule"]).strip():
        with at_field("schedule"):
            request.write(job.api / ("config", "schedule"), schedule)


def _changes(template: JobTemplate, form: SentForm) -> list[Mapping[str, str]]:
    """Return the files of the first commit: those that were typed and are not empty."""
    typed = {path: lines_of(form[TEXT + path]) for path in template.files}
    changes: list[Mapping[str, str]] = [
        {"path": path, "text": text} for path, text in typed.items() if text.strip()
    ]
    if not changes:
        with at_field(f"{TEXT}main.py"):
            raise Invalid("there is no program yet: write one first")
    return changes
