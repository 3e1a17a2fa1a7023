"""The editors of documents and mails: showing, saving and previewing their texts, and sending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from chains.schedules.timetable import SCHEDULE
from handlers.http.headers import WITHIN
from handlers.pages.acting.fields import TEXT, at_field
from handlers.pages.editing.edited_texts import edited_texts, shown_texts
from handlers.pages.editing.editor_frame import PREVIEW, Editing, frame_facts, save_form
from handlers.pages.forms import Json, SentForm
from handlers.pages.framing.reader import look_of
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import ItemPath, require_writer
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.schedule_fields import read_schedule, with_schedule
from handlers.pages.templates import render
from handlers.pages.visuals.asset_page import asset_names
from handlers.pages.visuals.insertions import all_choices
from handlers.rules.kinds import ResourceKind
from handlers.trees.visuals.docs import KIND as DOCUMENT
from handlers.trees.visuals.mails import KIND as MAIL
from handlers.trees.visuals.mails import LISTS
from vfs.access import Verb
from vfs.call import Form, KeptBytes
from vfs.errors import Invalid, Unauthenticated, VfsError
from vfs.path import Path

CONTENT = "content"
HTML = "text/html; charset=utf-8"
INSERTING = ("choose", "insert")
"""Buttons of a page without scripts: show what can be inserted, and put it at the end of the text."""
LARGEST = 8 << 20
"""Maximum bytes of all fields: a document of 1 MiB as typed and as shown, each line one byte longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEditor:
    """The editor of a kind.

    `titles` are labels of its texts by path. `more` returns template values of its page alone. `acts` are
    actions of its buttons, which run after saving. `tried` are the texts for a preview. `page` is its address
    below the thing's page.
    """

    kind: ResourceKind
    template: str
    titles: Mapping[str, str]
    saved: str
    tried: tuple[str, ...] = ()
    page: str = f"/{EDIT}"
    more: Callable[[PageRequest, ItemPath], Mapping[str, Any]] = lambda request, at: {}
    acts: Mapping[str, Callable[[PageRequest, ItemPath, SentForm], str]] = field(default_factory=dict)


def show_editor(
    editor: TextEditor, at: ItemPath, request: PageRequest, typed: Mapping[str, str] | None = None
) -> Page:
    """Return the page, with the input of a refused form.

    Raises NotFound if the caller sees no such item, Denied if the caller may not write it.
    """
    require_writer(request, at)
    texts = shown_texts(request, at.api)
    shown = {rel: texts[rel] for rel in editor.titles if rel in texts}
    facts = {
        **frame_facts(request, at, shown, unsaved=typed is not None),
        "assets": asset_names(request, at),
        "choices": all_choices(at, request) if typed and typed.get("do") in INSERTING else {},
        "follow": at.api / ("files", f"{editor.kind.name}.html"),
        **editor.more(request, at),
    }
    return Page(editor.template, facts, frames=True, typed=typed or {})


def act(editor: TextEditor, at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Save the input and run the action of the pressed button. Raises vfs.errors."""
    if form["do"] in INSERTING:
        return show_editor(editor, at, request, _with_inserted(form))

    def again(error: VfsError | None) -> Page:
        if error is not None:
            raise error  # the page of the form shows it, which may be the page of the mail
        return show_editor(editor, at, request, form.fields)

    def saved() -> Redirect:
        action = editor.acts.get(form["do"])
        done = action(request, at, form) if action is not None else editor.saved
        return Redirect(str(at.page) if done == SENT else f"{at.page}{editor.page}", done=done)

    made = edited_texts(with_schedule(form), editor.titles)
    return save_form(request, at, form, made, Editing(titles=editor.titles, again=again, saved=saved))


def _with_inserted(form: SentForm) -> Mapping[str, str]:
    """Return the fields of the form, with the chosen text at the end of the content."""
    if form["do"] != INSERTING[1]:
        return form.fields
    field = TEXT + CONTENT
    return {**form.fields, field: f"{form[field].rstrip()}\n\n{form['inserted']}\n"}


def preview(editor: TextEditor, at: ItemPath, request: PageRequest, form: SentForm) -> Piece:
    """Return the preview of the input, for a frame of the page. Raises Unauthenticated."""
    texts = {one.rel: one.text for one in edited_texts(form, editor.tried)}
    try:
        body = _draw(request, at.api, texts)
    except Unauthenticated:
        raise
    except VfsError as error:
        body = render("preview_trouble.html", {"trouble": error.detail})
    return Piece(body, HTML, WITHIN)


def _draw(request: PageRequest, item: Path, texts: Mapping[str, str]) -> bytes:
    look = look_of(request.ask)
    options = {"form": "html", **({"mode": look} if look else {})}
    reply = request.call(Verb.WRITE, item / PREVIEW, Json(dict(texts)), want=Form.TEXT, query=options)
    assert isinstance(reply.value, KeptBytes)
    with reply.value.open() as file:
        return file.read()


STATUS = "status"
SENT, TESTED = "sent-mail", "tested-mail"
SURE = "sure"
LIST_TITLES = {"to": "To", "cc": "Copy", "bcc": "Blind copy"}


def mail_facts(request: PageRequest, at: ItemPath) -> Mapping[str, Any]:
    """Return the template values of sending: the number of recipient lines, and the last sending's state.

    `verified` is whether the owner, who alone sends it, has a verified address.
    """
    lists = [request.peek(at.api / rel.split("/"), "") for rel in (at.kind.recipients or {}).values()]
    plan = request.peek(at.api / SCHEDULE.split("/"), {"schedule": "", "enabled": False})
    lines = sum(bool(line.strip()) for text in lists for line in text.splitlines())
    owner = request.world.people.users.find(at.user)
    return {
        "lines": lines,
        "status": request.peek(at.api / STATUS, "").strip(),
        "sends": request.may(Verb.WRITE, at.api / STATUS),
        "verified": owner is not None and owner.verified,
        "schedule": read_schedule(request, plan["schedule"]),
        "when": plan["explanation"] if plan["enabled"] else "",
    }


def with_envelope(page: Page, at: ItemPath, request: PageRequest) -> Page:
    """Return the page of a mail with its recipients, its subject and its buttons, for its writers."""
    if not page.facts["writes"]:
        return page
    texts = shown_texts(request, at.api)
    envelope = {rel: texts[rel] for rel in ENVELOPE.titles if rel in texts}
    return replace(page, facts={**page.facts, **mail_facts(request, at), "texts": envelope})


def send_test(request: PageRequest, at: ItemPath, form: SentForm) -> str:
    """Send the saved mail to its owner only; return the key of the result's sentence. Raises vfs.errors."""
    request.write(at.api / STATUS, "testing")
    return TESTED


def send_to_all(request: PageRequest, at: ItemPath, form: SentForm) -> str:
    """Send the saved mail after a confirmation; return the same key. Raises vfs.errors."""
    if form[SURE] != "yes":
        with at_field(SURE):
            raise Invalid("tick “Yes, send it”, then press Send again: a sent mail cannot be recalled")
    request.write(at.api / STATUS, "sending")
    return SENT


DOCUMENT_EDITOR = TextEditor(
    kind=DOCUMENT,
    template="document_edit.html",
    titles={
        CONTENT: "Text",
        "name": "Title",
        "config/type": "Shown as",
        "config/theme": "Theme",
        "config/comments": "Comments",
        "config/custom/custom.css": "Own style sheet",
        "config/recipients": "Recipients",
        SCHEDULE: "Schedule",
        "config/enabled": "May be sent",
    },
    saved="saved-document",
    tried=(CONTENT, "name", "config/type", "config/theme", "config/custom/custom.css"),
    more=mail_facts,
    acts={"test": send_test, "send": send_to_all},
)
MAIL_EDITOR = TextEditor(
    kind=MAIL,
    template="mail_edit.html",
    titles={
        **{f"recipients/{name}": LIST_TITLES[name] for name in LISTS},
        "config/subject": "Subject",
        CONTENT: "Text",
        "name": "Title",
        "config/theme": "Theme",
        "config/size": "Width",
        "config/reply_to": "Answers",
        SCHEDULE: "Schedule",
        "config/enabled": "May be sent",
        "config/comments": "Comments",
    },
    saved="saved-mail",
    tried=(CONTENT, "name", "config/subject", "config/theme", "config/size"),
    more=mail_facts,
    acts={"test": send_test, "send": send_to_all},
)
ENVELOPE = replace(
    MAIL_EDITOR,
    titles={rel: MAIL_EDITOR.titles[rel] for rel in ("recipients/to", "config/subject")},
    page="",
)
"""The texts that the page of a mail edits."""
