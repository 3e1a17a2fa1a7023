"""The editor of mails: recipients, subject and text, a test to oneself, and sending once it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.pages.writing.text_editor import CONTENT, TextEditor
from handlers.trees.visuals.mails import KIND, LISTS
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid

STATUS = "status"
SENT, TESTED = "sent-mail", "tested-mail"
SURE = "sure"
LIST_TITLES = {"to": "To", "cc": "Copy", "bcc": "Blind copy"}


def mail_facts(request: PageRequest, at: ItemPath) -> Mapping[str, Any]:
    """The facts about sending: how many lines name recipients, and where the last sending stands."""
    lists = [request.peek(at.api / ("recipients", name), "") for name in LISTS]
    lines = sum(bool(line.strip()) for text in lists for line in text.splitlines())
    return {
        "lines": lines,
        "status": request.peek(at.api / STATUS, "").strip(),
        "sends": request.may(Verb.WRITE, at.api / STATUS),
    }


def send_test(request: PageRequest, at: ItemPath, form: SentForm) -> Redirect:
    """Send the mail as it was just saved to its owner alone. Raises vfs.errors."""
    request.call(Verb.WRITE, at.api / STATUS, TextBody("testing"))
    return Redirect(f"{at.page}/{EDIT}", done=TESTED)


def send_to_all(request: PageRequest, at: ItemPath, form: SentForm) -> Redirect:
    """Send the mail as it was just saved, once it was said that this is meant. Raises vfs.errors."""
    if form[SURE] != "yes":
        raise Invalid("tick that it is to be sent, then press Send again: what leaves cannot be called back")
    request.call(Verb.WRITE, at.api / STATUS, TextBody("sending"))
    return Redirect(str(at.page), done=SENT)


MAIL_EDITOR = TextEditor(
    kind=KIND,
    template="mail_edit.html",
    titles={
        **{f"recipients/{name}": LIST_TITLES[name] for name in LISTS},
        "config/subject": "Subject",
        CONTENT: "Text",
        "name": "Title",
        "config/theme": "Theme",
        "config/size": "Width",
        "config/reply_to": "Answers",
        "config/enabled": "May be sent",
        "config/comments": "Comments",
    },
    saved="saved-mail",
    tried=(CONTENT, "name", "config/subject", "config/theme", "config/size"),
    more=mail_facts,
    acts={"test": send_test, "send": send_to_all},
)
