"""Answers to invitations, which several pages show."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.groups import INVITES, group_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.errors import Gone, NotFound
from vfs.path import Path


def answer_invitation(request: PageRequest, form: SentForm, ref: str, page: str) -> Redirect:
    """Answer the caller's invitation to the role that the page showed, and lead to what it opens.

    Declined, it leads back to `page`. Raises Gone if it has ended.
    """
    word, role = form["word"], form["role"]
    try:
        said = f"{word} {role}" if word == "yes" and role else word
        request.write(INVITES / (ref, "accept"), said)
    except NotFound as error:
        raise Gone(f"this invitation is not there any more: {error.detail}") from error
    if word != "yes":
        return Redirect(page, done="answered")
    if "~" not in ref and ref.startswith("@"):
        return Redirect(str(Path(("u", ref[1:]))), done="connected", values={"who": ref})
    group = group_of(ref)
    return Redirect(
        str(group.page), done="entered", values={"group": request.peek(group.api / "name") or ref}
    )
