"""Answers to invitations from the pages that show them: home, a user's own page, the page of a group."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.groups import INVITES, group_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Gone, NotFound
from vfs.path import Path


def answer(request: PageRequest, ref: str, form: SentForm, stay: str) -> Redirect:
    """Answer an invitation to the role that the page showed; lead to what an acceptance opens.

    A declined one leads to `stay`. Raises Gone if the invitation has ended.
    """
    accepts = form["word"] == "yes"
    said = f"yes {form['role']}".strip() if accepts else form["word"]
    try:
        request.call(Verb.WRITE, INVITES / (ref, "accept"), TextBody(said))
    except NotFound as error:
        raise Gone(f"this invitation is not there any more: {error.detail}") from error
    if not accepts:
        return Redirect(stay, done="answered")
    if ref.startswith("@") and "~" not in ref:
        return Redirect(str(Path(("u", ref[1:]))), done="connected", told={"who": ref})
    group = group_of(ref)
    title = request.peek(group.api / "name", "") or ref
    return Redirect(str(group.page), done="entered", told={"group": title})
