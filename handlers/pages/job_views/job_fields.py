"""The files of a job that its editor holds: as they stand, as they were sent, and saved all or none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import SentForm
from handlers.pages.job_parts import JobPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Outdated
from vfs.path import Path

WAS, ENV, REMOVED, NEW_NAME, NEW_VALUE = "was ", "env ", "remove ", "new name", "new value"
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
LEVELS = {"never": "never", "failure": "when a run fails", "always": "whenever a run ends"}
FILES = {
    "chains": "config/chains",
    "schedule": "config/schedule",
    "enabled": "config/enabled",
    "spaces": "config/spaces",
    "results": "config/results",
    "access": "config/access",
    **{name: f"config/options/{name}" for name in INPUTS},
    **{f"{name}_description": f"config/options/{name}_description" for name in INPUTS},
}
"""Fields of the editor, and the files that they are."""
DEFAULTS = {"enabled": "true", **dict.fromkeys(INPUTS, "no")}


@dataclass(frozen=True, slots=True)
class JobFields:
    """The files that the caller may read; `open` are the fields that they may change, `env` the set names."""

    texts: Mapping[str, str]
    open: frozenset[str]
    env: tuple[str, ...]
    owns_env: bool

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of each field, which the form carries along."""
        return {WAS + name: version_of(text) for name, text in self.texts.items()}


def job_fields(request: PageRequest, job: JobPath) -> JobFields:
    """The fields as they stand. Raises vfs.errors."""
    stored = request.texts(job.api)
    texts = {
        name: stored.get(file, "").strip() if name == "access" else stored.get(file, "")
        for name, file in FILES.items()
    }
    texts = {name: text or DEFAULTS.get(name, "") for name, text in texts.items()}
    if "config/access" not in stored:
        told = request.peek(job.api / ("config", "access"))
        texts["access"] = str((told or {}).get("claim") or "") if isinstance(told, dict) else ""
    may = {file: request.may(Verb.WRITE, job.api / file.split("/")) for file in set(FILES.values())}
    env = request.peek(job.api / ("config", "env"), ())
    return JobFields(
        texts,
        frozenset(name for name, file in FILES.items() if may[file]),
        tuple(row.name for row in env),
        request.may(Verb.WRITE, job.api / ("config", "env", "NEW")),
    )


def version_of(text: str) -> str:
    """The version of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sent_texts(form: SentForm, fields: JobFields) -> dict[str, str]:
    """Texts of the form for the fields that may be changed, with line ends as they are kept."""
    sent = {name: form[name].replace("\r\n", "\n") for name in fields.open if name in form.fields}
    if "enabled" in fields.open and WAS + "enabled" in form.fields:
        sent["enabled"] = "true" if form["enabled"] else "false"
    return sent


def save(request: PageRequest, job: JobPath, fields: JobFields, form: SentForm) -> None:
    """Save what was changed: all of it, or nothing.

    Raises what a file refuses, at its field, and Outdated where somebody changed one meanwhile.
    """
    with request.world.atomic():
        for name, text in _changed_texts(fields, form):
            with at_field(name):
                if version_of(fields.texts[name]) != form[WAS + name]:
                    raise Outdated("somebody changed this meanwhile: nothing was stored", theirs=name)
                _write(request, job.api / FILES[name].split("/"), text)
        _save_env(request, job, form)


def _changed_texts(fields: JobFields, form: SentForm) -> Iterator[tuple[str, str]]:
    """The fields that differ from what the page showed. The chain goes last, as it may depend on others."""
    sent = sent_texts(form, fields)
    for name in sorted(sent, key=lambda name: name == "chains"):
        if version_of(sent[name]) != form[WAS + name]:
            yield name, sent[name]


def _write(request: PageRequest, file: Path, text: str) -> None:
    """Write a file; an emptied one is cleared."""
    if text.strip():
        request.call(Verb.WRITE, file, TextBody(text))
    else:
        request.call(Verb.REMOVE, file)


def _save_env(request: PageRequest, job: JobPath, form: SentForm) -> None:
    """Set the variables that were typed, and remove those that were ticked."""
    env = job.api / ("config", "env")
    for name, value in form.fields.items():
        if name.startswith(REMOVED):
            request.call(Verb.REMOVE, env / name.removeprefix(REMOVED))
        elif name.startswith(ENV) and value and REMOVED + name.removeprefix(ENV) not in form.fields:
            request.call(Verb.WRITE, env / name.removeprefix(ENV), TextBody(value.replace("\r\n", "\n")))
    if name := form[NEW_NAME].strip():
        with at_field(NEW_NAME):
            request.call(Verb.WRITE, env / name, TextBody(form[NEW_VALUE].replace("\r\n", "\n")))


def as_facts(fields: JobFields, form: SentForm | None) -> dict[str, Any]:
    """The fields for the template: those that were sent win over those that stand."""
    texts = {**fields.texts, **(sent_texts(form, fields) if form is not None else {})}
    versions = dict(fields.versions)
    if form is not None:
        versions |= {name: value for name, value in form.fields.items() if name in versions}
    return {"fields": fields, "texts": texts, "versions": versions}
