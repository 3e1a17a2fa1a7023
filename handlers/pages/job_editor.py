"""The editor of jobs: its fields, a preview of its chain and schedule, saved all or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from chains.language.ast import RepoRef, reference
from chains.schedules.timetable import SCHEDULE
from handlers.http.response import tags
from handlers.pages.acting.fields import (
    BASE,
    TEXT,
    at_field,
    refused_fields,
    shown_again,
    target_choices,
    typed_name,
)
from handlers.pages.chain_drawing import StepBox, draw_chain
from handlers.pages.editing import edited_texts
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict, lines_of, shown_texts
from handlers.pages.editing.editor_frame import BOTH, GO_ON, MINE, THEIRS, Editing, frame_facts, save_form
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.pages.schedule_fields import WHEN, read_schedule, with_schedule
from handlers.services.alerts.job_alerts import FOLDER as ALERTS
from handlers.services.alerts.job_alerts import LATE, SLOW, TO
from handlers.services.runs.run_ends import ENABLED
from handlers.services.runs.run_trigger import OVERLAP
from handlers.trees.code.job_config import FILES as STEP_FILES
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Data
from vfs.errors import Denied, NotFound, Unauthenticated, VfsError
from vfs.path import Path

ENV, REMOVED, NEW_NAME, NEW_VALUE = "env ", "remove ", "new name", "new value"
STEPS = "config/steps/"
MOST_STEPS = 30
INPUTS = ("stdin", "argv", "input")
ALERT_TO = f"{ALERTS}/{TO}"
CHAIN, ACCESS = "config/chains", "config/access"
FLAGS = (ENABLED, f"{ALERTS}/{LATE}", f"{ALERTS}/{SLOW}")
TITLES = {
    SCHEDULE: "When it runs",
    ENABLED: "On",
    OVERLAP: "If a run is still in progress",
    f"{ALERTS}/{LATE}": "Alert when it did not run in time",
    f"{ALERTS}/{SLOW}": "Alert when a run takes too long",
    ALERT_TO: "Send alerts by",
    "config/spaces": "Spaces",
    "config/results": "Results",
    ACCESS: "Permissions of its runs",
    **{f"config/options/{name}": f"Input {name}" for name in INPUTS},
    **{f"config/options/{name}_description": f"What to send as {name}" for name in INPUTS},
    CHAIN: "Chain",
}
"""Labels of the files. The chain is last, as it may depend on others."""


@dataclass(frozen=True, slots=True)
class JobFields:
    """The files that the caller may read; `open` are those to change, `env` the names of variables."""

    texts: Mapping[str, ShownText]
    open: frozenset[str]
    env: tuple[str, ...]
    owns_env: bool

    @property
    def shown(self) -> Mapping[str, ShownText]:
        """The files that the caller's form may change, with their versions."""
        return {rel: one for rel, one in self.texts.items() if rel in self.open}


def job_fields(request: PageRequest, job: ItemPath) -> JobFields:
    """Return the stored fields. Raises vfs.errors."""
    env = request.peek(job.api / ("config", "env"), ())
    return JobFields(
        stored_texts(request, job.api),
        frozenset(rel for rel in TITLES if request.may(Verb.WRITE, job.api / rel.split("/"))),
        tuple(row.name for row in env),
        request.may(Verb.WRITE, job.api / ("config", "env", "NEW")),
    )


def stored_texts(request: PageRequest, job: Path) -> Mapping[str, ShownText]:
    """Return the files in the order of `TITLES`; unreadable ones are empty. Raises vfs.errors."""
    found = {**shown_texts(request, job), ACCESS: _claim(request, job)}
    return {rel: found.get(rel, ShownText("", "")) for rel in TITLES}


def _claim(request: PageRequest, job: Path) -> ShownText:
    """Return the claim without the actions that follow from it."""
    try:
        reply = request.call(Verb.READ, job / ACCESS.split("/"))
    except (Denied, NotFound, Unauthenticated):
        return ShownText("", "")
    assert isinstance(reply.value, Data)
    return ShownText(reply.value.value["claim"] or "", tags(reply)[-1])


def sent_texts(form: SentForm, fields: JobFields) -> list[EditedText]:
    """Return the form's texts of the files that may be changed. An unticked checkbox is not sent."""
    sent = dict(with_schedule(form).fields)
    unticked = (rel for rel in FLAGS if TEXT + rel not in sent and BASE + rel in sent)
    sent |= {TEXT + rel: "false" for rel in unticked}
    found = edited_texts.edited_texts(SentForm(sent), [rel for rel in TITLES if rel in fields.open])
    return [one if one.text.strip() else replace(one, text="") for one in found]


def save_fields(
    request: PageRequest, job: ItemPath, texts: Iterable[EditedText], form: SentForm
) -> Sequence[TextConflict]:
    """Save the changes, all or none; return the conflicts that prevent it.

    Raises the error of a file at its field.
    """
    with request.world.atomic():
        found = edited_texts.save(request, job.api, texts, read=stored_texts, clears=True)
        if not found:
            _save_env(request, job, form)
            _save_steps(request, job, form)
    return found


def _save_steps(request: PageRequest, job: ItemPath, form: SentForm) -> None:
    """Write the files of config/steps that were changed; empty ones are cleared."""
    for name, value in form.fields.items():
        rel, text = name.removeprefix(TEXT), value.strip()
        if not name.startswith(TEXT + STEPS) or text == form[BASE + rel]:
            continue
        with at_field(name):
            request.write(job.api / rel.split("/"), text, clears=True)


def step_fields(
    request: PageRequest, job: ItemPath, labels: Iterable[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return the files of config/steps, for the steps of the chain and for those that have some stored."""
    found = {label: dict.fromkeys(STEP_FILES, "") for label in islice(labels, MOST_STEPS)}
    for row in request.peek(job.api / ("config", "steps"), ()):
        folder = job.api / ("config", "steps", row.name)
        found[row.name] = {name: _own_text(request, folder / name) for name in STEP_FILES}
    return found


def _own_text(request: PageRequest, file: Path) -> str:
    """Return the text of a file; "" if it holds its default."""
    try:
        reply = request.call(Verb.READ, file)
    except (Denied, NotFound):
        return ""
    return "" if reply.default else str(reply.value)


def secrets_of(form: SentForm) -> bool:
    """Return whether values of secrets were typed, which are never shown again."""
    return bool(form[NEW_VALUE]) or any(value and name.startswith(ENV) for name, value in form.fields.items())


def _save_env(request: PageRequest, job: ItemPath, form: SentForm) -> None:
    """Set the variables that were typed, and remove those that were ticked."""
    env = job.api / ("config", "env")
    for name, value in form.fields.items():
        if name.startswith(REMOVED):
            request.remove(env / name.removeprefix(REMOVED))
        elif name.startswith(ENV) and value and REMOVED + name.removeprefix(ENV) not in form.fields:
            request.write(env / name.removeprefix(ENV), edited_texts.lines_of(value))
    if name := typed_name(form, NEW_NAME):
        with at_field(NEW_NAME):
            request.write(env / name, edited_texts.lines_of(form[NEW_VALUE]))


CHECK = {"check": ""}
WHY = {"empty": " · no image yet", "missing": " · image missing"}


def preview(request: PageRequest, job: ItemPath, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the template values of the present texts. Raises vfs.errors except for mistakes in the texts."""
    chain = texts.get("config/chains", "")
    reported = _report_on(request, job.api / ("config", "chains"), chain) if chain.strip() else None
    steps = reported["steps"] if reported else ()
    return {
        "check": reported,
        "wrong_line": reported["mistakes"][0]["line"] if reported and reported["mistakes"] else 0,
        "fix": _fix(chain, reported),
        "carets": _carets(chain, reported),
        "drawing": _drawing(reported) if reported else None,
        "lacking": [step for step in steps if step["found"] is False or step["image"] in WHY],
        "lines": chain.count("\n") + 1,
        "when": _report_on(request, job.api / ("config", "schedule"), texts.get("config/schedule", "")),
    }


def apply_fix(request: PageRequest, job: ItemPath, text: str) -> str:
    """Return a chain with its first mistake fixed; unchanged if no fix is known."""
    fix = _fix(text, _report_on(request, job.api / ("config", "chains"), text))
    return fix["whole"] if fix else text


def _report_on(request: PageRequest, file: Path, text: str) -> Mapping[str, Any]:
    """Return the report on a text; on the stored one if the caller may not write."""
    try:
        reply = request.call(Verb.WRITE, file, TextBody(text), query=CHECK)
    except Denied:
        reply = request.call(Verb.READ, file, query=CHECK)
    assert isinstance(reply.value, Data)
    reported: Mapping[str, Any] = reply.value.value
    return reported


def _drawing(reported: Mapping[str, Any]) -> Any:
    nodes = [
        StepBox(
            step["label"],
            step["ref"] + (" · once per file" if step["fan_out"] else "") + _lack(step),
            "failed" if step["found"] is False else "",
            before="planned" if "before" in step["holds"] else "",
            after="planned" if "after" in step["holds"] else "",
        )
        for step in reported["steps"]
    ]
    return draw_chain(nodes, reported["edges"])


def _lack(step: Mapping[str, Any]) -> str:
    return " · not found" if step["found"] is False else WHY.get(step["image"], "")


def _fix(text: str, reported: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Return the replacement text, and the whole text with it."""
    edit = reported["mistakes"][0]["fix"] if reported and reported["mistakes"] else None
    if not edit:
        return None
    lines = text.split("\n")
    line, at = lines[edit["line"] - 1], edit["column"] - 1
    lines[edit["line"] - 1] = line[:at] + edit["text"] + line[at + edit["length"] :]
    return {"text": edit["text"].strip(), "whole": "\n".join(lines)}


def _carets(text: str, reported: Mapping[str, Any] | None) -> str:
    """Return the wrong line with a caret below each wrong character."""
    if not reported or not reported["mistakes"] or not reported["mistakes"][0]["line"]:
        return ""
    one = reported["mistakes"][0]
    line = text.split("\n")[one["line"] - 1].replace("\t", " ")
    begin = max(0, one["column"] - 60)
    length = min(one["length"], 60)
    return f"{line[begin : begin + 120]}\n{' ' * (one['column'] - 1 - begin)}{'^' * length}"


def show(
    at: ItemPath, request: PageRequest, form: SentForm | None = None, error: VfsError | None = None
) -> Page:
    """Return the page, with the input if a form was sent. Raises Denied if the caller may change nothing."""
    request.entry(at.api)
    fields = job_fields(request, at)
    if not fields.open:
        raise Denied("you may not edit this job: ask its owner to let you edit it")
    now = {rel: one.text for rel, one in fields.texts.items()}
    if form is not None:
        now |= {one.rel: one.text for one in sent_texts(form, fields)}
    seen = preview(request, at, now)
    # A step that is a job has the configuration of that job.
    steps = seen["check"]["steps"] if seen["check"] else ()
    labels = (step["label"] for step in steps if isinstance(reference(step["ref"]), RepoRef))
    facts = {
        **seen,
        **frame_facts(request, at, fields.shown, unsaved=form is not None, error=error),
        "rejected": (),
        "fields": fields,
        "now": now,
        "schedule": read_schedule(request, now[SCHEDULE]),
        "inputs": INPUTS,
        "job_steps": step_fields(request, at, labels),
        "step_files": STEP_FILES,
        "typed_steps": form is not None
        and any(name.startswith(TEXT + STEPS) and form[name] for name in form.fields),
        "owns_steps": request.may(Verb.WRITE, at.api / ("config", "schedule")),
        "choices": target_choices(request) if ALERT_TO in fields.open else (),
        "retype": form is not None and secrets_of(form),
    }
    typed = shown_again(form.fields) if form is not None else {}
    # The line of the schedule is the newest input: the three fields are made from it.
    typed = {name: value for name, value in typed.items() if not name.startswith(WHEN)}
    return Page("job_edit.html", facts, error, typed=typed, wrong=refused_fields(error))


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Handle a form of the page: check, fix or save."""
    job, do = at, form["do"]
    if do == "check":
        return show(at, request, form)
    if do == "fix":
        text = apply_fix(request, job, lines_of(form[TEXT + CHAIN]))
        return show(at, request, replace(form, fields={**form.fields, TEXT + CHAIN: text}))
    if do not in ("", GO_ON, BOTH, MINE, THEIRS):
        raise unknown_form()
    how = Editing(
        titles=TITLES,
        again=lambda error: show(at, request, form, error),
        saved=lambda: Redirect(str(at.page / EDIT), done="jobsaved"),
        write=lambda texts: save_fields(request, job, texts, form),
        more={name: value for name, value in form.fields.items() if name.startswith(REMOVED)},
        note="Secret values are not copied: set them afterwards." if secrets_of(form) else "",
    )
    return save_form(request, at, form, sent_texts(form, job_fields(request, job)), how)
