"""The pages of comments, on items and in groups, and of the activity of an item."""

from __future__ import annotations

import re
import secrets

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_path import GroupPath, ItemPath
from handlers.pages.items.talk import ANSWERS, NAME_BYTES, TEXT, THREADS, talk_of, talk_of_group
from handlers.pages.owning.settings_page import head_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Conflict, Invalid, NotFound
from vfs.path import NAME, Path

FRESH = re.compile(rf"[0-9a-f]{{{2 * NAME_BYTES}}}")
NAMED = rf"(?:@{NAME.pattern}~)?{NAME.pattern}"
BELOW = re.compile(rf"{THREADS}/{NAMED}(?:/{ANSWERS}/{NAMED})*")


def show_comments(at: ItemPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated if the caller may not read the comments."""
    head, talk = head_of(at, request), talk_of(request, at)
    if talk is None:
        request.call(Verb.READ, at.api / THREADS)
        raise NotFound(f"a {at.kind.noun} has no comments")
    return Page("comments.html", {"head": head, "talk": talk})


def show_group_comments(at: GroupPath, request: PageRequest) -> Page:
    """Return the page of a group's comments. Raises NotFound or Unauthenticated without read access."""
    request.read(at.api)
    talk = talk_of_group(request, at)
    if talk is None:
        request.call(Verb.READ, at.api / THREADS)
        raise NotFound("this group has no comments: its people write them on its page")
    return Page(
        "comments.html", {"at": at, "title": request.peek(at.api / "name", "") or at.ref, "talk": talk}
    )


def act(at: ItemPath | GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write, change, delete or restore a comment."""
    text = form["text"].replace("\r\n", "\n").strip()
    match form["do"]:
        case "say":
            folder = f"{_below(form)}/{ANSWERS}" if form["at"] else THREADS
            return _say_once(at, request, folder, form["as"], text)
        case "back":
            return _say(at, request, _below(form), text)
        case "change":
            with at_field("text"):
                _require(text)
                request.write(_inside(at, f"{_below(form)}/{TEXT}"), text)
            return Redirect(f"{at.page}#comments", done="edited")
        case "delete":
            request.remove(_inside(at, _below(form)))
            undo = {"do": "back", "at": form["at"], "text": form["text"]} if form["light"] else None
            return Redirect(f"{at.page}/comments", done="unsaid", undo=undo)
    raise unknown_form()


def _say_once(at: ItemPath | GroupPath, request: PageRequest, folder: str, name: str, text: str) -> Redirect:
    """Write a comment under the name in its form, unless it exists: a form may be sent twice."""
    if FRESH.fullmatch(name):
        try:
            return _say(at, request, f"{folder}/{name}", text)
        except Conflict:
            mine = f"{folder}/@{request.caller.name}~{name}/{TEXT}"
            if request.peek(_inside(at, mine), {}).get("raw") == text:
                return Redirect(f"{at.page}#comments", done="said")
    return _say(at, request, f"{folder}/{secrets.token_hex(NAME_BYTES)}", text)


def _say(at: ItemPath | GroupPath, request: PageRequest, path: str, text: str) -> Redirect:
    with at_field("text"):
        _require(text)
        request.call(Verb.CREATE, _inside(at, path), TextBody(text))
    return Redirect(f"{at.page}#comments", done="said")


def _require(text: str) -> None:
    if not text:
        raise Invalid("the comment is empty: write something")


def _below(form: SentForm) -> str:
    """Return the path of the comment that a form names. Raises Invalid if it names no comment."""
    if not BELOW.fullmatch(form["at"]):
        raise Invalid("the form names no comment: reload the page and try again")
    return form["at"]


def _inside(at: ItemPath | GroupPath, below: str) -> Path:
    return Path((*at.api, *below.split("/")))


def show_activity(at: ItemPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound, Denied or Unauthenticated if the caller may not read the item."""
    after = request.query.get("after", "")
    head = head_of(at, request)
    reported = request.answer(Verb.READ, at.api / "activity", query={"after": after} if after else {})
    facts = {
        "head": head,
        "rows": reported["activity"],
        "after": reported["after"],
        "later": after,
    }
    return Page("activity.html", facts)
