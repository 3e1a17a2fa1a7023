"""The page of the profile: public texts, the picture, the e-mail addresses; and the look of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from handlers.pages.acting.fields import typed_name, write_changed
from handlers.pages.forms import Bytes, SentForm, find_action, pieces_of
from handlers.pages.framing.reader import LOOKS
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.rules.media import HEAD, sniff
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

HERE = "/settings/profile"
PROFILE = API / ("admin", "profile")
PURPOSE = "see the settings of your account"
"""What callers are asked to sign in for."""
MOST_PARTS = 8
"""Maximum parts of the form, including its other fields."""


def put_picture(place: Path, request: PageRequest, form: SentForm) -> None:
    """Replace the picture by the chosen one; its media type is detected from its bytes.

    Raises Invalid if none was chosen, and as the write does.
    """
    with form.unpack(MOST_PARTS) as files:
        if not files:
            raise Invalid("choose a picture first")
        file = next(iter(files.values()))
        with file.open("rb") as stream:
            media = sniff(stream.read(HEAD))
        sent = Bytes(pieces_of(file))
        sent.media = media or "application/octet-stream"
        request.call(Verb.WRITE, place, sent)


def drop_picture(place: Path, request: PageRequest, form: SentForm) -> None:
    """Delete the picture."""
    request.remove(place)


ZONE = "timezone"
TEXTS = ("name", "bio", "description", ZONE, "language")
SWITCHES = ("options/show_name", "options/show_email", "options/show_description", "options/allow_as_author")
PUBLIC = "public"
EMAILS, IMAGE = PROFILE / "emails", PROFILE / ("picture", "image")
Action = Callable[[PageRequest, SentForm], None]


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    me = request.me(PURPOSE)
    picture = API / ("u", me, "img")
    facts: dict[str, Any] = {
        "fields": _kept_fields(request),
        "picture": picture if request.peek(picture) is not None else None,
        "addresses": request.rows(EMAILS),
        "looks": LOOKS,
    }
    return Page("settings_profile.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page."""
    request.me(PURPOSE)
    if form["do"] == "look" and form["look"] in LOOKS:
        return Redirect(HERE, done="looks", look=form["look"])
    action, done = find_action(ACTIONS, form)
    action(request, form)
    return Redirect(HERE, done=done)


def save(request: PageRequest, form: SentForm) -> None:
    """Write the fields that were changed, all or none."""
    write_changed(request, PROFILE, _typed_fields(form), _kept_fields(request))


def add(request: PageRequest, form: SentForm) -> None:
    """Add an address, or mail its code again."""
    request.create(EMAILS / typed_name(form, "name"))


def make_primary(request: PageRequest, form: SentForm) -> None:
    """Make an address the primary one for mails."""
    request.write(EMAILS / (form["name"].strip(), "primary"), "yes")


def remove(request: PageRequest, form: SentForm) -> None:
    """Remove an address."""
    request.remove(EMAILS / form["name"].strip())


ACTIONS: Mapping[str, tuple[Action, str]] = {
    "save": (save, "kept"),
    "upload": (partial(put_picture, IMAGE), "pictured"),
    "drop": (partial(drop_picture, IMAGE), "unpictured"),
    "add": (add, "mailed"),
    "primary": (make_primary, "primary"),
    "remove": (remove, "removed"),
}


def _kept_fields(request: PageRequest) -> dict[str, str]:
    """Return the stored texts and switches of the profile."""
    texts = request.texts(PROFILE)
    said = {rel: texts.get(rel, "") for rel in TEXTS}
    said |= {rel: texts.get(rel, "no").strip() for rel in SWITCHES}
    # Stored in the account; not a text of the profile.
    said[PUBLIC] = str(request.read(PROFILE / PUBLIC)).strip()
    return {**said, ZONE: texts.get(ZONE, "UTC").strip()}


def _typed_fields(form: SentForm) -> dict[str, str]:
    """Return the same fields of a form; browsers send CRLF line ends and omit empty checkboxes."""
    texts = {rel: form[rel].replace("\r\n", "\n") for rel in TEXTS}
    return {**texts, **{rel: "yes" if form[rel] == "yes" else "no" for rel in (*SWITCHES, PUBLIC)}}
