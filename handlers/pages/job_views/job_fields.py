"""The files of a job that its editor holds: as they stand, as they were sent, and saved all or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.http.response import tags
from handlers.pages.acting.fields import BASE, TEXT, at_field, typed_name
from handlers.pages.editing import edited_texts
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict, shown_texts
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Data
from vfs.errors import Denied, NotFound, Unauthenticated
from vfs.path import Path

ENV, REMOVED, NEW_NAME, NEW_VALUE = "env ", "remove ", "new name", "new value"
INPUTS = ("stdin", "argv", "input")
WANTED = {"no": "not used", "optional": "may be sent", "yes": "has to be sent"}
CLAIMS = {
    "": "Nothing: its steps get no token",
    "vis_ro": "Read plots, grids, documents and mails",
    "vis_rw": "Read and write plots, grids, documents and mails",
    "space_ro": "Read spaces",
    "space_rw": "Read and write spaces",
    "repo_ro": "Read repos",
    "repo_rw": "Read and write repos",
    "global": "All that you may",
}
CHAIN, SCHEDULE, ENABLED, ACCESS = "config/chains", "config/schedule", "config/enabled", "config/access"
TITLES = {
    SCHEDULE: "When it runs",
    ENABLED: "On",
    "config/spaces": "Spaces",
    "config/results": "Results",
    ACCESS: "What it may do here",
    **{f"config/options/{name}": f"Input {name}" for name in INPUTS},
    **{f"config/options/{name}_description": f"What to send as {name}" for name in INPUTS},
    CHAIN: "Chain",
}
"""The files in words. The chain comes last, as it may depend on others."""


@dataclass(frozen=True, slots=True)
class JobFields:
    """The files that the caller may read; `open` are those that they may change, `env` the set names."""

    texts: Mapping[str, ShownText]
    open: frozenset[str]
    env: tuple[str, ...]
    owns_env: bool

    @property
    def shown(self) -> Mapping[str, ShownText]:
        """The files that a form of the caller's may change, with their versions."""
        return {rel: one for rel, one in self.texts.items() if rel in self.open}


def job_fields(request: PageRequest, job: ItemPath) -> JobFields:
    """The fields as they stand. Raises vfs.errors."""
    env = request.peek(job.api / ("config", "env"), ())
    return JobFields(
        stored_texts(request, job.api),
        frozenset(rel for rel in TITLES if request.may(Verb.WRITE, job.api / rel.split("/"))),
        tuple(row.name for row in env),
        request.may(Verb.WRITE, job.api / ("config", "env", "NEW")),
    )


def stored_texts(request: PageRequest, job: Path) -> Mapping[str, ShownText]:
    """The files in the order of `TITLES`; those that the caller may not read are empty. Raises vfs.errors."""
    found = {**shown_texts(request, job), ACCESS: _claim(request, job)}
    return {rel: found.get(rel, ShownText("", "")) for rel in TITLES}


def _claim(request: PageRequest, job: Path) -> ShownText:
    """The claim alone, without the actions that follow from it."""
    try:
        reply = request.call(Verb.READ, job / ACCESS.split("/"))
    except (Denied, NotFound, Unauthenticated):
        return ShownText("", "")
    assert isinstance(reply.value, Data)
    return ShownText(reply.value.value["claim"] or "", tags(reply)[-1])


def sent_texts(form: SentForm, fields: JobFields) -> list[EditedText]:
    """Texts of the form for the files that may be changed. A box that is not ticked is not sent."""
    sent = dict(form.fields)
    if TEXT + ENABLED not in sent and BASE + ENABLED in sent:
        sent[TEXT + ENABLED] = "false"
    found = edited_texts.edited_texts(SentForm(sent), [rel for rel in TITLES if rel in fields.open])
    return [one if one.text.strip() else replace(one, text="") for one in found]


def save(
    request: PageRequest, job: ItemPath, texts: Iterable[EditedText], form: SentForm
) -> Sequence[TextConflict]:
    """Save what was changed, all of it or nothing; the conflicts that keep it from that.

    Raises what a file refuses, at its field.
    """
    with request.world.atomic():
        found = edited_texts.save(request, job.api, texts, read=stored_texts, clears=True)
        if not found:
            _save_env(request, job, form)
    return found


def secrets_of(form: SentForm) -> bool:
    """Whether values of secrets were typed, which are never shown again."""
    return bool(form[NEW_VALUE]) or any(value and name.startswith(ENV) for name, value in form.fields.items())


def _save_env(request: PageRequest, job: ItemPath, form: SentForm) -> None:
    """Set the variables that were typed, and remove those that were ticked."""
    env = job.api / ("config", "env")
    for name, value in form.fields.items():
        if name.startswith(REMOVED):
            request.call(Verb.REMOVE, env / name.removeprefix(REMOVED))
        elif name.startswith(ENV) and value and REMOVED + name.removeprefix(ENV) not in form.fields:
            request.call(Verb.WRITE, env / name.removeprefix(ENV), TextBody(edited_texts.lines_of(value)))
    if name := typed_name(form, NEW_NAME):
        with at_field(NEW_NAME):
            request.call(Verb.WRITE, env / name, TextBody(edited_texts.lines_of(form[NEW_VALUE])))
